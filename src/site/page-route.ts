import type { Express, Request, Response } from 'express';
import { readProblem } from '../api/endpoint/free-route.ts';
import { refuse } from '../api/http/reply.ts';

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
    const problem = readProblem(req);
    if (problem !== null) return refuse(req, res, problem);
    await answer(req, res);
  });
}
