import { counted } from '../../domain/brief/words/numbers.ts';
import type { Brief } from '../../domain/wire/brief.ts';
import { type Html, html } from '../html.ts';
import { tableOf } from '../table.ts';
import { proven } from './wording.ts';

/**
 * The filings behind the page, and how anyone recomputes its id.
 * @param jsonPath null for a brief that is not stored
 */
export function proofSection(brief: Brief, jsonPath: string | null): Html {
  const { evidence, evidence_scope, brief_id, facts_id, manifest } = brief;
  const more = evidence_scope.manifest_evidence_id_count - evidence.length;
  return html`<section aria-labelledby="proof">
<h2 id="proof">Proof</h2>
${evidence.length === 0 ? html`<p>No filing is behind this brief.</p>` : filingTable(brief, more)}
<h3>Recompute the id</h3>
<p>The id is the SHA-256 of the content. Nobody can change a number on this page without changing its address.</p>
<ol>
<li>Take ${jsonPath === null ? 'the brief as JSON, as the API answers it,' : html`<a href="${jsonPath}">the brief as JSON</a>`} and its object <code>data</code>.</li>
<li>Remove <code>brief_id</code>, <code>generated_at</code>, and <code>retrieved_at</code> of each entry of <code>evidence</code>: times are no content.</li>
<li>Write it as canonical JSON (RFC 8785) and hash it with SHA-256. Put <code>ccm_</code> before the hexadecimal digits.</li>
</ol>
<dl class="ids">
<div><dt>Brief</dt><dd><code>${brief_id}</code></dd></div>
<div><dt>Facts, the same until something about the stock changes</dt><dd><code>${facts_id}</code></dd></div>
<div><dt>Algorithm</dt><dd><code>${manifest.algorithm_version}</code></dd></div>
</dl>
</section>`;
}

function filingTable({ evidence }: Brief, more: number): Html {
  const rows = evidence.map((filing) => [
    proven(filing.accession_number, filing),
    filing.form_type,
    html`<span class="nowrap">${filing.published_at.value.slice(0, 10)}</span>`,
    html`<code class="hash">${filing.raw_hash ?? 'a data set of the SEC, without a hash'}</code>`,
  ]);
  return html`<details>
<summary>${counted(evidence.length, 'filing')} with the hash of ${evidence.length === 1 ? 'its' : 'their'} bytes</summary>
${tableOf({
  name: 'Filings behind the brief',
  caption: more > 0 ? `${more} more filings are behind the totals. The id binds them by their digest.` : null,
  columns: [
    { title: 'Filing' },
    { title: 'Form', isShort: true },
    { title: 'Filed', isShort: true },
    { title: 'Hash of the bytes' },
  ],
  rows,
})}
</details>`;
}
