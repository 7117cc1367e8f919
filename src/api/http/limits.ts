import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { BASE_HEADERS } from './base-headers.ts';
import { type Problem, problem } from './problem.ts';
import { problemReply, type Reply, send } from './reply.ts';
import { nextId, requestIdOf } from './request-id.ts';

/** Rule 11.4: JSON body 64 KB, URL 8 KB, headers 16 KB. */
export const MAX_BODY_BYTES = 64 * 1024;
export const MAX_URL_BYTES = 8 * 1024;
export const MAX_HEADER_BYTES = 16 * 1024;

const TOO_LONG = problem('uri_too_long', 'The URL is longer than 8 KB.');
const TOO_MANY = problem('headers_too_large', 'The headers are larger than 16 KB.');
const TOO_LARGE = problem('content_too_large', 'The body is larger than 64 KB.');

/** Refuses what is too large before anything looks at it; the connection ends with the answer. */
export function refuseOversize(req: IncomingMessage, res: ServerResponse): boolean {
  const told = oversize(req);
  if (told === null) {
    // No route reads an unannounced body: do not keep a connection that may go on sending.
    if (req.headers['transfer-encoding'] !== undefined) res.shouldKeepAlive = false;
    return false;
  }
  res.shouldKeepAlive = false;
  const requestId = requestIdOf(req);
  send(res, requestId, problemReply(told, requestId));
  return true;
}

function oversize(req: IncomingMessage): Problem | null {
  if ((req.url ?? '').length > MAX_URL_BYTES) return TOO_LONG;
  let bytes = 0;
  for (const text of req.rawHeaders) bytes += text.length + 2;
  if (bytes > MAX_HEADER_BYTES) return TOO_MANY;
  const length = req.headers['content-length'];
  return length !== undefined && Number(length) > MAX_BODY_BYTES ? TOO_LARGE : null;
}

/** What the HTTP parser refuses before there is a request: answered on the bare socket. */
export function answerBroken(error: NodeJS.ErrnoException & { rawPacket?: Buffer }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy();
  const requestId = nextId();
  socket.end(plainText(problemReply(brokenProblem(error), requestId), requestId));
}

function brokenProblem(error: NodeJS.ErrnoException & { rawPacket?: Buffer }): Problem {
  if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT') {
    return problem('request_timeout', 'The request did not arrive in time.');
  }
  if (error.code !== 'HPE_HEADER_OVERFLOW')
    return problem('invalid_parameter', 'This is not an HTTP request.');
  // The parser counts the request line and the headers together: the line's end tells which it was.
  const lineEnd = error.rawPacket?.indexOf('\r\n') ?? -1;
  return lineEnd < 0 || lineEnd > MAX_URL_BYTES ? TOO_LONG : TOO_MANY;
}

function plainText(reply: Reply, requestId: string): string {
  const headers = [...BASE_HEADERS, 'X-Request-Id', requestId, ...reply.headers, 'Connection', 'close'];
  const lines = headers.flatMap((name, at) => (at % 2 === 0 ? [`${name}: ${headers[at + 1] ?? ''}`] : []));
  return `HTTP/1.1 ${reply.status} Refused\r\n${lines.join('\r\n')}\r\n\r\n${reply.body?.toString() ?? ''}`;
}
