import type { ErrorCode } from './problem.ts';

/** When each error is told, for the documents; {@link meaningOf} reads it. */
const MEANING: Readonly<Record<string, string>> = {
  invalid_parameter: 'A parameter or header is missing, unknown, repeated, malformed or out of its bounds.',
  unauthorized: 'The API key is missing or not valid.',
  insufficient_credits: 'The balance is below the price of the call.',
  forbidden: 'The origin or host of the request is not allowed here.',
  not_found: 'There is nothing at this address.',
  fund_not_found: 'No fund has this CIK.',
  stock_not_found: 'No security with a known CUSIP has this ticker, or several have.',
  filing_not_found: 'There is no such filing, or no report for that quarter.',
  unsupported_form: 'The filing exists and is not of a form that this answers.',
  holdings_reported_elsewhere: 'Only a notice covers the quarter: other managers report the holdings.',
  method_not_allowed: 'The address answers other methods only; they are in Allow.',
  request_timeout: 'The request did not arrive in time.',
  idempotency_conflict: 'A call with this Idempotency-Key is still in flight.',
  idempotency_exhausted: 'The call of this Idempotency-Key was replayed as often as it may be.',
  content_too_large: 'The body is larger than 64 KB.',
  uri_too_long: 'The URL is longer than 8 KB.',
  unsupported_media_type: 'The body is not JSON, or it is encoded.',
  expectation_failed: 'The request expects something other than 100-continue.',
  idempotency_mismatch: 'This Idempotency-Key was used for another call.',
  rate_limited: 'The key, or the address, calls too often or too much at once.',
  headers_too_large: 'The headers are larger than 16 KB.',
  internal_error: 'Something went wrong on our side.',
  unavailable: 'The service cannot answer for the moment.',
};

/** A sentence that says when the error is told. */
export function meaningOf(code: ErrorCode): string | undefined {
  return MEANING[code];
}
