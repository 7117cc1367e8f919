import type { Cusip } from '../ids.ts';
import type { CusipChange } from '../peers/verdict.ts';
import { isAboutShares, mergeReasons, type Reason } from '../quality/quality.ts';
import { previousQuarterEnd } from '../quarter.ts';
import { compareKeys, mistypedAlone } from '../report/aggregate.ts';
import {
  contributingAccessions,
  doubtedFilings,
  type EffectiveReport,
  isEquity,
  type PositionKey,
  type ReportChanges,
} from '../report/report.ts';
import { type Comparison, carried, exited, initiated } from './change.ts';
import { withSuspectedChanges } from './cusip-change-suspected.ts';
import { type CorporateActionsByCusip, corporateActionsByCusip, restatePrior } from './restate.ts';
import { NO_TRANSFER, transferBetween, withTakenIn } from './transfer.ts';

/**
 * Reasons of the report that every change shows, although they do not make share counts less certain.
 * From the prior report only those on how its counts were read and on missing rows, because it proves
 * what was not held before.
 */
const SHOWN: ReadonlySet<Reason> = new Set([
  'entry_total_mismatch',
  'identical_positions',
  'manager_reorganised',
  'text_table',
  'value_total_mismatch',
  'value_unit_dollars_before_2023',
  'value_unit_thousands_after_2023',
  'value_unit_unverified',
]);
const SHOWN_OF_PRIOR: ReadonlySet<Reason> = new Set([
  'entry_total_mismatch',
  'text_table',
  'value_total_mismatch',
]);

/**
 * Changes of a report against the adjacent calendar quarter, over the union of all keys, options and
 * principal included. Without a comparable prior report every key is NEW with the reason. A notice has none.
 * @param prior the manager's own report, or that of the manager whose positions it took over (rule 5.7)
 * @param corporateActions what the filers of the quarter imply together
 * @param earlier CUSIP changes of earlier quarters that still count, the newest first
 */
export function diffReports(
  current: EffectiveReport,
  prior: EffectiveReport | null,
  corporateActions: CorporateActionsByCusip = corporateActionsByCusip([]),
  earlier: readonly CusipChange[] = [],
): ReportChanges {
  const priorQuarterEnd = previousQuarterEnd(current.quarterEnd);
  const adjacent = prior?.quarterEnd === priorQuarterEnd ? prior : null;
  const obstacles = obstaclesOf(current, adjacent);
  const comparable = obstacles.length === 0 && adjacent !== null;
  const shared = mergeReasons(
    obstacles,
    reasonsAboutShares(current),
    current.reasons.filter((reason) => SHOWN.has(reason)),
    comparable ? reasonsOfComparison(current, adjacent) : [],
  );
  const isPriorDoubted = comparable && adjacent.reasons.includes('value_unit_unverified');
  const transfer = comparable ? transferBetween(adjacent, current) : NO_TRANSFER;
  const before = comparable
    ? withTakenIn(restatePrior(adjacent.positions, current.positions, corporateActions, earlier), transfer)
    : [];
  const comparison: Comparison = {
    comparable,
    shared,
    sharedWithPrior: isPriorDoubted ? mergeReasons(shared, ['value_unit_unverified']) : shared,
    corporateActions,
    given: comparable ? givenIn(current, adjacent, corporateActions) : new Set(),
    moved: new Set(comparable ? current.moved.flatMap(({ cusips }) => cusips) : []),
    transfer,
    mistyped: mistypedOf(current, adjacent),
    confidentialOmitted: current.confidentialOmitted,
    priorConfidentialOmitted: adjacent?.confidentialOmitted ?? false,
    accessions: contributingAccessions(current),
    priorAccessions: comparable ? contributingAccessions(adjacent) : [],
  };
  const merged = mergeByKey(current.positions, before, {
    entered: (now) => initiated(now, comparison),
    left: (prior) => exited(prior, comparison),
    stayed: (now, prior) => carried(now, prior, comparison),
  });
  const changes = comparable ? withSuspectedChanges(merged, corporateActions, earlier) : merged;
  const priorDoubted = comparable ? doubtedFilings(adjacent) : [];
  return { report: current, priorQuarterEnd, priorDoubted, comparable, reasons: shared, changes };
}

