import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { BASE_HEADERS } from './base-headers.ts';
import { nextId } from './noted.ts';
import { invalid, type Problem, problem } from './problem.ts';
import { problemReply, type Reply, refuseAndClose } from './reply.ts';

/** Rule 11.4: JSON body 64 KB, URL 8 KB, headers 16 KB. */
export const MAX_BODY_BYTES = 64 * 1024;
export const MAX_URL_BYTES = 8 * 1024;
export const MAX_HEADER_BYTES = 16 * 1024;

/** Of one connection: until the headers and the whole request have arrived, and how long it is kept without one. */
export const HEADERS_MS = 10_000;
export const REQUEST_MS = 15_000;
export const KEPT_IDLE_MS = 65_000;

const URL_TOO_LONG = problem('uri_too_long', 'The URL is longer than 8 KB.');
const HEADERS_TOO_LARGE = problem('headers_too_large', 'The headers are larger than 16 KB.');
export const BODY_TOO_LARGE = problem('content_too_large', 'The body is larger than 64 KB.');

/** Refuses what is too large before anything else reads it. The connection ends with the answer. */
export function refuseOversize(req: IncomingMessage, res: ServerResponse): boolean {
  const tooLarge = oversize(req);
  if (tooLarge !== null) {
    refuseAndClose(req, res, tooLarge);
    return true;
  }
  // A body of unknown length may go on after the answer, so the connection is not kept.
  if (req.headers['transfer-encoding'] !== undefined) res.shouldKeepAlive = false;
  return false;
}

function oversize(req: IncomingMessage): Problem | null {
  if ((req.url ?? '').length > MAX_URL_BYTES) return URL_TOO_LONG;
  let bytes = 0;
  for (const text of req.rawHeaders) bytes += text.length + 2;
  if (bytes > MAX_HEADER_BYTES) return HEADERS_TOO_LARGE;
  const length = req.headers['content-length'];
  return length !== undefined && Number(length) > MAX_BODY_BYTES ? BODY_TOO_LARGE : null;
}

type ParserError = NodeJS.ErrnoException & { readonly rawPacket?: Buffer };

/** Answers on the bare socket what the HTTP parser refuses before there is a request. */
export function answerBroken(siteUrl: string) {
  return (error: ParserError, socket: Socket): void => {
    if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy();
    const requestId = nextId();
    socket.end(plainText(problemReply(brokenProblem(error), { requestId, siteUrl }), requestId));
  };
}

function brokenProblem(error: ParserError): Problem {
  if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT') {
    return problem('request_timeout', 'The request did not arrive in time.');
  }
  if (error.code !== 'HPE_HEADER_OVERFLOW')
    return problem('invalid_parameter', 'This is not an HTTP request.');
  // The parser has one limit for the request line and the headers. The end of the line shows which it was.
  const lineEnd = error.rawPacket?.indexOf('\r\n') ?? -1;
  return lineEnd < 0 || lineEnd > MAX_URL_BYTES ? URL_TOO_LONG : HEADERS_TOO_LARGE;
}

function plainText(reply: Reply, requestId: string): string {
  const headers = [...BASE_HEADERS, 'X-Request-Id', requestId, ...reply.headers, 'Connection', 'close'];
  const lines = headers.flatMap((name, at) => (at % 2 === 0 ? [`${name}: ${headers[at + 1] ?? ''}`] : []));
  return `HTTP/1.1 ${reply.status} Refused\r\n${lines.join('\r\n')}\r\n\r\n${reply.body?.toString() ?? ''}`;
}

const UNCLEAR_HOST = invalid([{ param: 'Host', reason: 'must be sent once in HTTP/1.1' }]);
const UNKNOWN_VERSION = invalid([{ param: 'HTTP version', reason: 'must be 1.0 or 1.1' }]);
const NOT_EXPECTED = problem('expectation_failed', 'Only "Expect: 100-continue" is supported.');

/**
 * Refuses what servers may understand differently: HTTP/1.1 without a Host, two of them (RFC 9112 3.2), and
 * HTTP/0.9, whose answers have no head. Returns true when the request was refused.
 */
export function refuseUnclear(req: IncomingMessage, res: ServerResponse): boolean {
  const isKnown = req.httpVersion === '1.1' || req.httpVersion === '1.0';
  const hosts = timesIn(req.rawHeaders, 'host');
  if (isKnown && hosts <= 1 && (hosts === 1 || req.httpVersion === '1.0')) return false;
  refuseAndClose(req, res, isKnown ? UNCLEAR_HOST : UNKNOWN_VERSION);
  return true;
}

/** How often a header was sent. Node keeps the first of some repeated headers and hides the others. */
export function timesIn(rawHeaders: readonly string[], name: string): number {
  let seen = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const given = rawHeaders[at];
    if (given?.length === name.length && given.toLowerCase() === name) seen += 1;
  }
  return seen;
}

/** Refuses any expectation except `100-continue`, which Node answers itself (RFC 9110 10.1.1). */
export function refuseExpectation(req: IncomingMessage, res: ServerResponse): void {
  refuseAndClose(req, res, NOT_EXPECTED);
}

/** The body of a request; `aborted` when the client closed the connection while sending it. */
type ReadBody =
  | { readonly kind: 'read'; readonly bytes: Buffer }
  | { readonly kind: 'too_large' }
  | { readonly kind: 'aborted' };

/** Reads at most 64 KB, announced or not, and stops there. The request stays open, so it can be answered. */
export async function readBody(req: IncomingMessage): Promise<ReadBody> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of req.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      size += chunk.byteLength;
      if (size > MAX_BODY_BYTES) return { kind: 'too_large' };
      chunks.push(chunk);
    }
  } catch {
    return { kind: 'aborted' };
  }
  return { kind: 'read', bytes: Buffer.concat(chunks) };
}
