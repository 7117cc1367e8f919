import type { Endpoint } from '../../api/endpoint/endpoint.ts';
import { exampleOf } from '../../api/endpoint/examples.ts';
import { samplesOf } from '../../api/openapi/samples.ts';
import { type Html, html } from '../html.ts';
import { page } from '../page.ts';
import { errorsTable, everyField, explanation, parametersTable, priceText, route } from './endpoint-parts.ts';
import { inline, listing } from './prose.ts';

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
