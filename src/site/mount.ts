import type { Request, Response } from 'express';
import type { Mount } from '../api/app.ts';
import { noRoute } from '../api/nearest-route.ts';
import { type Asset, ICON, PREVIEW, SCRIPT, SCRIPTED, STYLESHEET } from './assets.ts';
import { html } from './html.ts';
import { landingPage } from './landing.ts';
import { page, ROBOTS, securityText } from './page.ts';
import { SAMPLE_FILE } from './sample.ts';
import { addKept, addPage, keptPage, sendingAsset, sendMoved, sendPage, sendText } from './send-page.ts';

const ASSETS: readonly Asset[] = [STYLESHEET, SCRIPT, ICON, PREVIEW, SAMPLE_FILE];

/** The site's own pages and files. */
export const mountSite: Mount = (app, api) => {
  const { supportContact: contact, siteUrl, store } = api;
  const plain = 'text/plain; charset=utf-8';
  addPage(app, '/robots.txt', (req, res) => sendText(req, res, ROBOTS, plain));
  // Browsers ask for it by this name where there is no page to name the icon.
  addPage(app, '/favicon.ico', (req, res) => sendMoved(req, res, ICON.path));
  // RFC 9116 asks for a contact: without one there is no such file.
  if (contact !== undefined) {
    addPage(app, '/.well-known/security.txt', (req, res) =>
      sendText(req, res, securityText(contact, siteUrl, store.now()), plain),
    );
  }
  addKept(app, '/', (res) => keptPage(res, landingPage(siteUrl), SCRIPTED));
  for (const asset of ASSETS) addPage(app, asset.path, sendingAsset(asset));
};

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
