import { ENDPOINTS } from '../api/endpoints/index.ts';
import { grouped } from '../domain/brief/words/numbers.ts';
import type { Brief } from '../domain/wire/brief.ts';
import { agentHosts, snippetsOf, snippetView } from './agent-hosts.ts';
import { changeBar, HATCH, largestOf } from './brief/manager-bars.ts';
import { afterColon, named, signedShares, words } from './brief/wording.ts';
import { type Html, html } from './html.ts';
import { page } from './page.ts';
import { SAMPLE, SAMPLE_FILE } from './sample.ts';

const QUESTION = 'Who is really building or leaving a position, and which filings prove it?';

/** What Tidemark is, a sample, the prices and the first calls. */
export function landingPage(siteUrl: string): string {
  const { brief } = snippetsOf(siteUrl);
  const [agent] = agentHosts(siteUrl);
  const body = html`<div class="hero">
<div class="hero-words">
<p class="eyebrow">SEC Form 13F and Form 4, read together</p>
<h1>${QUESTION}</h1>
<p class="lead">Large managers report to the SEC each quarter what they hold. Insiders report within days what they bought or sold. Tidemark reads both and answers per ticker, with the filing behind every number.</p>
<p class="actions"><a class="button" href="/connect">Get a key</a> <a class="button button-quiet" href="/docs">Read the docs</a></p>
<p class="small soft">For language models: <a href="/llms.txt">llms.txt</a></p>
</div>
${sampleCard()}
</div>
${PROMISE}
${pricesSection()}
<section aria-labelledby="call">
<h2 id="call">One call, or one tool</h2>
<div class="columns snippets">${snippetView(brief)}${agent === undefined ? null : snippetView(agent)}</div>
<p class="actions"><a class="button" href="/connect">Get a key</a> <a href="/docs#agents">Other agents</a> <a href="/docs">Quickstart and reference</a></p>
</section>`;
  return page({ title: '', description: QUESTION, path: '/', body, scripted: true });
}

const PROMISE = html`<section class="promise" aria-labelledby="promise">
<h2 id="promise">What you can hold us to</h2>
<dl>
<div><dt>Evidence, not opinion</dt><dd>Every change names its filing, with the address at the SEC and the hash of the bytes.</dd></div>
<div><dt>Ids anyone can recompute</dt><dd>A brief’s id is a hash of its content. The same filings give the same id on your machine, offline.</dd></div>
<div><dt>Gaps are named</dt><dd>The answer lists what is late, uncertain, split or not covered. An uncertain number never decides the direction.</dd></div>
<div><dt>Charged last</dt><dd>Credits leave the balance when the whole answer is ready. Errors are free, and so is a retry with an idempotency key.</dd></div>
</dl>
</section>`;

function pricesSection(): Html {
  const byPrice = [...ENDPOINTS].sort((a, b) => b.credits - a.credits);
  const rows = byPrice.map(
    ({ path, summary, credits, name }) => html`<tr>
<th scope="row"><code>/v1${path}</code><span class="below">${summary}</span></th>
<td class="tool"><code class="nowrap">${name}</code></td>
<td class="number nowrap">${credits === 0 ? 'free' : credits}</td>
</tr>`,
  );
  return html`<section aria-labelledby="prices">
<h2 id="prices">${ENDPOINTS.length} endpoints, each an agent tool too</h2>
<p class="soft">One credit is one US cent.</p>
<table class="prices">
<thead><tr><th scope="col">GET</th><th scope="col" class="tool">Agent tool</th><th scope="col" class="number">Credits</th></tr></thead>
<tbody>${rows}</tbody>
</table>
</section>`;
}

const MOST = largestOf(SAMPLE.institutional.changes);

/** The sample brief as a card: who moved, by how much, and in which filing; sold to the left, bought to the right. */
function sampleCard(): Html {
  const { entity, headline, institutional, insiders, corroboration, coverage, brief_id } = SAMPLE;
  return html`<section class="card sample" aria-labelledby="sample">
<p class="eyebrow">A real brief, as of ${insiders.window_end}</p>
<h2 id="sample">${entity.name} <span class="soft">${entity.ticker}</span></h2>
<p>${afterColon(headline)}</p>
<table class="sample-table">
<thead><tr><th scope="col">Manager, and the filing</th><th scope="col" class="number">Change in shares</th></tr></thead>
<tbody>${institutional.changes.map(changeRow)}</tbody>
</table>
${HATCH}
<dl class="facts">
<div><dt>Institutions</dt><dd>${words(institutional.stance)}</dd></div>
<div><dt>Insiders</dt><dd>${words(insiders.stance)}</dd></div>
<div><dt>Do they agree?</dt><dd>${words(corroboration)}</dd></div>
<div><dt>What it cannot know</dt><dd>${coverage.limitations.length} limitations</dd></div>
</dl>
<p class="sample-id"><span class="soft">Id, a hash of the content:</span> <code>${brief_id}</code></p>
<p><a href="/briefs/${brief_id}">The whole brief as a page</a> · <a href="${SAMPLE_FILE.href}">as JSON</a></p>
</section>`;
}

function changeRow(change: Brief['institutional']['changes'][number]): Html {
  const filing = SAMPLE.evidence.find((item) => item.evidence_id === change.evidence_ids[0]);
  const proof = filing === undefined ? null : html`<a href="${filing.human_url}">${filing.form_type}</a>`;
  return html`<tr>
<th scope="row">${named(change.fund.name)}<span class="below">${words(change.action)} · ${proof}</span>${changeBar(change, MOST)}</th>
<td class="number"><strong>${signedShares(change.share_delta)}</strong><span class="below">${grouped(change.previous_shares)} → ${grouped(change.current_shares)}</span></td>
</tr>`;
}
