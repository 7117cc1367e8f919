import type { ServerResponse } from 'node:http';
import { BASE_HEADERS, type HeaderList } from './base-headers.ts';
import type { Problem } from './problem.ts';

/** A whole answer, built before anything is charged or sent. */
export type Reply = {
  readonly status: number;
  readonly headers: HeaderList;
  /** Null for 204 and 304, which have no body. */
  readonly body: Buffer | null;
};

const JSON_TYPE: HeaderList = ['Content-Type', 'application/json; charset=utf-8'];

/** Money and shares are decimal strings before they get here; a bigint left over is an error. */
export function jsonReply(status: number, value: unknown, headers: HeaderList = []): Reply {
  const body = Buffer.from(JSON.stringify(value));
  return {
    status,
    headers: [...JSON_TYPE, 'Cache-Control', 'private, no-store', ...headers, ...lengthOf(body)],
    body,
  };
}

/** An answer that the client may keep and ask about again by its entity tag. */
export function taggedReply(value: unknown, etag: string, headers: HeaderList = []): Reply {
  const body = Buffer.from(JSON.stringify(value));
  const caching: HeaderList = ['ETag', etag, 'Cache-Control', 'private, no-cache'];
  return { status: 200, headers: [...JSON_TYPE, ...caching, ...headers, ...lengthOf(body)], body };
}

/** What a client that has the version of the entity tag is told. */
export function notModifiedReply(etag: string): Reply {
  return { status: 304, headers: ['ETag', etag, 'Cache-Control', 'private, no-cache'], body: null };
}

export function problemReply(problem: Problem, requestId: string): Reply {
  return jsonReply(problem.status, problemBody(problem, requestId), problem.headers ?? []);
}

/** The one shape that every error has (rule 11.1). */
export function problemBody(problem: Problem, requestId: string): Record<string, unknown> {
  const { error, message, details, extra } = problem;
  return { error, message, request_id: requestId, ...(details ? { details } : {}), ...extra };
}

export function lengthOf(body: Buffer): HeaderList {
  return ['Content-Length', String(body.byteLength)];
}

/**
 * Sends an answer. `metered` are the headers that are known only after the charge. One `writeHead`
 * with a flat list and one `end`: what Express's own `send` does costs several times this.
 */
export function send(res: ServerResponse, requestId: string, reply: Reply, metered: HeaderList = []): void {
  const headers = BASE_HEADERS.concat('X-Request-Id', requestId, metered, reply.headers);
  res.writeHead(reply.status, headers);
  if (reply.body === null) res.end();
  else res.end(reply.body);
}
