import type { Mount } from '../api/app.ts';
import { type Asset, ICON, STYLESHEET } from './assets.ts';
import { addPage } from './page-route.ts';
import { sendAsset } from './send-page.ts';

const ASSETS: readonly Asset[] = [STYLESHEET, ICON];

/** The site's own pages and files. */
export const mountSite: Mount = (app) => {
  for (const asset of ASSETS) addPage(app, asset.path, (req, res) => sendAsset(req, res, asset));
};
