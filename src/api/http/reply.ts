import type { IncomingMessage, ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import { BASE_HEADERS, type HeaderList } from './base-headers.ts';
import { siteOf } from './given.ts';
import { requestIdOf } from './noted.ts';
import { errorPath, type Problem } from './problem.ts';

/** A whole answer, built before anything is charged or sent. */
export type Reply = {
  readonly status: number;
  readonly headers: HeaderList;
  /** Null for 204 and 304, which have no body. */
  readonly body: Buffer | null;
};

const JSON_TYPE: HeaderList = ['Content-Type', 'application/json; charset=utf-8'];

/** Money and shares are decimal strings here already; a bigint is an error. */
export function jsonReply(status: number, value: unknown, headers: HeaderList = []): Reply {
  return jsonBody(status, value, ['Cache-Control', 'private, no-store', ...headers]);
}

/** An answer that the client may store and revalidate by its entity tag. */
export function taggedReply(value: unknown, etag: string, headers: HeaderList = []): Reply {
  return jsonBody(200, value, [...caching(etag), ...headers]);
}

/** The answer to a client that has the version of the entity tag. */
export function notModifiedReply(etag: string): Reply {
  return { status: 304, headers: [...caching(etag), 'Vary', 'Accept-Encoding'], body: null };
}

export function problemReply(problem: Problem, at: ProblemAt): Reply {
  return jsonReply(problem.status, problemBody(problem, at), problem.headers ?? []);
}

/** The request that failed, and the address of the service. */
type ProblemAt = { readonly requestId: string; readonly siteUrl: string };

/** The one shape of every error (rule 11.1). */
export function problemBody(problem: Problem, { requestId, siteUrl }: ProblemAt): Record<string, unknown> {
  const { error, message, details, extra } = problem;
  const known = { error, message, request_id: requestId, docs_url: `${siteUrl}${errorPath(error)}` };
  return { ...known, ...(details ? { details } : {}), ...extra };
}

export function lengthOf(body: Buffer): HeaderList {
  return ['Content-Length', String(body.byteLength)];
}

/**
 * Sends an answer. `metered` are the headers that are known only after the charge. One `writeHead` with
 * a flat list and one `end`: Express's own `send` costs several times as much.
 */
export function send(res: ServerResponse, requestId: string, reply: Reply, metered: HeaderList = []): void {
  const headers = BASE_HEADERS.concat('X-Request-Id', requestId, metered, reply.headers);
  res.writeHead(reply.status, headers);
  if (reply.body === null) res.end();
  else res.end(reply.body);
}

/** {@link send} for an error. */
export function sendProblem(
  res: ServerResponse,
  requestId: string,
  problem: Problem,
  metered: HeaderList = [],
): void {
  send(res, requestId, problemReply(problem, { requestId, siteUrl: siteOf(res) }), metered);
}

/** {@link sendProblem} for a request whose id is not read yet. */
export function refuse(req: IncomingMessage, res: ServerResponse, problem: Problem): void {
  sendProblem(res, requestIdOf(req), problem);
}

/** {@link refuse} for a request whose body is not read: the connection ends with the answer. */
export function refuseAndClose(req: IncomingMessage, res: ServerResponse, problem: Problem): void {
  res.shouldKeepAlive = false;
  refuse(req, res, problem);
}

/** Rows as CSV. */
export function csvReply(text: string, headers: HeaderList = []): Reply {
  const body = Buffer.from(text);
  const described = ['Content-Type', 'text/csv; charset=utf-8', 'Cache-Control', 'private, no-store'];
  return { status: 200, headers: [...described, ...headers, ...lengthOf(body)], body };
}

function jsonBody(status: number, value: unknown, headers: HeaderList): Reply {
  return jsonBytes(status, Buffer.from(JSON.stringify(value)), headers);
}

function jsonBytes(status: number, body: Buffer, headers: HeaderList): Reply {
  return { status, headers: [...JSON_TYPE, ...headers, ...lengthOf(body)], body };
}

function caching(etag: string): HeaderList {
  return ['ETag', etag, 'Cache-Control', 'private, no-cache'];
}

/** The client has the version of this entity tag: If-None-Match lists it, or is `*` (RFC 9110 8.8.3.2, weak). */
export function hasCurrent(req: IncomingMessage, etag: string): boolean {
  const condition = req.headers['if-none-match'];
  if (condition === undefined) return false;
  if (condition.trim() === '*') return true;
  const opaque = etag.replace(/^W\//, '');
  return condition.split(',').some((one) => one.trim().replace(/^W\//, '') === opaque);
}

/** `gzip` with a weight above zero; `*` alone is not enough to compress. */
export function acceptsGzip(header: string | string[] | undefined): boolean {
  if (typeof header !== 'string') return false;
  const codings = header.toLowerCase();
  if (!codings.includes('gzip')) return false;
  return codings.split(',').some((one) => {
    const [coding = '', ...parameters] = one.split(';').map((part) => part.trim());
    return coding === 'gzip' && !parameters.some((parameter) => /^q=0(\.0{0,3})?$/.test(parameter));
  });
}

/** Below this, headers and time cost more than they save. */
const MIN_GZIP_BYTES = 1_024;

/**
 * The answer as its client takes it: compressed above 1 KB. The fastest level, because it is done for each call.
 * @param choosesBy other headers of the request that the answer depends on, as `Accept, `
 */
export function encodedFor(req: IncomingMessage, reply: Reply, choosesBy = ''): Reply {
  const { body, headers } = reply;
  if (body === null || headers.includes('Vary')) return reply;
  if (body.byteLength <= MIN_GZIP_BYTES && choosesBy === '') return reply;
  const varied = [...headers, 'Vary', `${choosesBy}Accept-Encoding`];
  if (body.byteLength <= MIN_GZIP_BYTES) return { ...reply, headers: varied };
  if (!acceptsGzip(req.headers['accept-encoding'])) return { ...reply, headers: varied };
  const gzip = gzipSync(body, { level: 1 });
  const length = varied.indexOf('Content-Length');
  const sent = varied.with(length + 1, String(gzip.byteLength));
  return { ...reply, headers: [...sent, 'Content-Encoding', 'gzip'], body: gzip };
}

export type ReadyReplies = ReturnType<typeof readyReplies>;

/** Bytes of one JSON text. */
type Encodings = {
  readonly plain: Buffer;
  readonly gzip: Buffer;
  /** Headers of each answer in addition. */
  readonly more?: HeaderList;
};

/** The three answers of a JSON text that stays in memory. */
export function readyReplies(etag: string, cacheControl: string, { plain, gzip, more = [] }: Encodings) {
  const headers = ['ETag', etag, 'Cache-Control', cacheControl, 'Vary', 'Accept-Encoding', ...more];
  return {
    etag,
    plain: jsonBytes(200, plain, headers),
    gzip: jsonBytes(200, gzip, [...headers, 'Content-Encoding', 'gzip']),
    notModified: { status: 304, headers, body: null },
  };
}

/**
 * Compares the entity tag itself: Node's own fetch adds `Cache-Control: no-cache` to a conditional
 * request, and Express would then never answer 304.
 */
export function chooseReply(req: IncomingMessage, replies: ReadyReplies): Reply {
  if (hasCurrent(req, replies.etag)) return replies.notModified;
  return acceptsGzip(req.headers['accept-encoding']) ? replies.gzip : replies.plain;
}
