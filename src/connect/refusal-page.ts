import type { Request, Response } from 'express';
import { problemFrom } from '../api/metering/with-deadline.ts';
import type { Api } from '../api/open.ts';
import { html } from '../site/html.ts';
import { page } from '../site/page.ts';
import { type Answer, type PageAnswer, sendAnswer } from './answer.ts';

/** A page that says why a form was refused. */
export function refusalPage(status: number, title: string, message: string): PageAnswer {
  const body = html`<h1>${title}</h1>
<p class="lead">${message}</p>
<p class="actions"><a class="button" href="/connect">Back to Connect</a></p>`;
  const document = page({ title, description: message, path: '/connect', body });
  return { kind: 'page', status, document };
}

export const FOREIGN = refusalPage(
  403,
  'This form was not accepted',
  'It did not come from this site, or the page was open for too long. Go back and send it again from the page.',
);

export const TOO_LARGE = refusalPage(
  413,
  'The form is too large',
  'A form may hold at most 64 KB. Nothing was changed.',
);

export const NOT_A_FORM = refusalPage(
  415,
  'This is not a form',
  'Only forms in the standard encoding (application/x-www-form-urlencoded) are accepted here.',
);

/** @param seconds until the next try */
export function tooMany(seconds: number, what: string): Answer {
  const minutes = Math.ceil(seconds / 60);
  const wait = minutes === 1 ? 'a minute' : `${minutes} minutes`;
  const answer = refusalPage(429, 'Too many tries', `${what} Try again in ${wait}.`);
  return { ...answer, headers: ['Retry-After', String(seconds)] };
}

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
