import { AppError, type AppErrorOptions } from '../errors.ts';

/** What an answer of EDGAR means when it is not the requested document (rule 10.2). */
export const EDGAR_CODES = [
  'edgar_blocked',
  'edgar_undeclared',
  'edgar_refused',
  'edgar_no_index',
  'edgar_not_modified',
  'edgar_not_found',
  'edgar_unavailable',
  'edgar_truncated',
  'edgar_html',
  'edgar_redirect',
  'edgar_too_large',
  'edgar_malformed',
  'edgar_implausible',
] as const;

export type EdgarCode = (typeof EDGAR_CODES)[number];

/**
 * `retry` says whether a later request can help. `retryAfterMs` is set when EDGAR or the shared breaker
 * said how long to wait; a job waits at least that long.
 */
export class EdgarError extends AppError {
  readonly retryAfterMs: number | null;

  constructor(code: EdgarCode, message: string, options: AppErrorOptions & { retryAfterMs?: number } = {}) {
    super(code, message, { status: 503, public: 'EDGAR is not available', ...options });
    this.name = 'EdgarError';
    this.retryAfterMs = options.retryAfterMs ?? null;
  }
}

/** The answer, or null when it fails with one of the codes. */
export async function nullOn<T>(answer: Promise<T>, ...codes: readonly EdgarCode[]): Promise<T | null> {
  try {
    return await answer;
  } catch (error) {
    if (isEdgarError(error, ...codes)) return null;
    throw error;
  }
}

/** True for an {@link EdgarError} of one of the codes: an outcome that the caller expects. */
export function isEdgarError(error: unknown, ...codes: readonly EdgarCode[]): error is EdgarError {
  return error instanceof EdgarError && codes.some((code) => code === error.code);
}

/** The error for a listing or a reference file that cannot be read; a later fetch may bring another one. */
export function malformed(what: string, why: string, cause?: unknown): EdgarError {
  return new EdgarError('edgar_malformed', `${what} cannot be read: ${why}`, { retry: true, cause });
}
