import type { Asset } from '../assets.ts';
import { html } from '../html.ts';
import { page } from '../page.ts';
import { REFERENCE_SCRIPT, REFERENCE_STYLE } from './assets.ts';

/** The reference, rendered in the browser from the OpenAPI description; without a renderer it links to that. */
export function referencePage(renderer: Asset | null): string {
  return page({
    title: 'API reference',
    description: 'Every endpoint of Tidemark with its parameters, answers, errors and price.',
    path: '/docs/reference',
    wide: true,
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

const ELSEWHERE = html`read <a href="/openapi.json">/openapi.json</a> or the <a href="/docs">guide</a>.`;

const RENDERED = html`<h1 class="unseen">API reference</h1>
<div id="reference" data-description="/openapi.json"></div>
<noscript><p>The reference needs JavaScript. Without it, ${ELSEWHERE}</p></noscript>`;

const UNRENDERED = html`<h1>API reference</h1>
<p>The renderer of the reference is not installed here: ${ELSEWHERE}</p>`;

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
