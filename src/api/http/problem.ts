import type { HeaderList } from './base-headers.ts';

/** One thing wrong with a request, by the parameter or header that carries it. */
export type Detail = { readonly param: string; readonly reason: string; readonly value?: string };

/** An error answer without its request id. `extra` stands at top level, as the numbers of a 402 do. */
export type Problem = {
  readonly status: number;
  readonly error: ErrorCode;
  readonly message: string;
  readonly details?: readonly Detail[];
  readonly extra?: Readonly<Record<string, unknown>>;
  readonly headers?: HeaderList;
};

/** Every error code on the wire with its status and, for the documents, its meaning (rule 11.1). */
export const ERRORS = {
  invalid_parameter: {
    status: 400,
    meaning: 'A parameter or header is missing, unknown, repeated, malformed or out of its bounds.',
  },
  unauthorized: { status: 401, meaning: 'The API key is missing or not valid.' },
  insufficient_credits: { status: 402, meaning: 'The balance is below the price of the call.' },
  forbidden: { status: 403, meaning: 'The origin or host of the request is not allowed here.' },
  not_found: { status: 404, meaning: 'There is no resource at this address.' },
  fund_not_found: { status: 404, meaning: 'No fund has this CIK.' },
  brief_not_found: { status: 404, meaning: 'No brief with this id was built here, or it is no longer kept.' },
  stock_not_found: {
    status: 404,
    meaning: 'No security with a known CUSIP has this ticker, or several have.',
  },
  filing_not_found: { status: 404, meaning: 'There is no such filing, or no report for that quarter.' },
  unsupported_form: {
    status: 404,
    meaning: 'The filing exists, but this endpoint does not answer its form.',
  },
  holdings_reported_elsewhere: {
    status: 404,
    meaning: 'Only a notice covers the quarter: other managers report the holdings.',
  },
  method_not_allowed: { status: 405, meaning: 'The address accepts other methods only. Allow names them.' },
  request_timeout: { status: 408, meaning: 'The request did not arrive in time.' },
  idempotency_conflict: { status: 409, meaning: 'A call with this Idempotency-Key is still in progress.' },
  idempotency_exhausted: { status: 409, meaning: 'The call of this Idempotency-Key has no replays left.' },
  content_too_large: { status: 413, meaning: 'The body is larger than 64 KB.' },
  uri_too_long: { status: 414, meaning: 'The URL is longer than 8 KB.' },
  unsupported_media_type: { status: 415, meaning: 'The body is not JSON, or it is encoded.' },
  expectation_failed: { status: 417, meaning: 'The request expects something other than 100-continue.' },
  idempotency_mismatch: { status: 422, meaning: 'This Idempotency-Key was used for another call.' },
  rate_limited: {
    status: 429,
    meaning: 'The key or the address sends too many requests, or too many at once.',
  },
  headers_too_large: { status: 431, meaning: 'The headers are larger than 16 KB.' },
  internal_error: { status: 500, meaning: 'An error occurred on our side.' },
  unavailable: { status: 503, meaning: 'The service is temporarily unavailable.' },
} as const satisfies Readonly<Record<string, { readonly status: number; readonly meaning: string }>>;

export type ErrorCode = keyof typeof ERRORS;

const RETRY_SECONDS = '2';

export function problem(error: ErrorCode, message: string, rest: Partial<Problem> = {}): Problem {
  return { status: ERRORS[error].status, error, message, ...rest };
}

export function invalid(details: readonly Detail[]): Problem {
  const names = [...new Set(details.map((detail) => detail.param))].join(', ');
  return problem('invalid_parameter', `The request is not valid: ${names}.`, { details });
}

/** `keySent`: only then does the challenge name the token as the cause (RFC 6750 3.1). */
export function unauthorized(keySent: boolean): Problem {
  const challenge = `Bearer realm="tidemark"${keySent ? ', error="invalid_token"' : ''}`;
  const message = keySent
    ? 'The API key is not valid.'
    : 'An API key is required: send the header "Authorization: Bearer <API_KEY>".';
  return problem('unauthorized', message, { headers: ['WWW-Authenticate', challenge] });
}

export function insufficient(needed: number, balance: number, siteUrl: string): Problem {
  return problem(
    'insufficient_credits',
    `The call costs ${creditText(needed)} and the balance is ${balance}.`,
    {
      extra: { needed, balance, topup_url: `${siteUrl}/connect` },
      headers: ['X-Credits-Balance', String(balance)],
    },
  );
}

/** `1 credit`, `10 credits`. */
export function creditText(credits: number): string {
  return credits === 1 ? '1 credit' : `${credits} credits`;
}

export function unavailable(
  message = 'The service is temporarily unavailable. Nothing was charged.',
  retrySeconds = RETRY_SECONDS,
): Problem {
  return problem('unavailable', message, { headers: ['Retry-After', retrySeconds] });
}

export function internal(): Problem {
  return problem('internal_error', 'An error occurred on our side. Nothing was charged.');
}

export function methodNotAllowed(allow: string): Problem {
  return problem('method_not_allowed', `Only ${allow} is allowed here.`, { headers: ['Allow', allow] });
}
