import type { Mount } from '../../api/app.ts';
import { ENDPOINTS } from '../../api/endpoints/index.ts';
import { ERRORS, type ErrorCode, errorPath } from '../../api/http/problem.ts';
import { SCRIPTED } from '../assets.ts';
import { addKept, addPage, keptPage, keptText, sendingAsset } from '../send-page.ts';
import { changelogPage } from './changelog-page.ts';
import { endpointPage, errorPage, REFERENCE_SCRIPT, referencePage } from './endpoint-page.ts';
import { endpointPath } from './endpoint-parts.ts';
import { guidePage } from './guide.ts';
import { llmsText } from './llms.ts';
import { sandboxBriefs } from './prose.ts';
import { termsPage } from './terms.ts';

/**
 * `/docs`, `/changelog`, `/terms`, a page for each endpoint and each error code, `/docs/reference` with its files, and `/llms.txt`.
 * Each is built at its first call, and stays: none depends on the caller.
 */
export const mountDocs: Mount = (app, api) => {
  const { siteUrl, limits, signUp } = api;
  const scripted = (path: string, render: () => string | Promise<string>): void =>
    addKept(app, path, async (res) => keptPage(res, await render(), SCRIPTED));
  scripted('/docs', async () => guidePage({ siteUrl, limits, signUp, sandbox: await sandboxBriefs() }));
  scripted('/docs/reference', referencePage);
  addKept(app, '/changelog', (res) => keptPage(res, changelogPage()));
  addKept(app, '/terms', (res) => keptPage(res, termsPage(api)));
  for (const code of Object.keys(ERRORS) as ErrorCode[]) {
    scripted(errorPath(code), () => errorPage(code, siteUrl));
  }
  for (const endpoint of ENDPOINTS) {
    scripted(endpointPath(endpoint), () => endpointPage(endpoint, siteUrl));
  }
  addPage(app, REFERENCE_SCRIPT.path, sendingAsset(REFERENCE_SCRIPT));
  addKept(app, '/llms.txt', () => keptText(Buffer.from(llmsText(siteUrl)), 'text/markdown; charset=utf-8'));
};
