import type { Mount } from '../api/app.ts';
import { type Asset, ICON, PREVIEW, SCRIPT, SCRIPTED, STYLESHEET } from './assets.ts';
import { ROBOTS, securityText } from './for-crawlers.ts';
import { addKept, keptPage } from './kept-pages.ts';
import { landingPage } from './landing.ts';
import { SAMPLE_FILE } from './sample.ts';
import { addPage, sendingAsset, sendMoved, sendText } from './send-page.ts';

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
