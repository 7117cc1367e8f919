import type { components, operations } from './schema.ts';

type Responses = operations[keyof operations]['responses'];
type BodyOf<R> = R extends { content: { 'application/json': infer Body } } ? Body : never;
type ErrorStatus = Exclude<keyof Responses, 200 | 304>;

/** The body of any error, distinguished by its `error`. */
export type ErrorBody = BodyOf<Responses[ErrorStatus]> | SpecificBody<operations[keyof operations]>;

/** Errors that only some operations have. */
type SpecificBody<O> = O extends { responses: infer R } ? BodyOf<R[Exclude<keyof R, 200 | 304>]> : never;

export type ErrorDetail = components['schemas']['ErrorDetail'];

/** An answer other than the expected one. `body` is null when it is not ours, for example a proxy's page. */
export class TidemarkError extends Error {
  override readonly name = 'TidemarkError';
  readonly status: number;
  readonly body: ErrorBody | null;
  /** Seconds to wait as requested by the server; null without a request. */
  readonly retryAfter: number | null;

  constructor(response: Response, body: unknown) {
    const known = isErrorBody(body) ? body : null;
    super(
      known === null ? `HTTP ${response.status}` : `${known.error}: ${known.message} (${known.request_id})`,
    );
    this.status = response.status;
    this.body = known;
    this.retryAfter = retryAfterOf(response);
  }
}

/** Seconds; null without a request to wait. */
export function retryAfterOf({ headers }: Response): number | null {
  const seconds = Number(headers.get('Retry-After') ?? Number.NaN);
  return Number.isFinite(seconds) ? seconds : null;
}

export function isErrorBody(body: unknown): body is ErrorBody {
  return typeof body === 'object' && body !== null && 'error' in body && 'request_id' in body;
}

type Result<T> = { readonly data?: T; readonly error?: unknown; readonly response: Response };

/** The body of a 2xx; throws {@link TidemarkError} for anything else. */
export function answerOf<T>({ data, error, response }: Result<T>): NonNullable<T> {
  if (response.ok && data !== undefined && data !== null) return data;
  throw new TidemarkError(response, error);
}
