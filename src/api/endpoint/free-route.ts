import { gzipSync } from 'node:zlib';
import type { Express, Request, Response } from 'express';
import { sha256Hex } from '../../domain/canonical.ts';
import { preflightHeaders } from '../http/base-headers.ts';
import { notedOf, requestIdOf } from '../http/noted.ts';
import { methodNotAllowed, type Problem } from '../http/problem.ts';
import { chooseReply, type ReadyReplies, readyReplies, refuse, send } from '../http/reply.ts';
import { keyInUrl } from './text-input.ts';

const READ_METHODS = 'GET, HEAD';

/** Adds a route that needs no key and no credits: GET, HEAD and the preflight of a browser. */
export function addFreeRoute(
  app: Express,
  path: string,
  answer: (req: Request, res: Response, requestId: string) => void | Promise<void>,
): void {
  app.all(path, async (req: Request, res: Response) => {
    notedOf(req).route = path;
    if (req.method === 'OPTIONS') return preflight(req, res, READ_METHODS);
    const problem = readProblem(req);
    if (problem !== null) return refuse(req, res, problem);
    await answer(req, res, requestIdOf(req));
  });
}

/** Adds a JSON document for everyone. It is written and compressed at the first request, so a process starts without it. */
export function addDocument(app: Express, path: string, make: () => unknown): void {
  let replies: ReadyReplies | null = null;
  addFreeRoute(app, path, (req, res, requestId) => {
    replies ??= repliesOf(JSON.stringify(make()));
    send(res, requestId, chooseReply(req, replies));
  });
}

function repliesOf(text: string): ReadyReplies {
  const plain = Buffer.from(text);
  const etag = `W/"${sha256Hex(text).slice(0, 32)}"`;
  return readyReplies(etag, 'public, no-cache', { plain, gzip: gzipSync(plain, { level: 9 }) });
}

/** Why a request only for reading is refused: its method, or a key in its URL, which would be logged. */
export function readProblem(req: Request): Problem | null {
  if (req.method !== 'GET' && req.method !== 'HEAD') return methodNotAllowed(READ_METHODS);
  return keyInUrl(req.originalUrl);
}

/** @param more request headers that the route reads in addition */
export function preflight(req: Request, res: Response, allow: string, more: readonly string[] = []): void {
  send(res, requestIdOf(req), { status: 204, headers: preflightHeaders(allow, more), body: null });
}
