/**
 * One error family. The error decides whether to retry, never the caller: a job turns `retry: false` into
 * BullMQ's UnrecoverableError, the API turns `status` into the answer. `public` is the sentence for
 * clients, `message` the one for operators.
 */
export class AppError extends Error {
  readonly code: string;
  readonly status: number;
  readonly retry: boolean;
  readonly public: string;

  constructor(code: string, message: string, options: AppErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'AppError';
    this.code = code;
    this.status = options.status ?? 500;
    this.retry = options.retry ?? false;
    this.public = options.public ?? message;
  }
}

export type AppErrorOptions = {
  readonly status?: number;
  readonly retry?: boolean;
  readonly public?: string;
  readonly cause?: unknown;
};

/** For what is not there at the moment: 503, and another try may succeed. */
export function unavailable(
  code: string,
  message: string,
  options: Pick<AppErrorOptions, 'public' | 'cause'> = {},
): AppError {
  return new AppError(code, message, { status: 503, retry: true, ...options });
}

/** A mistake of the person at the command line: printed as one line, without a stack trace. */
export class UsageError extends AppError {
  constructor(message: string) {
    super('usage', message, { status: 400 });
    this.name = 'UsageError';
  }
}

/** For a command line that is wrong whatever is stored: it ends as one that the parser refuses, with exit code 2. */
export class MisuseError extends UsageError {}
