import type { Endpoint } from '../../api/endpoint/endpoint.ts';
import { exampleOf } from '../../api/endpoint/examples.ts';
import { ERRORS, type ErrorCode } from '../../api/http/problem.ts';
import { problemExample } from '../../api/openapi/responses.ts';
import { samplesOf } from '../../api/openapi/samples.ts';
import { type Html, html } from '../html.ts';
import { page } from '../page.ts';
import { errorsTable, everyField, explanation, parametersTable, priceText, route } from './endpoint-parts.ts';
import { inline, listing, paragraphs } from './prose.ts';

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
