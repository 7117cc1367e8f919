import type { Express, Request, Response } from 'express';
import { keysIn, queryOf } from '../api/endpoint/text-input.ts';
import { invalid, methodNotAllowed, type Problem } from '../api/http/problem.ts';
import { problemReply, send } from '../api/http/reply.ts';
import { requestIdOf } from '../api/http/request-id.ts';

/**
 * A page or file for GET and HEAD. Other methods get 405. A key in the URL is refused (rule 11.3),
 * because it would stay in histories and logs.
 */
export function addPage(
  app: Express,
  path: string,
  answer: (req: Request, res: Response) => void | Promise<void>,
): void {
  app.all(path, async (req: Request, res: Response) => {
    if (req.method !== 'GET' && req.method !== 'HEAD') return refuse(req, res, methodNotAllowed('GET, HEAD'));
    const details = keysIn(new URLSearchParams(queryOf(req.originalUrl)));
    if (details.length > 0) return refuse(req, res, invalid(details));
    await answer(req, res);
  });
}

function refuse(req: Request, res: Response, problem: Problem): void {
  const requestId = requestIdOf(req);
  send(res, requestId, problemReply(problem, requestId));
}
