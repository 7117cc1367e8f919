import type { InstitutionalLeg } from '../holders/institutional.ts';
import type { Trade } from '../insider/trade.ts';
import { REASONS, type Reason } from '../quality/quality.ts';
import { previousQuarterEnd } from '../quarter.ts';
import type { Coverage, Outcome } from '../wire/brief.ts';
import type { BriefInput } from './input.ts';
import type { InsiderLeg } from './insider-leg.ts';

/** What decides the outcome, and nothing else. */
export type OutcomeFacts = {
  readonly resolution: 'resolved' | 'unknown' | 'ambiguous';
  /** Counted 13F observations and counted trades. */
  readonly observed: number;
  readonly isSuppressed: boolean;
  readonly hasLimits: boolean;
};

/**
 * First row that applies (rule 8.3):
 *
 * | resolution | observed | suppressed | limits | outcome   |
 * | ---------- | -------- | ---------- | ------ | --------- |
 * | ambiguous  |          |            |        | refused   |
 * | unknown    |          |            |        | no_data   |
 * | resolved   | 0        |            |        | no_data   |
 * | resolved   | > 0      | yes        |        | uncertain |
 * | resolved   | > 0      | no         | some   | partial   |
 * | resolved   | > 0      | no         | none   | complete  |
 */
export function outcomeOf(facts: OutcomeFacts): Outcome {
  if (facts.resolution === 'ambiguous') return 'refused';
  if (facts.resolution === 'unknown' || facts.observed === 0) return 'no_data';
  if (facts.isSuppressed) return 'uncertain';
  return facts.hasLimits ? 'partial' : 'complete';
}

/** Told of an observation that stays clear, although positions may be missing from a report behind it. */
const MISSING_POSITIONS: ReadonlySet<Reason> = new Set([
  'entry_total_mismatch',
  'prior_confidential_omitted',
  'value_total_mismatch',
]);

/** Rows that a rule puts aside: replaced, told twice, or no open-market trade of the security at all. */
const PUT_ASIDE: ReadonlySet<Reason> = new Set([
  'duplicate_trade',
  'equity_swap',
  'other_share_class',
  'superseded_by_amendment',
]);

/** A trade that could not be used, or whose weight, security or count is not known. */
const TRADE_LIMITS: ReadonlySet<Reason> = new Set([
  'acquired_disposed_mismatch',
  'price_implausible',
  'price_missing',
  'price_zero',
  'share_class_unresolved',
  'shares_not_positive',
  'unreconciled_amendment',
]);

/**
 * Something limits the brief when either leg's coverage is less than full, the quarter's window is
 * still open, a manager that held the security a quarter ago has not reported since, the ticker rests
 * on a later source, an observation is uncertain (in its shares or its
 * value), excluded, a mere baseline or of a report that is incomplete by its own account, or a trade
 * is unusable, without a plausible price or not told apart. Cutting the lists for display limits
 * nothing: the numbers cover all.
 */
export function hasLimits(
  input: BriefInput,
  coverage: Omit<Coverage, 'limitations'>,
  { institutional, insiders }: Legs,
): boolean {
  const hasFullCoverage =
    coverage.thirteen_f.status === 'available' &&
    coverage.form4.status === 'complete' &&
    input.corpus.filingWindow === 'closed';
  if (!hasFullCoverage || lacksReport(input)) return true;
  if (input.resolution.kind === 'resolved' && input.resolution.reasons.length > 0) return true;
  if (institutional.counts.baseline_only > 0) return true;
  const isLimited = institutional.judged.some(({ quality }) => quality.reasons.some(limitsObservation));
  return isLimited || insiders.considered.some(limitsTrades);
}

/** Those further behind have ceased to report: they are told and limit nothing. */
function lacksReport({ corpus: { latestReportedQuarterEnd: latest }, staleQuarters }: BriefInput): boolean {
  return latest !== null && staleQuarters.includes(previousQuarterEnd(latest));
}

function limitsObservation(reason: Reason): boolean {
  return REASONS[reason].effect !== 'clear' || MISSING_POSITIONS.has(reason);
}

function limitsTrades({ reasons }: Pick<Trade, 'reasons'>): boolean {
  const isPutAside = reasons.some((reason) => PUT_ASIDE.has(reason));
  return !isPutAside && reasons.some((reason) => TRADE_LIMITS.has(reason));
}

type Legs = { readonly institutional: InstitutionalLeg; readonly insiders: InsiderLeg };

export function outcomeFacts(
  input: BriefInput,
  coverage: Omit<Coverage, 'limitations'>,
  legs: Legs,
): OutcomeFacts {
  return {
    resolution: input.resolution.kind,
    observed: legs.institutional.counted.length + legs.insiders.trades.length,
    isSuppressed: legs.institutional.isSuppressed,
    hasLimits: hasLimits(input, coverage, legs),
  };
}
