import { addDays } from '../calendar.ts';
import { sourceUrl } from '../filing/edgar-url.ts';
import { directionOf } from '../holders/stance.ts';
import type { Accession, Cik, IsoDate } from '../ids.ts';
import { abs, productToCents } from '../money.ts';
import { medianPctDelta, pctDelta, weightPct } from '../ratio.ts';
import type { Brief, Change } from '../wire/brief.ts';
import { cents, type Derived, isTrue, sum, whole } from './derived-member.ts';
import { ofHeadline } from './headline-figures.ts';
import { ofEvidence, ofManifest } from './restated-evidence.ts';

const DAY = '[0-9]{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12][0-9]|3[01])';
const TIME = `${DAY}T(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](?:\\.[0-9]{1,9})?Z`;

/**
 * What a brief states twice, or follows from other members of it: counts, totals, stances, evidence, headline
 * figures. Claims and ids are compared elsewhere. The Python client has the same list, and a test with
 * thousands of forged briefs holds the two together.
 */
export function* derivedMembers(brief: Brief): Generator<Derived> {
  yield* ofTimes(brief);
  yield* ofParameters(brief);
  yield* ofCoverage(brief);
  yield* brief.institutional.changes.flatMap(ofChange);
  yield* ofTotals(brief);
  yield* ofInsiders(brief);
  yield* ofEvidence(brief);
  yield* ofManifest(brief);
  yield* ofHeadline(brief);
}

function* ofTimes({ generated_at, evidence, institutional }: Brief): Generator<Derived> {
  yield matching('generated_at', generated_at, TIME);
  for (const [at, { retrieved_at, published_at }] of evidence.entries()) {
    yield matching(`evidence[${at}].retrieved_at`, retrieved_at, TIME);
    yield published(`evidence[${at}].published_at`, published_at);
  }
  for (const [at, { published_at }] of institutional.changes.entries()) {
    yield published(`institutional.changes[${at}].published_at`, published_at);
  }
}

function published(what: string, { value, precision }: Change['published_at']): Derived {
  return matching(what, value, { day: DAY, second: TIME }[precision]);
}

function matching(what: string, actual: unknown, pattern: string | undefined): Derived {
  const isTime =
    pattern !== undefined && typeof actual === 'string' && new RegExp(`^${pattern}$`).test(actual);
  return [what, isTime ? actual : 'a time as ISO 8601', actual];
}

function* ofParameters(brief: Brief): Generator<Derived> {
  const { manifest, insiders, coverage } = brief;
  const { parameters, quality } = manifest;
  yield ['schema_version', 'capital_change_brief.v1', brief.schema_version];
  yield ['current_only', [true, true], [brief.current_only, manifest.current_only]];
  yield ['manifest.parameters.ticker', brief.requested_ticker, parameters.ticker];
  yield ['manifest.parameters.form4_window_days', insiders.window_days, parameters.form4_window_days];
  const start = addDays(insiders.window_end as IsoDate, -insiders.window_days);
  yield ['insiders.window_start', start, insiders.window_start];
  const window = [insiders.window_start, insiders.window_end];
  yield ['manifest.parameters window', window, [parameters.window_start, parameters.window_end]];
  const { form4, thirteen_f } = coverage;
  yield ['coverage.form4 window', window, [form4.window_start, form4.window_end]];
  const expected = {
    outcome: brief.outcome,
    thirteen_f_status: thirteen_f.status,
    form4_status: form4.status,
    institutional_truncated: thirteen_f.truncated,
    form4_truncated: form4.truncated,
  };
  yield ['manifest.quality', expected, quality];
}

function* ofCoverage({ institutional, coverage, insiders, manifest }: Brief): Generator<Derived> {
  const { counts, changes, periods_observed } = institutional;
  const { thirteen_f, form4, limitations, limitation_codes } = coverage;
  const changed = sum([counts.initiated, counts.added, counts.reduced, counts.exited]);
  const { max_institutional_changes, max_insider_transactions } = manifest.parameters;
  const restated: Partial<typeof thirteen_f> = {
    latest_reported_quarter_end: institutional.latest_reported_quarter_end,
    managers_with_comparable_change: changed,
    baseline_observations: counts.baseline_only,
    observations_scanned: thirteen_f.observations_total,
    observations_displayed: Math.min(changed, sum([max_institutional_changes])),
    periods_observed,
    stale_manager_observations: institutional.stale_manager_observations,
    truncated: changed > changes.length,
  };
  yield ['coverage.thirteen_f', { ...thirteen_f, ...restated }, thirteen_f];
  yield ['institutional.changes', thirteen_f.observations_displayed, changes.length];
  const tracked = sum(Object.values(counts));
  yield ['institutional.tracked_managers_observed', tracked, institutional.tracked_managers_observed];
  yield ['institutional.periods_observed', tracked, sum(periods_observed.map(({ managers }) => managers))];
  const trades = sum([insiders.counts.buys, insiders.counts.sells]);
  yield ['coverage.form4.truncated', trades > insiders.transactions.length, form4.truncated];
  yield ['insiders.transactions', true, insiders.transactions.length <= sum([max_insider_transactions])];
  yield ['coverage.limitation_codes', limitations.map(() => 0), limitation_codes.map(() => 0)];
}

