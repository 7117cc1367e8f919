import type { HeaderList } from './base-headers.ts';

/** One thing wrong with a request, by the parameter or header that carries it. */
export type Detail = { readonly param: string; readonly reason: string; readonly value?: string };

/** An error answer before it has its request id. `extra` stands at top level, as the 402's numbers do. */
export type Problem = {
  readonly status: number;
  readonly error: ErrorCode;
  readonly message: string;
  readonly details?: readonly Detail[];
  readonly extra?: Readonly<Record<string, unknown>>;
  readonly headers?: HeaderList;
};

/** Every error code on the wire and its status (rule 11.1). */
export const ERROR_STATUS = {
  invalid_parameter: 400,
  unauthorized: 401,
  insufficient_credits: 402,
  forbidden: 403,
  not_found: 404,
  fund_not_found: 404,
  stock_not_found: 404,
  filing_not_found: 404,
  unsupported_form: 404,
  holdings_reported_elsewhere: 404,
  method_not_allowed: 405,
  request_timeout: 408,
  idempotency_conflict: 409,
  idempotency_exhausted: 409,
  content_too_large: 413,
  uri_too_long: 414,
  unsupported_media_type: 415,
  expectation_failed: 417,
  idempotency_mismatch: 422,
  rate_limited: 429,
  headers_too_large: 431,
  internal_error: 500,
  unavailable: 503,
} as const;

export type ErrorCode = keyof typeof ERROR_STATUS;

const RETRY_SECONDS = '2';

export function problem(error: ErrorCode, message: string, rest: Partial<Problem> = {}): Problem {
  return { status: ERROR_STATUS[error], error, message, ...rest };
}

export function invalid(details: readonly Detail[]): Problem {
  const names = [...new Set(details.map((detail) => detail.param))].join(', ');
  return problem('invalid_parameter', `The request is not valid: ${names}.`, { details });
}

/** `keySent`: only then does the challenge say that the token was the problem (RFC 6750 3.1). */
export function unauthorized(keySent: boolean): Problem {
  const challenge = `Bearer realm="tidemark"${keySent ? ', error="invalid_token"' : ''}`;
  const message = keySent
    ? 'The API key is not valid.'
    : 'An API key is required: send the header "Authorization: Bearer <API_KEY>".';
  return problem('unauthorized', message, { headers: ['WWW-Authenticate', challenge] });
}

export function insufficient(needed: number, balance: number, siteUrl: string): Problem {
  const price = needed === 1 ? '1 credit' : `${needed} credits`;
  return problem('insufficient_credits', `The call costs ${price} and the balance is ${balance}.`, {
    extra: { needed, balance, topup_url: `${siteUrl}/connect` },
    headers: ['X-Credits-Balance', String(balance)],
  });
}

export function unavailable(
  message: string = 'The service is not available for the moment; nothing was charged.',
): Problem {
  return problem('unavailable', message, {
    headers: ['Retry-After', RETRY_SECONDS],
  });
}

export function internal(): Problem {
  return problem('internal_error', 'Something went wrong on our side; nothing was charged.');
}

export function methodNotAllowed(allow: string): Problem {
  return problem('method_not_allowed', `Only ${allow} is answered here.`, { headers: ['Allow', allow] });
}
