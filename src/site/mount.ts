import type { Mount } from '../api/app.ts';
import { type Asset, ICON, STYLESHEET } from './assets.ts';
import { landingPage } from './landing.ts';
import { SAMPLE_FILE } from './sample.ts';
import { addPage, sendAsset, sendPage } from './send-page.ts';

const ASSETS: readonly Asset[] = [STYLESHEET, ICON, SAMPLE_FILE];

/** The site's own pages and files. */
export const mountSite: Mount = (app, api) => {
  const landing = landingPage(api.siteUrl);
  addPage(app, '/', (req, res) => sendPage(req, res, landing, { caching: 'static' }));
  for (const asset of ASSETS) addPage(app, asset.path, (req, res) => sendAsset(req, res, asset));
};