/** An unusable CUSIP in both reports is the same security in both, so it explains no change. */
function mistypedOf(current: EffectiveReport, prior: EffectiveReport | null): Comparison['mistyped'] {
  const { mistyped } = prior ?? current;
  return {
    now: mistypedAlone(current.mistyped, mistyped),
    before: mistypedAlone(mistyped, current.mistyped),
  };
}

/** What the manager was given for shares of a target that it held before, and holds no more (rule 4.9). */
function givenIn(
  current: EffectiveReport,
  prior: EffectiveReport,
  { mergers }: CorporateActionsByCusip,
): ReadonlySet<Cusip> {
  if (mergers.length === 0) return new Set();
  const held = ({ positions }: EffectiveReport) =>
    new Set(positions.filter(isEquity).map(({ cusip }) => cusip));
  const [before, now] = [held(prior), held(current)];
  const ofHeld = mergers.filter(({ from }) => before.has(from) && !now.has(from));
  return new Set(ofHeld.map(({ cusip }) => cusip));
}

function reasonsOfComparison(current: EffectiveReport, prior: EffectiveReport): Reason[] {
  return [
    ...reasonsAboutShares(prior),
    ...prior.reasons.filter((reason) => SHOWN_OF_PRIOR.has(reason)),
    ...(current.cik === prior.cik ? [] : ['manager_reorganised' as const]),
  ];
}

/** Why the two are not comparable; empty when they are. Only two tables can be compared. */
function obstaclesOf(current: EffectiveReport, prior: EffectiveReport | null): Reason[] {
  if (current.state === 'notice') return ['reported_elsewhere'];
  const own: Reason[] = current.state === 'incomparable' ? ['supplement_without_base'] : [];
  if (!hasShares(current)) own.push('shares_equal_value');
  if (prior?.state === 'notice') return [...own, 'no_prior_comparable_filing', 'reported_elsewhere'];
  const isPriorUsable = prior?.state === 'holdings' && hasShares(prior);
  return isPriorUsable && own.length === 0 ? [] : [...own, 'no_prior_comparable_filing'];
}

/** A table whose share counts repeat its values has no share counts to compare (rule 2.3). */
function hasShares({ reasons }: EffectiveReport): boolean {
  return !reasons.includes('shares_equal_value');
}

/**
 * A doubt about which rows are in a report concerns all its rows. A doubt about the scale of its values
 * concerns none, because changes are judged by shares (rule 5.8).
 */
function reasonsAboutShares(report: EffectiveReport): Reason[] {
  return report.reasons.filter(isAboutShares);
}

/** What becomes of a key that is in one list alone, or in both. */
export type Meetings<Now, Before, Found> = {
  readonly entered: (now: Now) => Found;
  readonly left: (before: Before) => Found;
  readonly stayed: (now: Now, before: Before) => Found;
};

/**
 * All keys of two lists, each in the order of {@link compareKeys} and without a key twice, in that order.
 * One linear pass, without a map or a text for each key.
 */
export function mergeByKey<Now extends PositionKey, Before extends PositionKey, Found>(
  current: readonly Now[],
  prior: readonly Before[],
  { entered, left, stayed }: Meetings<Now, Before, Found>,
): Found[] {
  const found: Found[] = [];
  let p = 0;
  for (const now of current) {
    let before = prior[p];
    let order = before === undefined ? 1 : compareKeys(before, now);
    while (before !== undefined && order < 0) {
      found.push(left(before));
      p += 1;
      before = prior[p];
      order = before === undefined ? 1 : compareKeys(before, now);
    }
    if (before !== undefined && order === 0) {
      found.push(stayed(now, before));
      p += 1;
    } else found.push(entered(now));
  }
  for (const before of prior.slice(p)) found.push(left(before));
  return found;
}
