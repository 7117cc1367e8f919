import { ENDPOINTS } from '../endpoints/index.ts';
import {
  ERRORS,
  type ErrorCode,
  insufficient,
  internal,
  invalid,
  methodNotAllowed,
  type Problem,
  problem,
  unauthorized,
  unavailable,
} from '../http/problem.ts';
import { problemBody } from '../http/reply.ts';

const REQUEST_ID = '5f0c1a2b3c4d-1z';

/** The body of an error as a client sees it, made by the function that makes it in the API where there is one. */
export function problemExample(code: ErrorCode, siteUrl: string): unknown {
  return problemBody(made(code, siteUrl), { requestId: REQUEST_ID, siteUrl });
}

function made(code: ErrorCode, siteUrl: string): Problem {
  switch (code) {
    case 'invalid_parameter':
      return invalid([{ param: 'limit', reason: 'must be 1 to 100', value: '1000' }]);
    case 'unauthorized':
      return unauthorized();
    case 'insufficient_credits':
      return insufficient(HIGHEST_PRICE, 3, { siteUrl, supportContact: undefined });
    case 'method_not_allowed':
      return methodNotAllowed('GET');
    case 'internal_error':
      return internal();
    case 'unavailable':
      return unavailable();
    case 'holdings_reported_elsewhere':
      return problem(code, ERRORS[code].meaning, { extra: { managers: [REPORTING_MANAGER] } });
    default:
      return problem(code, ERRORS[code].meaning);
  }
}

const REPORTING_MANAGER = {
  name: 'BERKSHIRE HATHAWAY INC',
  cik: '0001067983',
  form13f_file_number: '028-04545',
};

const HIGHEST_PRICE = Math.max(...ENDPOINTS.map((endpoint) => endpoint.credits));
