import { addDays } from '../calendar.ts';
import { humanUrl, sourceUrl } from '../filing/filing.ts';
import { directionOf } from '../holders/stance.ts';
import type { Cik, IsoDate } from '../ids.ts';
import { abs } from '../money.ts';
import { medianPctDelta, pctDelta, weightPct } from '../ratio.ts';
import type { Brief, Change } from '../wire/brief.ts';
import { accessionOf } from './evidence.ts';
import { MAX_EVIDENCE_IDS } from './holder-facts.ts';
import { ofHeadline } from './restated-claims.ts';
import { type Derived, ofInsiders, sum } from './restated-trades.ts';

type Reading = Pick<Brief['evidence'][number], 'evidence_id' | 'raw_hash' | 'parser_version'>;

/**
 * What a brief states twice, or follows from other members of it: counts, totals, stances, evidence, headline
 * figures. Claims and ids are compared elsewhere. The Python client has the same list, and a test with
 * thousands of forged briefs holds the two together.
 */
export function* derivedMembers(brief: Brief): Generator<Derived> {
  yield* ofTimes(brief);
  yield* ofEntity(brief);
  yield* ofParameters(brief);
  yield* ofCoverage(brief);
  yield* brief.institutional.changes.flatMap(ofChange);
  yield* ofTotals(brief);
  yield* ofInsiders(brief);
  yield* ofEvidence(brief);
  yield* ofManifest(brief);
  yield* ofHeadline(brief);
}

function* ofTimes({ evidence, institutional }: Brief): Generator<Derived> {
  for (const { published_at } of [...evidence, ...institutional.changes]) {
    yield ['published_at', published_at.precision === 'day', published_at.value.length === 10];
  }
}

/** Without a ticker nothing is known of the security. */
function* ofEntity({ entity }: Brief): Generator<Derived> {
  if (entity.ticker === '') yield ['entity', { ticker: '', name: '', cusip: '', cik: null }, entity];
}

function* ofParameters(brief: Brief): Generator<Derived> {
  const { manifest, insiders, coverage } = brief;
  const { parameters, quality } = manifest;
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
    observations_displayed: Math.min(changed, max_institutional_changes),
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
  yield ['insiders.transactions', true, insiders.transactions.length <= max_insider_transactions];
  yield ['coverage.limitation_codes', limitations.map(() => 0), limitation_codes.map(() => 0)];
}

function ofChange(change: Change, at: number): Derived[] {
  const [now, before] = [BigInt(change.current_shares), BigInt(change.previous_shares)];
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
  const net = BigInt(totals.net_share_delta);
  const gross = BigInt(totals.gross_share_delta);
  const before = BigInt(totals.shares_before);
  yield ['totals.net_share_delta', String(BigInt(totals.shares_now) - before), totals.net_share_delta];
  yield ['totals.net_pct_of_held', before === 0n ? null : weightPct(net, before), totals.net_pct_of_held];
  const up = { exists: totals.holders_up > 0, amount: (gross + net) / 2n };
  const down = { exists: totals.holders_down > 0, amount: (gross - net) / 2n };
  const stances = { up: 'net_increases', down: 'net_decreases', mixed: 'mixed', none: 'unchanged' } as const;
  const isOpen = ['none_found', 'not_determined', 'unchanged'].includes(stance);
  const isUndecided = quality_artifacts.suppresses_direction || (!up.exists && !down.exists);
  yield ['institutional.stance', isUndecided, isOpen];
  if (!isUndecided) yield ['institutional.stance', stances[directionOf(up, down)], stance];
  const deltas = changes.map(({ share_delta }) => abs(BigInt(share_delta)));
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
  const kept = clear.map(
    (change) => [BigInt(change.current_shares), BigInt(change.previous_shares)] as const,
  );
  const median = medianPctDelta(kept.filter(([now, then]) => now > 0n && then > 0n));
  yield ['totals.median_pct_delta', median, totals.median_pct_delta];
}

function isUp({ share_delta }: Change): boolean {
  return BigInt(share_delta) > 0n;
}

function moved(changes: readonly Change[]): bigint {
  return changes.reduce((total, { share_delta }) => total + abs(BigInt(share_delta)), 0n);
}

function* ofEvidence(brief: Brief): Generator<Derived> {
  const { institutional, insiders, evidence, manifest, evidence_scope } = brief;
  const cited = [...institutional.changes, ...insiders.transactions].flatMap(
    ({ evidence_ids }) => evidence_ids,
  );
  yield ['evidence', [...new Set(cited)], evidence.map(({ evidence_id }) => evidence_id)];
  yield* evidence.flatMap(addressesOf);
  const filings = evidence.map(readingOf).sort((a, b) => (a.evidence_id < b.evidence_id ? -1 : 1));
  yield ['manifest.filings', filings, manifest.filings.map(readingOf)];
  yield ['evidence_scope.returned_object_count', evidence.length, evidence_scope.returned_object_count];
  const listed = manifest.evidence_ids.length;
  yield ['evidence_scope.manifest_evidence_id_count', listed, evidence_scope.manifest_evidence_id_count];
}

type Addressed = Record<'evidence_id' | 'kind' | 'accession_number' | 'source_url' | 'human_url', string>;

/** That an item of evidence leads to the filing that its id names. */
export function addressesOf(item: Addressed, at: number): Derived[] {
  const { evidence_id, kind, accession_number, source_url, human_url } = item;
  const accession = accessionOf(evidence_id);
  const cik = /\/data\/([1-9][0-9]{0,9})\//.exec(source_url)?.[1] as Cik;
  const form = { sec_13f: '13f', sec_form4: 'form4' }[kind] ?? '';
  const urls = [sourceUrl(cik, accession), humanUrl(cik, accession)];
  return [
    [`evidence[${at}].evidence_id`, `sec:${form}:${accession_number}`, evidence_id],
    [`evidence[${at}] addresses`, urls, [source_url, human_url]],
  ];
}

function readingOf({ evidence_id, raw_hash, parser_version }: Reading): Reading {
  return { evidence_id, raw_hash, parser_version };
}

/** Up to a number of ids the manifest lists all, beyond that those on display. */
function* ofManifest({ manifest, evidence, evidence_scope, quality_artifacts }: Brief): Generator<Derived> {
  const { evidence_ids: ids, evidence_id_count } = manifest;
  const isComplete = evidence_id_count <= MAX_EVIDENCE_IDS;
  const examples = quality_artifacts.groups.flatMap(({ examples }) => examples);
  const displayed = [
    ...evidence.map((item) => item.evidence_id),
    ...examples.flatMap((item) => item.evidence_ids),
  ];
  yield [
    'evidence_scope.aggregate_claim_evidence_ids_complete',
    isComplete,
    evidence_scope.aggregate_claim_evidence_ids_complete,
  ];
  const expected = new Set(isComplete ? [...ids, ...displayed] : displayed);
  yield ['manifest.evidence_ids', [...expected].sort(), ids];
  if (isComplete) yield ['manifest.evidence_id_count', ids.length, evidence_id_count];
}
