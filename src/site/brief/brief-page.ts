import { capitalChangeBrief } from '../../api/endpoints/brief.ts';
import { creditText } from '../../api/http/problem.ts';
import { counted, grouped, percentWords } from '../../domain/brief/words/numbers.ts';
import type { Brief } from '../../domain/wire/brief.ts';
import { type Html, html } from '../html.ts';
import { page } from '../page.ts';
import { tableOf } from '../table.ts';
import { diffPath } from './diff-page.ts';
import { insidersSection } from './insider-dots.ts';
import { managersSection } from './manager-bars.ts';
import { afterColon, filingsOf, proven, signedShares, usd, words } from './wording.ts';

/** The page of exactly these numbers (rule 11.20), and their bytes. */
export function briefPaths(briefId: string) {
  return { page: `/briefs/${briefId}`, json: `/briefs/${briefId}.json` };
}

/** `isSuperseded`: the ticker shows another brief now, which is paid for. */
type StoredAs = { readonly isSuperseded: boolean };

/** @param stored null for a brief that is not stored: nothing stands at its address */
export function briefPage(brief: Brief, stored: StoredAs | null): string {
  const { entity, headline, requested_ticker, brief_id } = brief;
  const { page: path, json } = briefPaths(brief_id);
  const name = entity.name === '' ? requested_ticker : entity.name;
  const filings = filingsOf(brief);
  const body = html`<div class="brief-head">
<p class="eyebrow">Capital-change brief, as of ${brief.insiders.window_end}</p>
<h1>${name} <span class="soft">${requested_ticker}</span></h1>
<p class="lead">${afterColon(headline)}</p>
<p><span class="badge">${words(brief.outcome)}</span> ${entity.ticker === '' ? null : html`<a href="/stocks/${entity.ticker}">All holders of ${entity.ticker}</a>`}</p>
</div>
${stored?.isSuperseded === true ? newer(brief) : null}
${managersSection(brief, filings)}
${insidersSection(brief.insiders, filings)}
${totalsSection(brief)}
${gapsSection(brief)}
${proofSection(brief, stored === null ? null : json)}
<p class="small soft">${brief.explanation}</p>
<p class="small soft">${brief.disclaimer}</p>`;
  return page({
    title: `${requested_ticker} as of ${brief.insiders.window_end}`,
    description: headline,
    path,
    body,
    scripted: true,
  });
}

/** Leads to the newer brief by its price, never by its id: whoever has an older page has not bought it. */
function newer({ requested_ticker, brief_id }: Brief): Html {
  return html`<div class="notice" role="note"><p>There is <a href="/stocks/${requested_ticker}/brief">a newer brief of ${requested_ticker}</a>, for ${creditText(capitalChangeBrief.credits)}. Its id at the end of <code>${diffPath(brief_id, '…')}</code> opens what changed. This page stays as it is.</p></div>`;
}

/** What the brief cannot know, in its own sentences, and the doubts with one example each. */
function gapsSection(brief: Brief): Html {
  const { limitations, limitation_codes } = brief.coverage;
  const scoped = limitations.map((sentence, at) => ({ sentence, scope: limitation_codes[at]?.scope }));
  const sentencesOf = (scope: string) =>
    scoped.filter((one) => one.scope === scope).map(({ sentence }) => html`<li>${sentence}</li>`);
  const [own, common] = [sentencesOf('ticker'), sentencesOf('corpus')];
  return html`<section aria-labelledby="gaps">
<h2 id="gaps">What is not known</h2>
${own.length === 0 ? html`<p>Nothing limits what is said of this stock alone.</p>` : html`<ul>${own}</ul>`}
${doubts(brief)}
${common.length === 0 ? null : html`<h3>In every brief of this day</h3><ul>${common}</ul>`}
</section>`;
}

function doubts(brief: Brief): Html | null {
  const { groups } = brief.quality_artifacts;
  if (groups.length === 0) return null;
  const filings = filingsOf(brief);
  const rows = groups.map(({ reason, severity, observation_count, description, examples }) => {
    const [example] = examples;
    const links = (example?.evidence_ids ?? []).map((id) =>
      proven(` ${id.split(':').at(-1)}`, filings.get(id)),
    );
    return [
      html`${words(reason)}<span class="below">${severity}</span>`,
      observation_count,
      html`${description}${example === undefined ? null : html`<span class="below">${example.detail}${links}</span>`}`,
    ];
  });
  return html`<h3>Doubts and corrections</h3>
${tableOf({
  name: 'Doubts by reason',
  columns: [{ title: 'Reason' }, { title: 'How often', isNumber: true }, { title: 'What it means' }],
  rows,
})}`;
}

/**
 * The filings behind the page, and how anyone recomputes its id.
 * @param jsonPath null for a brief that is not stored
 */
function proofSection(brief: Brief, jsonPath: string | null): Html {
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

type Fact = readonly [label: string, value: Html | string];

/** Both legs in figures, and whether they agree. */
function totalsSection({ institutional, insiders, corroboration, corroboration_detail }: Brief): Html {
  const { totals, options } = institutional;
  const percent =
    totals.net_pct_of_held === null ? '' : ` (${percentWords(totals.net_pct_of_held)} of those held)`;
  const held: Fact[] = [
    ['Net change in shares', `${signedShares(totals.net_share_delta)}${percent}`],
    ['At the price of the reports', usd(totals.net_value_usd)],
    ['Shares held', `${grouped(totals.shares_before)} → ${grouped(totals.shares_now)}`],
    ['Managers up and down', `${totals.holders_up} up, ${totals.holders_down} down`],
  ];
  if (options.managers > 0) held.push(['Managers with options', String(options.managers)]);
  const traded: Fact[] = [
    ['Insider purchases', usd(insiders.totals.buy_value_usd)],
    ['Insider sales', usd(insiders.totals.sell_value_usd)],
    ['of these by plan', usd(insiders.totals.plan_sell_value_usd)],
    ['of these for taxes or with an exercise', usd(insiders.totals.tax_or_exercise_sell_value_usd)],
  ];
  const shared = corroboration_detail.shared_ciks.length;
  const without =
    shared === 0
      ? ''
      : `, without ${shared} ${shared === 1 ? 'insider who is' : 'insiders who are'} also a manager here`;
  return html`<section aria-labelledby="totals">
<h2 id="totals">Totals</h2>
<p>Do insiders support the managers? <strong>${words(corroboration)}</strong>${without}.</p>
<div class="columns">${factList(held)}${factList(traded)}</div>
</section>`;
}

function factList(facts: readonly Fact[]): Html {
  return html`<dl class="facts card">${facts.map(([label, value]) => html`<div><dt>${label}</dt><dd>${value}</dd></div>`)}</dl>`;
}
