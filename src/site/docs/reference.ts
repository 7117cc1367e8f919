import { ENDPOINTS } from '../../api/endpoints/index.ts';
import type { Asset } from '../assets.ts';
import { type Html, html } from '../html.ts';
import { page } from '../page.ts';
import { REFERENCE_SCRIPT, REFERENCE_STYLE } from './assets.ts';
import { endpointPath } from './endpoint-page.ts';

/** The reference, rendered in the browser from the OpenAPI description; without a renderer it links to that. */
export function referencePage(renderer: Asset | null): string {
  return page({
    title: 'API reference',
    description: 'Every endpoint of Tidemark with its parameters, answers, errors and price.',
    path: '/docs/reference',
    wide: renderer !== null,
    stylesheet: REFERENCE_STYLE.href,
    head:
      renderer === null
        ? html``
        : html`<script src="${renderer.href}" defer></script>
<script src="${REFERENCE_SCRIPT.href}" defer></script>
`,
    body: renderer === null ? UNRENDERED : RENDERED,
  });
}

const RENDERED = html`<h1 class="unseen">API reference</h1>
<div id="reference" data-description="/openapi.json"></div>
<noscript><p>This page needs JavaScript. Without it, each endpoint has a page, and every field is in <a href="/openapi.json">/openapi.json</a>.</p>
${endpointList()}</noscript>`;

const UNRENDERED = html`<h1>API reference</h1>
<p>Each endpoint has a page. Every field of every answer is in <a href="/openapi.json">/openapi.json</a>: the renderer for it is a development package, which is not installed here.</p>
${endpointList()}`;

function endpointList(): Html {
  const items = ENDPOINTS.map(
    (endpoint) =>
      html`<li><a href="${endpointPath(endpoint)}"><code>${endpoint.path}</code></a> ${endpoint.summary}</li>
`,
  );
  return html`<ul>${items}</ul>`;
}

/**
 * The renderer needs more than the strict policy: its own file, the inline styles that it adds to the
 * page, and calls of the API from its request pane.
 */
export function referencePolicy(siteUrl: string): Readonly<Record<string, string>> {
  return {
    'script-src': "'self'",
    'style-src': "'self' 'unsafe-inline'",
    'connect-src': `'self' ${new URL(siteUrl).origin}`,
    'img-src': "'self' data:",
  };
}
