import type { Express, Request, Response } from 'express';
import { preflightHeaders } from '../http/base-headers.ts';
import { notedOf } from '../http/noted.ts';
import { methodNotAllowed, type Problem } from '../http/problem.ts';
import { refuse, send } from '../http/reply.ts';
import { requestIdOf } from '../http/request-id.ts';
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

/** Why a request only for reading is refused: its method, or a key in its URL, which would be logged. */
export function readProblem(req: Request): Problem | null {
  if (req.method !== 'GET' && req.method !== 'HEAD') return methodNotAllowed(READ_METHODS);
  return keyInUrl(req.originalUrl);
}

/** @param more request headers that the route reads in addition */
export function preflight(req: Request, res: Response, allow: string, more: readonly string[] = []): void {
  send(res, requestIdOf(req), { status: 204, headers: preflightHeaders(allow, more), body: null });
}
