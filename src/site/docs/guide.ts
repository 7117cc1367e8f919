import { html } from '../html.ts';
import { page } from '../page.ts';
import { credits, errors, idempotency, paging, polling } from './calling.ts';
import { chapter, HOW_TO_OPEN } from './chapter.ts';
import { clients, pandas } from './clients.ts';
import { headers } from './headers.ts';
import { limits } from './limits.ts';
import type { Section, Setting } from './prose.ts';
import { quickstart } from './quickstart.ts';
import { reading, reasons } from './reading.ts';
import { proof, sandbox, versioning } from './trust.ts';

/** In the order of the page. */
const SECTIONS: readonly Section[] = [
  quickstart,
  credits,
  clients,
  pandas,
  polling,
  paging,
  errors,
  idempotency,
  limits,
  headers,
  reading,
  reasons,
  proof,
  sandbox,
  versioning,
];

/** The guide as one page. */
export function guidePage(setting: Setting): string {
  const contents = SECTIONS.map(({ id, title }) => html`<li><a href="#${id}">${title}</a></li>`);
  const bodies = SECTIONS.map(({ id, title, body }) => chapter({ id, title, level: 2, body: body(setting) }));
  return page({
    title: 'Docs',
    description: 'How to call Tidemark: keys, credits, events, errors, proof.',
    path: '/docs',
    scripted: true,
    body: html`<div class="guide">
<nav class="guide-contents" aria-label="On this page">
<ul>${contents}</ul>
<p><a href="/docs/reference">API reference</a></p>
</nav>
<article id="all">
<h1>From a key to proof</h1>
<p class="lead">Tidemark reads Form 13F and Form 4 filings. It answers with what changed, what is not known, and the filings that prove it. All of it is plain HTTP and JSON.</p>
${HOW_TO_OPEN}
${bodies}
</article>
</div>`,
  });
}
