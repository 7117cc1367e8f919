import type { Endpoint } from '../../api/endpoint/endpoint.ts';
import { exampleOf } from '../../api/endpoint/examples.ts';
import { creditText, ERRORS, type ErrorCode, errorPath } from '../../api/http/problem.ts';
import { explanationOf } from '../../api/openapi/document.ts';
import { samplesOf } from '../../api/openapi/samples.ts';
import { type Html, html } from '../html.ts';
import { page } from '../page.ts';
import { DOCS_STYLE } from './assets.ts';
import { parameterRows } from './endpoint-parameters.ts';
import { inline, listing, paragraphs, table } from './prose.ts';

/** Where the page of an endpoint is. */
export function endpointPath({ name }: Endpoint): string {
  return `/docs/endpoints/${name}`;
}

/** One endpoint on a page of its own, whole without scripts: parameters, requests, an answer, errors. */
export function endpointPage(endpoint: Endpoint, siteUrl: string): string {
  const { name, path, title, summary, credits } = endpoint;
  return page({
    title,
    description: `GET /v1${path}: ${summary}.`,
    path: '/docs',
    scripted: true,
    head: html`<link rel="stylesheet" href="${DOCS_STYLE.href}">
`,
    body: html`<article>
<p class="eyebrow">${credits === 0 ? 'Free' : creditText(credits)} a call</p>
<h1>${title}</h1>
<p class="route"><code>GET /v1${path}</code></p>
<p class="lead">${summary}.</p>
${paragraphs(...explanationOf(endpoint).split('\n\n'))}
${parametersSection(endpoint)}
<h2 id="request">Request</h2>
${samplesOf(endpoint, siteUrl).map(({ label, source }) => html`<h3>${label}</h3>${listing(source, `Request in ${label}`)}`)}
<p>${inline('The clients `tidemark-client` and `tidemark_client` come with the service:')} <a href="/docs#clients">how to install them</a>. As an agent tool it is <code>${name}</code>${spelling(name)}.</p>
<h2 id="answer">Answer</h2>
<p>A real answer to this request, with long lists shortened. Every field is in the <a href="${referencePath(endpoint)}">reference</a>.</p>
<div class="answer">${listing(JSON.stringify(exampleOf(name), null, 2), 'A recorded answer')}</div>
${errorsSection(endpoint)}
<p><a href="/docs#credits">All endpoints</a> · <a href="/docs">Docs</a></p>
</article>`,
  });
}

/** The reference lists each operation below its tag. */
export function referencePath({ path }: Endpoint): string {
  return `/docs/reference#tag/${path.split('/')[1] ?? ''}/GET${path}`;
}

function spelling(name: string): Html | null {
  return name.includes('.') ? html`, also spelled <code>${name.replaceAll('.', '_')}</code>` : null;
}

function parametersSection(endpoint: Endpoint): Html {
  const rows = parameterRows(endpoint);
  if (rows.length === 0) return html`<h2 id="parameters">Parameters</h2><p>None.</p>`;
  const columns = ['Parameter', 'Value', 'What'].map((title) => ({ title }));
  return html`<h2 id="parameters">Parameters</h2>
${table('Parameters', columns, rows)}`;
}

/** What every metered call can meet, and the errors of this one. */
const COMMON: readonly ErrorCode[] = ['invalid_parameter', 'unauthorized', 'insufficient_credits'];
const LAST: readonly ErrorCode[] = ['rate_limited', 'internal_error', 'unavailable'];

function errorsSection({ errors, credits }: Endpoint): Html {
  const codes = [...COMMON, ...errors, ...LAST].filter(
    (code) => credits > 0 || code !== 'insufficient_credits',
  );
  const rows = codes.map((code) => [
    html`<a href="${errorPath(code)}"><code>${code}</code></a>`,
    html`${ERRORS[code].status}`,
    inline(ERRORS[code].meaning),
  ]);
  return html`<h2 id="errors">Errors</h2>
${table('Errors', [{ title: 'error' }, { title: 'Status', isNumber: true }, { title: 'When' }], rows)}`;
}
