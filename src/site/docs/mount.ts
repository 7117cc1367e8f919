import type { Mount } from '../../api/app.ts';
import { ENDPOINTS } from '../../api/endpoints/index.ts';
import { ERRORS, type ErrorCode, errorPath } from '../../api/http/problem.ts';
import { once } from '../../sandbox/open.ts';
import { SCRIPTED } from '../assets.ts';
import { addPage, sendingAsset, sendPage, sendText } from '../send-page.ts';
import { REFERENCE_SCRIPT } from './assets.ts';
import { changelogPage } from './changelog-page.ts';
import { endpointPage } from './endpoint-page.ts';
import { endpointPath } from './endpoint-parts.ts';
import { errorPage } from './error-page.ts';
import { guidePage } from './guide.ts';
import { llmsText } from './llms.ts';
import { referencePage } from './reference.ts';
import { sandboxBriefs } from './sandbox-briefs.ts';
import { termsPage } from './terms.ts';

const SCRIPTED_PAGE = { caching: 'static', policy: SCRIPTED } as const;

/**
 * `/docs`, `/changelog`, `/terms`, a page for each endpoint and each error code, `/docs/reference` with its files, and `/llms.txt`.
 * Each is built once, because none depends on the caller; those that describe every field at the first call.
 */
export const mountDocs: Mount = (app, api) => {
  const { siteUrl, limits, signUp } = api;
  const guide = once(async () => guidePage({ siteUrl, limits, signUp, sandbox: await sandboxBriefs() }));
  const reference = once(async () => referencePage());
  const llms = llmsText(siteUrl);
  const changelog = changelogPage();
  const terms = termsPage(api);
  addPage(app, '/docs', async (req, res) => sendPage(req, res, await guide(), SCRIPTED_PAGE));
  addPage(app, '/docs/reference', async (req, res) => sendPage(req, res, await reference(), SCRIPTED_PAGE));
  addPage(app, '/changelog', (req, res) => sendPage(req, res, changelog, { caching: 'static' }));
  addPage(app, '/terms', (req, res) => sendPage(req, res, terms, { caching: 'static' }));
  for (const code of Object.keys(ERRORS) as ErrorCode[]) {
    const explained = errorPage(code, siteUrl);
    addPage(app, errorPath(code), (req, res) => sendPage(req, res, explained, SCRIPTED_PAGE));
  }
  for (const endpoint of ENDPOINTS) {
    const document = once(async () => endpointPage(endpoint, siteUrl));
    addPage(app, endpointPath(endpoint), async (req, res) =>
      sendPage(req, res, await document(), SCRIPTED_PAGE),
    );
  }
  addPage(app, REFERENCE_SCRIPT.path, sendingAsset(REFERENCE_SCRIPT));
  addPage(app, '/llms.txt', (req, res) => sendText(req, res, llms, 'text/markdown; charset=utf-8'));
};