function ofChange(change: Change, at: number): Derived[] {
  const [now, before] = [whole(change.current_shares), whole(change.previous_shares)];
  const what = `institutional.changes[${at}]`;
  const moved = now > before ? 'added' : 'reduced';
  const action = before === 0n ? 'initiated' : now === 0n ? 'exited' : moved;
  return [
    [`${what}.share_delta`, String(now - before), change.share_delta],
    [`${what}.pct_delta`, pctDelta(now, before), change.pct_delta],
    [`${what}.action`, action, change.action],
  ];
}

function* ofTotals({ institutional, quality_artifacts }: Brief): Generator<Derived> {
  const { totals, changes, stance } = institutional;
  const net = whole(totals.net_share_delta);
  const gross = whole(totals.gross_share_delta);
  const before = whole(totals.shares_before);
  yield ['totals.net_share_delta', String(whole(totals.shares_now) - before), totals.net_share_delta];
  yield ['totals.net_pct_of_held', before === 0n ? null : weightPct(net, before), totals.net_pct_of_held];
  const up = { exists: totals.holders_up > 0, amount: (gross + net) / 2n };
  const down = { exists: totals.holders_down > 0, amount: (gross - net) / 2n };
  const stances = { up: 'net_increases', down: 'net_decreases', mixed: 'mixed', none: 'unchanged' } as const;
  const isOpen = ['none_found', 'not_determined', 'unchanged'].includes(stance);
  const isUndecided = isTrue(quality_artifacts.suppresses_direction) || (!up.exists && !down.exists);
  yield ['institutional.stance', isUndecided, isOpen];
  if (!isUndecided) yield ['institutional.stance', stances[directionOf(up, down)], stance];
  const deltas = changes.map(({ share_delta }) => abs(whole(share_delta)));
  yield [
    'order of institutional.changes',
    deltas.toSorted((a, b) => (a < b ? 1 : -1)).map(String),
    deltas.map(String),
  ];
  yield* ofShownChanges(institutional, { up: up.amount, down: down.amount });
}

type Moved = { readonly up: bigint; readonly down: bigint };

/** Where every change is on display, the totals are theirs. */
function* ofShownChanges(
  { totals, counts, changes }: Brief['institutional'],
  { up, down }: Moved,
): Generator<Derived> {
  const clear = changes.filter(({ quality }) => quality.status === 'clear');
  const changed = counts.initiated + counts.added + counts.reduced + counts.exited;
  if (changed !== changes.length) return;
  const [risen, fallen] = [clear.filter(isUp), clear.filter((change) => !isUp(change))];
  yield ['totals.holders', [risen.length, fallen.length], [totals.holders_up, totals.holders_down]];
  yield ['totals of changes', [moved(risen), moved(fallen)].map(String), [up, down].map(String)];
  const shown = ['initiated', 'added', 'reduced', 'exited'] as const;
  const actions = shown.map((name) => changes.filter(({ action }) => action === name).length);
  yield ['institutional.counts', actions, shown.map((name) => counts[name])];
  if (counts.unchanged > 0) return;
  const kept = clear.map((change) => [whole(change.current_shares), whole(change.previous_shares)] as const);
  const median = medianPctDelta(kept.filter(([now, then]) => now > 0n && then > 0n));
  yield ['totals.median_pct_delta', median, totals.median_pct_delta];
}

function isUp({ share_delta }: Change): boolean {
  return whole(share_delta) > 0n;
}

function moved(changes: readonly Change[]): bigint {
  return changes.reduce((total, { share_delta }) => total + abs(whole(share_delta)), 0n);
}

function* ofInsiders({ insiders, entity }: Brief): Generator<Derived> {
  const { counts, transactions, totals } = insiders;
  const trades = counts.buys + counts.sells;
  yield ['insiders.counts', trades, sum([counts.priced, counts.unpriced])];
  for (const [at, item] of transactions.entries()) {
    const what = `insiders.transactions[${at}]`;
    const { accession_number: accession, evidence_ids } = item;
    yield [`${what}.issuer.cik`, entity.cik, item.issuer.cik];
    yield [`${what}.accession_number`, accession, item.transaction_id.slice(0, 20)];
    yield [`${what}.evidence_ids`, true, evidence_ids.includes(`sec:form4:${accession}`)];
    yield [`${what}.source_url`, sourceUrl(item.issuer.cik as Cik, accession as Accession), item.source_url];
    if (item.value_usd !== null) {
      const product = productToCents(String(item.shares), String(item.price_per_share));
      yield [`${what}.value_usd`, String(product), String(cents(item.value_usd))];
    }
    yield [`${what}.form_type`, isTrue(item.amendment.is_amendment) ? '4/A' : '4', item.form_type];
  }
  if (trades !== transactions.length) return;
  const buys = transactions.filter(({ side }) => side === 'buy').length;
  yield ['insiders.counts of transactions', [buys, trades - buys], [counts.buys, counts.sells]];
  yield ['insiders.counts.priced', transactions.filter(({ priced }) => isTrue(priced)).length, counts.priced];
  yield [
    'insiders.totals',
    [dollarsOf(insiders, 'buy'), dollarsOf(insiders, 'sell')],
    [totals.buy_value_usd, totals.sell_value_usd],
  ];
}

/** Null when there are trades and none has a known price. */
function dollarsOf({ transactions }: Brief['insiders'], of: 'buy' | 'sell'): number | null {
  const own = transactions.filter(({ side }) => side === of);
  const known = own.filter(
    (item) => item.value_usd !== null && !item.quality.reasons.includes('price_implausible'),
  );
  if (known.length === 0 && own.length > 0) return null;
  return known.reduce((total, { value_usd }) => total + cents(value_usd), 0) / 100;
}
