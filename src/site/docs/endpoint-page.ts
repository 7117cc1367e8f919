import type { Endpoint } from '../../api/endpoint/endpoint.ts';
import { exampleOf } from '../../api/endpoint/examples.ts';
import { ENDPOINTS } from '../../api/endpoints/index.ts';
import { ERRORS, type ErrorCode } from '../../api/http/problem.ts';
import { tagOf } from '../../api/openapi/document.ts';
import { problemExample } from '../../api/openapi/responses.ts';
import { samplesOf } from '../../api/openapi/samples.ts';
import { readAsset } from '../assets.ts';
import { type Html, html } from '../html.ts';
import { page } from '../page.ts';
import {
  endpointPath,
  errorsTable,
  everyField,
  explanation,
  parametersTable,
  priceText,
  route,
} from './endpoint-parts.ts';
import { chapter, HOW_TO_OPEN, inline, listing, paragraphs } from './prose.ts';

/** One endpoint on a page of its own, whole without scripts: parameters, requests, an answer, errors. */
export function endpointPage(endpoint: Endpoint, siteUrl: string): string {
  const { name, path, title, summary } = endpoint;
  return page({
    title,
    description: `GET /v1${path}: ${summary}.`,
    path: '/docs/reference',
    scripted: true,
    body: html`<article>
<p class="eyebrow">${priceText(endpoint)}</p>
<h1>${title}</h1>
${route(endpoint)}
${explanation(endpoint)}
<h2 id="parameters">Parameters</h2>
${parametersTable(endpoint)}
<h2 id="request">Request</h2>
${samplesOf(endpoint, siteUrl).map(({ label, source }) => html`<h3>${label}</h3>${listing(source, `Request in ${label}`)}`)}
<p>${inline('The clients `tidemark-client` and `tidemark_client` come with the service:')} <a href="/docs#clients">how to install them</a>. As an agent tool it is <code>${name}</code>${spelling(name)}.</p>
<h2 id="answer">Answer</h2>
<p>A real answer to this request, with long lists shortened.</p>
<div class="answer">${listing(JSON.stringify(exampleOf(name), null, 2), 'A recorded answer')}</div>
${everyField(endpoint)}
<h2 id="errors">Errors</h2>
${errorsTable(endpoint)}
<p><a href="/docs/reference">All endpoints</a> · <a href="/docs">Docs</a></p>
</article>`,
  });
}

function spelling(name: string): Html | null {
  return name.includes('.') ? html`, also spelled <code>${name.replaceAll('.', '_')}</code>` : null;
}

/** What an error code means and what to do about it: where `docs_url` of an error leads. */
export function errorPage(code: ErrorCode, siteUrl: string): string {
  const { status, meaning, remedy } = ERRORS[code];
  const example = JSON.stringify(problemExample(code, siteUrl), null, 2);
  return page({
    title: code,
    description: meaning,
    path: '/docs',
    scripted: true,
    body: html`<article>
<p class="eyebrow">Error ${status}</p>
<h1><code>${code}</code></h1>
${paragraphs(meaning, `**What to do.** ${remedy}`, 'Errors cost no credits.')}
${listing(example, 'An error answer')}
<p><a href="/docs#errors">All errors</a> · <a href="/docs/reference">API reference</a></p>
</article>`,
  });
}

/** Every endpoint by group on one page. A script searches it; without one the page is whole, and has no search box. */
export function referencePage(): string {
  const groups = [...new Set(ENDPOINTS.map(tagOf))];
  const contents = ENDPOINTS.map(({ name, title }) => html`<li><a href="#${name}">${title}</a></li>`);
  return page({
    title: 'API reference',
    description: 'Every endpoint of Tidemark with its parameters, answers, errors and price.',
    path: '/docs/reference',
    head: html`<script src="${REFERENCE_SCRIPT.href}" type="module"></script>
`,
    body: html`<div class="guide">
<nav class="guide-contents" aria-label="On this page">
<ul>${contents}</ul>
<p><a href="/docs">Guide</a></p>
</nav>
<article class="reference" id="all">
<h1>API reference</h1>
<p class="lead">Every endpoint with its price, parameters, fields and errors. Programs read the same in <a href="/openapi.json">/openapi.json</a> (OpenAPI 3.1).</p>
<div class="field" role="search" hidden>
<label for="search">Search endpoints, parameters and fields</label>
<input type="search" id="search" autocomplete="off" spellcheck="false" aria-describedby="found">
<p class="hint" id="found" role="status"></p>
</div>
${HOW_TO_OPEN}
${groups.map(group)}
</article>
</div>`,
  });
}

function group(tag: string): Html {
  const chapters = ENDPOINTS.filter((endpoint) => tagOf(endpoint) === tag).map(operation);
  return html`<section class="group" aria-labelledby="group-${tag}">
<h2 id="group-${tag}">${tag}</h2>
${chapters}
</section>
`;
}

function operation(endpoint: Endpoint): Html {
  const { name, path, title } = endpoint;
  const body = html`<p class="eyebrow">${priceText(endpoint)}</p>
${route(endpoint)}
<div class="words">${explanation(endpoint)}</div>
<p><a href="${endpointPath(endpoint)}">Requests and a recorded answer<span class="visually-hidden"> of ${path}</span></a></p>
<div class="part"><h4>Parameters</h4>
${parametersTable(endpoint)}</div>
<div class="part">${everyField(endpoint)}</div>
<div class="part"><details><summary>Errors</summary>
${errorsTable(endpoint)}</details></div>`;
  return chapter({ id: name, title, level: 3, body });
}

/** The search of the reference. */
export const REFERENCE_SCRIPT = readAsset(
  [new URL('reference.js', import.meta.url)],
  '/docs/reference.js',
  'text/javascript; charset=utf-8',
);
