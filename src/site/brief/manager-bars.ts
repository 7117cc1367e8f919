import { grouped, percentWords } from '../../domain/brief/words/numbers.ts';
import { abs } from '../../domain/money.ts';
import { weightPct } from '../../domain/ratio.ts';
import type { Brief, Change } from '../../domain/wire/brief.ts';
import { type Html, html } from '../html.ts';
import { tableOf } from '../table.ts';
import { type Filings, named, proven, signedShares, words } from './wording.ts';

/** One row per displayed manager: a bar to the right for shares bought, to the left for shares sold. */
export function managersSection(brief: Brief, filings: Filings): Html {
  const { changes, counts } = brief.institutional;
  const moved = counts.initiated + counts.added + counts.reduced + counts.exited;
  return html`<section aria-labelledby="managers">
<h2 id="managers">Managers</h2>
<p>${summary(brief)}</p>
${changes.length === 0 ? null : html`${HATCH}${barTable(brief, { isCut: changes.length < moved, moved, filings })}`}
</section>`;
}

type Shown = { readonly isCut: boolean; readonly moved: number; readonly filings: Filings };

function barTable({ institutional: { changes } }: Brief, { isCut, moved, filings }: Shown): Html {
  const most = largestOf(changes);
  return tableOf({
    name: 'Changes of managers',
    caption: `${isCut ? `The ${changes.length} largest of ${moved} changes.` : 'Every change.'} Sold to the left, bought to the right. Hatched: uncertain, and left out of the direction.`,
    columns: [
      { title: 'Manager' },
      { title: 'Bar', isUnnamed: true },
      { title: 'Change in shares', isNumber: true },
      { title: 'Of its portfolio', isNumber: true },
    ],
    rows: changes.map((change) => changeRow(change, { most, filings })),
    isSortable: true,
  });
}

function summary({ institutional: { stance, counts } }: Brief): string {
  const parts = Object.entries(counts)
    .filter(([, count]) => count > 0)
    .map(
      ([action, count]) => `${count} ${action === 'baseline_only' ? 'without an earlier report' : action}`,
    );
  return `Direction: ${words(stance)}. ${parts.length === 0 ? 'No tracked manager reports the stock' : parts.join(', ')}.`;
}

type Scale = { readonly most: bigint; readonly filings: Filings };

function changeRow(change: Change, { most, filings }: Scale) {
  const { fund, action, quality, share_delta, pct_delta, weight_pct, evidence_ids } = change;
  const doubt =
    quality.status === 'clear' ? null : html` <span class="badge badge-warn">${quality.status}</span>`;
  const percent = action === 'added' || action === 'reduced' ? ` (${percentWords(pct_delta)})` : '';
  const delta = proven(signedShares(share_delta), filings.get(evidence_ids[0] ?? ''));
  return [
    {
      content: html`<a href="/funds/${fund.cik}">${named(fund.name)}</a>${doubt}<span class="below">${action}${percent}, <span class="nowrap">${change.quarter_end}</span>${restatedWords(change)}</span>`,
      sort: fund.name,
    },
    changeBar(change, most),
    {
      content: html`<strong>${delta}</strong><span class="below">${grouped(change.previous_shares)} → ${grouped(change.current_shares)}</span><span class="below">${filingLinks(evidence_ids, filings)}</span>`,
      sort: share_delta,
    },
    { content: `${weight_pct.toFixed(2)} %`, sort: weight_pct },
  ];
}

function restatedWords({ restated }: Change): string | null {
  if (restated === null) return null;
  const { factor_numerator, factor_denominator, from_cusip, reported_previous_shares } = restated;
  if (from_cusip === null && factor_numerator === factor_denominator)
    return `; ${grouped(reported_previous_shares)} before as reported`;
  const cusip = from_cusip === null ? '' : `, from CUSIP ${from_cusip}`;
  return `; ${grouped(reported_previous_shares)} restated ${factor_numerator} for ${factor_denominator}${cusip}`;
}

function filingLinks(evidenceIds: readonly string[], filings: Filings): Html[] {
  return evidenceIds.flatMap((id, at) => {
    const filing = filings.get(id);
    if (filing === undefined) return [];
    const day = filing.published_at.value.slice(0, 10);
    return [
      html`${at > 0 ? ', ' : null}<span class="nowrap">${proven(`${filing.form_type} of ${day}`, filing)}</span>`,
    ];
  });
}

/** A bar reaches so far from the middle to each side. */
const REACH = 100;
const HEIGHT = 14;

/** The pattern of doubtful bars. Referred to by an attribute: from a stylesheet it would be looked up there. */
export const HATCH = html`<svg class="hatch-source" width="0" height="0" aria-hidden="true" focusable="false"><defs><pattern id="hatch" width="5" height="5" patternUnits="userSpaceOnUse" patternTransform="rotate(45)"><rect class="hatch-line" width="2" height="5"/></pattern></defs></svg>`;

/**
 * A change as a bar: to the right for shares bought, to the left for shares sold, hatched where it is doubtful. The
 * page needs {@link HATCH} once.
 * @param most {@link largestOf} the changes that are shown together
 */
export function changeBar({ share_delta, quality }: Change, most: bigint): Html {
  const delta = BigInt(share_delta);
  const width = Math.max(1, Math.round((weightPct(abs(delta), most) * REACH) / 100));
  const side = delta < 0n ? 'sold' : 'bought';
  const at = delta < 0n ? REACH - width : REACH;
  const fill = quality.status === 'clear' ? null : html` fill="url(#hatch)"`;
  const kind = quality.status === 'clear' ? `bar-${side}` : `bar-doubted bar-doubted-${side}`;
  return html`<svg viewBox="0 0 ${2 * REACH} ${HEIGHT}" class="bar-svg" aria-hidden="true" focusable="false"><rect class="${kind}"${fill} x="${at}" y="2" width="${width}" height="${HEIGHT - 4}"/><path class="bar-zero" d="M${REACH} 0v${HEIGHT}"/></svg>`;
}

/** The number of shares of the largest change, which reaches farthest. */
export function largestOf(changes: readonly Change[]): bigint {
  return changes.map(({ share_delta }) => abs(BigInt(share_delta))).reduce(bigger, 0n);
}

function bigger(one: bigint, other: bigint): bigint {
  return one > other ? one : other;
}
