import type { HeaderList } from './base-headers.ts';
import type { Operator } from './given.ts';

/** An error answer without its request id. `extra` stands at top level, as the numbers of a 402 do. */
export type Problem = {
  readonly status: number;
  readonly error: ErrorCode;
  readonly message: string;
  readonly details?: readonly Detail[];
  readonly extra?: Readonly<Record<string, unknown>>;
  readonly headers?: HeaderList;
};

/**
 * `remedy`: what a client does about it. `waitSeconds`: the call may succeed later, so every answer has `Retry-After`,
 * with this value where none is better known.
 */
export type ErrorEntry = {
  readonly status: number;
  readonly meaning: string;
  readonly remedy: string;
  readonly waitSeconds?: number;
};

/** Every error code on the wire with its status and, for the documents, its meaning (rule 11.1). */
export const ERRORS = {
  invalid_parameter: {
    status: 400,
    meaning: 'A parameter or header is missing, unknown, repeated, malformed or out of its bounds.',
    remedy:
      'Correct what message and details name, and send the call again. The reference lists the parameters of each call.',
  },
  unauthorized: {
    status: 401,
    meaning: 'The API key is missing or not valid.',
    remedy:
      'Send the key as `Authorization: Bearer <API_KEY>`, in no other header and not in the URL. Keys are made at /connect; a revoked one stays revoked.',
  },
  insufficient_credits: {
    status: 402,
    meaning: 'The balance is below the price of the call.',
    remedy:
      'Get credits at the address in topup_url, then send the call again. `needed` is its price, `balance` what is left.',
  },
  forbidden: {
    status: 403,
    meaning: 'The origin or host of the request is not allowed here.',
    remedy:
      'Use the address of the service itself. The operator may allow more names (ALLOWED_HOSTS) and sites (ALLOWED_ORIGINS).',
  },
  not_found: {
    status: 404,
    meaning: 'There is no resource at this address.',
    remedy:
      'Compare the address with the reference. Addresses are lower case, begin with /v1 and have no slash at the end.',
  },
  fund_not_found: {
    status: 404,
    meaning: 'No fund has this CIK.',
    remedy: 'Find the CIK by name: `/v1/search?type=funds&q=NAME`.',
  },
  brief_not_found: {
    status: 404,
    meaning: 'No brief with this id was built here, or it is no longer kept.',
    remedy:
      'Ask for the current brief of the ticker. `/v1/stocks/{ticker}/briefs` lists those that are stored.',
  },
  stock_not_found: {
    status: 404,
    meaning: 'No security with a known CUSIP has this ticker, or several have.',
    remedy: 'Find the ticker by name: `/v1/search?type=holdings&q=NAME`.',
  },
  filing_not_found: {
    status: 404,
    meaning: 'There is no such filing, or no report for that quarter.',
    remedy: '`/v1/funds/{cik}` lists the filings and quarters of a fund.',
  },
  unsupported_form: {
    status: 404,
    meaning: 'The filing exists, but this endpoint does not answer its form.',
    remedy:
      '`/v1/filing/{accession}` answers Forms 4 and 4/A; the holdings of a 13F are at `/v1/funds/{cik}/holdings`.',
  },
  holdings_reported_elsewhere: {
    status: 404,
    meaning: 'Only a notice covers the quarter: other managers report the holdings.',
    remedy: 'Ask for the holdings of a manager in `managers`.',
  },
  method_not_allowed: {
    status: 405,
    meaning: 'The address accepts other methods only. Allow names them.',
    remedy: 'Use a method that Allow names. Calls below /v1 are GET; the agent tools are POST.',
  },
  request_timeout: {
    status: 408,
    meaning: 'The request did not arrive in time.',
    remedy: 'Send the whole request at once, and try again.',
  },
  idempotency_conflict: {
    status: 409,
    meaning: 'A call with this Idempotency-Key is still in progress.',
    remedy:
      'Wait for the seconds in Retry-After, then send the call again: it is answered without a second charge.',
    waitSeconds: 1,
  },
  idempotency_exhausted: {
    status: 409,
    meaning: 'The call of this Idempotency-Key has no replays left.',
    remedy: 'Use a new Idempotency-Key. The call is charged again.',
  },
  content_too_large: {
    status: 413,
    meaning: 'The body is larger than 64 KB.',
    remedy: 'Send a smaller body.',
  },
  uri_too_long: {
    status: 414,
    meaning: 'The URL is longer than 8 KB.',
    remedy: 'Send fewer or shorter parameters.',
  },
  unsupported_media_type: {
    status: 415,
    meaning: 'The body is not JSON, or it is encoded.',
    remedy: 'Send Content-Type: application/json without Content-Encoding.',
  },
  expectation_failed: {
    status: 417,
    meaning: 'The request expects something other than 100-continue.',
    remedy: 'Leave out the Expect header.',
  },
  idempotency_mismatch: {
    status: 422,
    meaning: 'This Idempotency-Key was used for another call.',
    remedy: 'Use a new Idempotency-Key for each different call.',
  },
  rate_limited: {
    status: 429,
    meaning: 'The key or the address sends too many requests, or too many at once.',
    remedy: 'Wait for the seconds in Retry-After, then go on more slowly. RateLimit shows what is left.',
    waitSeconds: 1,
  },
  headers_too_large: {
    status: 431,
    meaning: 'The headers are larger than 16 KB.',
    remedy: 'Send fewer or shorter headers; cookies are not needed.',
  },
  internal_error: {
    status: 500,
    meaning: 'An error occurred on our side.',
    remedy: 'Try again after a second or two. If it stays, send us the request_id.',
  },
  unavailable: {
    status: 503,
    meaning: 'The service is temporarily unavailable.',
    remedy: 'Wait for the seconds in Retry-After, then send the call again with the same Idempotency-Key.',
    waitSeconds: 2,
  },
} as const satisfies Readonly<Record<string, ErrorEntry>>;

