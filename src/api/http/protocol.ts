import type { IncomingMessage, ServerResponse } from 'node:http';
import { invalid, problem } from './problem.ts';
import { refuseAndClose } from './reply.ts';

const NO_HOST = invalid([{ param: 'Host', reason: 'required in HTTP/1.1' }]);
const NOT_EXPECTED = problem('expectation_failed', 'Only "Expect: 100-continue" is supported.');

/** HTTP/1.1 requires the header (RFC 9112 3.2). Returns true when the request was refused without it. */
export function refuseHostless(req: IncomingMessage, res: ServerResponse): boolean {
  if (req.headers.host !== undefined || req.httpVersion !== '1.1') return false;
  refuseAndClose(req, res, NO_HOST);
  return true;
}

/** Refuses any expectation except `100-continue`, which Node answers itself (RFC 9110 10.1.1). */
export function refuseExpectation(req: IncomingMessage, res: ServerResponse): void {
  refuseAndClose(req, res, NOT_EXPECTED);
}
