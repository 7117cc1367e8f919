import { REASONS, type Reason } from '../quality/quality.ts';
import { previousQuarterEnd } from '../quarter.ts';
import type { Outcome } from '../wire/brief.ts';
import type { LegCoverage, Legs } from './facts.ts';
import type { BriefInput } from './input.ts';

/** All that decides the outcome. */
export type OutcomeFacts = {
  readonly resolution: 'resolved' | 'unknown' | 'ambiguous';
  /** Counted 13F observations and counted trades. */
  readonly observed: number;
  readonly isSuppressed: boolean;
  readonly isLimited: boolean;
};

/** The first condition that applies decides (rule 8.3). */
export function outcomeOf(facts: OutcomeFacts): Outcome {
  if (facts.resolution === 'ambiguous') return 'refused';
  if (facts.resolution === 'unknown' || facts.observed === 0) return 'no_data';
  if (facts.isSuppressed) return 'uncertain';
  return facts.isLimited ? 'partial' : 'complete';
}

export function outcomeFacts(input: BriefInput, coverage: LegCoverage, legs: Legs): OutcomeFacts {
  return {
    resolution: input.resolution.kind,
    observed: legs.institutional.counted.length + legs.insiders.trades.length,
    isSuppressed: legs.institutional.isSuppressed,
    isLimited: isLimited(input, coverage, legs),
  };
}

/** The observation stays clear, but positions may be missing from its report or the one before. */
const MISSING_POSITIONS: ReadonlySet<Reason> = new Set([
  'entry_total_mismatch',
  'prior_confidential_omitted',
  'value_total_mismatch',
]);

/** The row is put aside by a rule: replaced, reported twice, or not an open-market trade of the security. */
const PUT_ASIDE: ReadonlySet<Reason> = new Set([
  'duplicate_trade',
  'equity_swap',
  'other_share_class',
  'superseded_by_amendment',
]);

/** The trade is unusable, or its weight, security or count is unknown. */
const TRADE_LIMITS: ReadonlySet<Reason> = new Set([
  'acquired_disposed_mismatch',
  'foreign_currency_price',
  'price_implausible',
  'price_missing',
  'price_zero',
  'share_class_unresolved',
  'shares_not_positive',
  'unreconciled_amendment',
]);

/**
 * Whether one of the limits of rule 8.3 holds. Cutting the lists for display limits nothing, because
 * the numbers cover all.
 */
export function isLimited(input: BriefInput, coverage: LegCoverage, { institutional, insiders }: Legs) {
  const hasFullCoverage =
    coverage.thirteen_f.status === 'available' &&
    coverage.form4.status === 'complete' &&
    input.corpus.filingWindow === 'closed';
  if (!hasFullCoverage || lacksReport(input)) return true;
  if (input.resolution.kind === 'resolved' && input.resolution.reasons.length > 0) return true;
  if (institutional.counts.baseline_only > 0) return true;
  return (
    institutional.judged.some(({ quality }) => quality.reasons.some(limitsObservation)) ||
    insiders.considered.some(({ reasons }) => limitsTrades(reasons))
  );
}

/** Managers further behind have stopped reporting. They are named and limit nothing. */
function lacksReport({ corpus: { latestReportedQuarterEnd: latest }, staleQuarters }: BriefInput): boolean {
  return latest !== null && staleQuarters.includes(previousQuarterEnd(latest));
}

function limitsObservation(reason: Reason): boolean {
  return REASONS[reason].effect !== 'clear' || MISSING_POSITIONS.has(reason);
}

function limitsTrades(reasons: readonly Reason[]): boolean {
  const isPutAside = reasons.some((reason) => PUT_ASIDE.has(reason));
  return !isPutAside && reasons.some((reason) => TRADE_LIMITS.has(reason));
}