export type ErrorCode = keyof typeof ERRORS;

/** Where the guide explains a code. */
export function errorPath(code: ErrorCode): string {
  return `/docs/errors/${code}`;
}

export function problem(error: ErrorCode, message: string, rest: Partial<Problem> = {}): Problem {
  const { status, waitSeconds }: ErrorEntry = ERRORS[error];
  const { headers = [] } = rest;
  if (waitSeconds === undefined || headers.includes(RETRY_AFTER)) return { status, error, message, ...rest };
  return { status, error, message, ...rest, headers: [...headers, RETRY_AFTER, String(waitSeconds)] };
}

export const RETRY_AFTER = 'Retry-After';

/** A request of 64 KB may have thousands of unknown names: the answer stays smaller than the request. */
const MAX_LISTED = 100;

export function invalid(wrong: readonly Detail[]): Problem {
  const details = wrong.slice(0, MAX_LISTED);
  return problem('invalid_parameter', sentenceOf(details), { details });
}

const HOW_TO_SEND = 'Send it as "Authorization: Bearer <API_KEY>".';

/** Why there is no valid key, by what was sent in place of one. */
const UNAUTHORIZED = {
  nothing: `An API key is required. ${HOW_TO_SEND} Keys are made at /connect.`,
  in_url: `An API key in a URL is in logs: replace it. ${HOW_TO_SEND}`,
  other_scheme: `The Authorization header has no key after "Bearer". ${HOW_TO_SEND}`,
  repeated: `The Authorization header was sent more than once. ${HOW_TO_SEND}`,
  wrong_key: 'The API key is not valid: it is mistyped, revoked or unknown here. Keys are made at /connect.',
} as const;

export type Unsent = keyof typeof UNAUTHORIZED | { readonly header: string };

/** The challenge names the token as the cause only when one was sent as it must be (RFC 6750 3.1). */
export function unauthorized(why: Unsent = 'wrong_key'): Problem {
  const keySent = why === 'wrong_key' || why === 'other_scheme' || why === 'repeated';
  const challenge = `Bearer realm="tidemark"${keySent ? ', error="invalid_token"' : ''}`;
  const message =
    typeof why === 'string'
      ? UNAUTHORIZED[why]
      : `A key in the header ${why.header} is not read. ${HOW_TO_SEND}`;
  return problem('unauthorized', message, { headers: ['WWW-Authenticate', challenge] });
}

export function insufficient(
  needed: number,
  balance: number,
  { siteUrl, supportContact }: Operator,
): Problem {
  const contact = supportContact === undefined ? {} : { support_contact: supportContact };
  return problem(
    'insufficient_credits',
    `The call costs ${creditText(needed)} and the balance is ${balance}. Get credits at ${siteUrl}/connect.`,
    {
      extra: { needed, balance, topup_url: `${siteUrl}/connect`, ...contact },
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
): Problem {
  return problem('unavailable', message);
}

export function internal(): Problem {
  return problem('internal_error', 'An error occurred on our side. Nothing was charged.');
}

export function methodNotAllowed(allow: string): Problem {
  return problem('method_not_allowed', `Only ${allow} is allowed here.`, { headers: ['Allow', allow] });
}

/** One thing wrong with a request, by the parameter or header that carries it. */
export type Detail = { readonly param: string; readonly reason: string; readonly value?: string };

/** Problems that the sentence of an error spells out; `details` always has all. */
const MAX_SPELT_OUT = 5;
const NUMBER = /^-?\d{1,15}(\.\d+)?$/;

/**
 * What is wrong with a request, as one sentence for each problem: "limit must be 1 to 100, not 1000." A reason
 * is a predicate of its parameter, and after a semicolon what helps further.
 */
function sentenceOf(details: readonly Detail[]): string {
  const sentences = details.slice(0, MAX_SPELT_OUT).map(({ param, reason, value }) => {
    const [claim, ...help] = reason.split('; ');
    // The value is only in contrast to what it must be.
    const given = value !== undefined && claim?.startsWith('must be ') ? `, not ${shown(value)}` : '';
    return `${[`${param} ${claim}${given}`, ...help].join('; ')}.`;
  });
  const more = details.length - sentences.length;
  return [...sentences, ...(more > 0 ? [`${more} more in details.`] : [])].join(' ');
}

function shown(value: string): string {
  return NUMBER.test(value) ? value : `"${value}"`;
}
