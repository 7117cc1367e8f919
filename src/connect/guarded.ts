import type { Request, Response } from 'express';
import { problemFrom } from '../api/metering/with-deadline.ts';
import type { Api } from '../api/open.ts';
import { sendAnswer } from './answer.ts';
import { refusalPage } from './refusal-page.ts';

/** Answers a failure, for example of a service, with a page too. */
export async function guarded(
  api: Api,
  req: Request,
  res: Response,
  run: () => Promise<void>,
): Promise<void> {
  try {
    await run();
  } catch (error) {
    const { status, message, headers = [] } = problemFrom(api, error);
    if (res.headersSent) return void req.socket.destroy();
    sendAnswer(req, res, refusalPage(status, 'Not now', message), headers);
  }
}
