import type { IncomingMessage, ServerResponse } from 'node:http';
import { invalid, type Problem, problem } from './problem.ts';
import { problemReply, send } from './reply.ts';
import { requestIdOf } from './request-id.ts';

const NO_HOST = invalid([{ param: 'Host', reason: 'required in HTTP/1.1' }]);
const NOT_EXPECTED = problem('expectation_failed', 'Only "Expect: 100-continue" is understood.');

/** HTTP/1.1 requires the header (RFC 9112 3.2); true when the request was refused for want of it. */
export function refuseHostless(req: IncomingMessage, res: ServerResponse): boolean {
  if (req.headers.host !== undefined || req.httpVersion !== '1.1') return false;
  refuse(req, res, NO_HOST);
  return true;
}

/** Any expectation but `100-continue`, which Node answers by itself (RFC 9110 10.1.1). */
export function refuseExpectation(req: IncomingMessage, res: ServerResponse): void {
  refuse(req, res, NOT_EXPECTED);
}

function refuse(req: IncomingMessage, res: ServerResponse, told: Problem): void {
  res.shouldKeepAlive = false;
  const requestId = requestIdOf(req);
  send(res, requestId, problemReply(told, requestId));
}
