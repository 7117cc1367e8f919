import { grouped } from '../domain/brief/words/numbers.ts';
import type { Brief } from '../domain/wire/brief.ts';
import { changeBar, HATCH, largestOf } from './brief/change-bar.ts';
import { afterColon, signedShares, words } from './brief/wording.ts';
import { type Html, html } from './html.ts';
import { SAMPLE, SAMPLE_FILE } from './sample.ts';

const MOST = largestOf(SAMPLE.institutional.changes);

/** The sample brief as a card: who moved, by how much, and in which filing; sold to the left, bought to the right. */
export function sampleCard(): Html {
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
<th scope="row">${titled(change.fund.name)}<span class="below">${words(change.action)} · ${proof}</span>${changeBar(change, MOST)}</th>
<td class="number"><strong>${signedShares(change.share_delta)}</strong><span class="below">${grouped(change.previous_shares)} → ${grouped(change.current_shares)}</span></td>
</tr>`;
}

/** EDGAR writes names in capitals. */
function titled(name: string): string {
  return name.toLowerCase().replace(/\b[a-z]/g, (letter) => letter.toUpperCase());
}
