import { html } from '../site/html.ts';
import { page } from '../site/page.ts';
import type { Answer } from './answer.ts';

/** Why a form is not acted on, as a page of its own. */
export function refusalPage(
  status: number,
  title: string,
  message: string,
): Extract<Answer, { kind: 'page' }> {
  const body = html`<h1>${title}</h1>
<p class="lead">${message}</p>
<p class="actions"><a class="button" href="/connect">Back to Connect</a></p>`;
  const document = page({ title, description: message, path: '/connect', body });
  return { kind: 'page', status, document };
}

export const FOREIGN = refusalPage(
  403,
  'This form was not accepted',
  'It did not come from this site, or it was open for too long. Go back, and send it once more from the page itself.',
);

export const TOO_LARGE = refusalPage(
  413,
  'That is too much',
  'A form may hold at most 64 KB. Nothing was changed.',
);

export const NOT_A_FORM = refusalPage(
  415,
  'That is not a form',
  'Only forms in the usual encoding (application/x-www-form-urlencoded) are read here.',
);

/** @param seconds until it may be tried again */
export function tooMany(seconds: number, what: string): Answer {
  const minutes = Math.ceil(seconds / 60);
  const wait = minutes === 1 ? 'a minute' : `${minutes} minutes`;
  const answer = refusalPage(429, 'Too many tries', `${what} Try again in ${wait}.`);
  return { ...answer, headers: ['Retry-After', String(seconds)] };
}
