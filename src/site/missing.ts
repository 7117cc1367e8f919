import type { Request, Response } from 'express';
import type { Mount } from '../api/app.ts';
import { noRoute } from '../api/nearest-route.ts';
import { html } from './html.ts';
import { page } from './page.ts';
import { sendPage } from './send-page.ts';

/** What a person gets at an address with nothing behind it. Programs, and all below /v1 and /mcp, get JSON. */
export const mountMissing: Mount = (app) => {
  app.use((req: Request, res: Response, next) => {
    const [path = ''] = req.originalUrl.split('?', 1);
    if (/^\/(v1|mcp)(\/|$)/.test(path) || !wantsPage(req)) return next();
    sendMissingPage(req, res, noRoute(path).message);
  });
};

/** A browser: it prefers HTML, where programs take anything. */
export function wantsPage(req: Request): boolean {
  return req.accepts(['json', 'html']) === 'html';
}

export function sendMissingPage(req: Request, res: Response, message: string): void {
  sendPage(req, res, missingPage(message), { caching: 'private', status: 404 });
}

function missingPage(message: string): string {
  const body = html`<h1>Nothing is here</h1>
<p class="lead">${message}</p>
<p class="actions"><a class="button" href="/">Start</a> <a href="/docs">Docs</a> <a href="/connect">Your account</a></p>`;
  return page({ title: 'Nothing is here', description: 'There is no page at this address.', path: '', body });
}
