import type { InstitutionalLeg } from '../holders/institutional.ts';
import { isChange, type JudgedObservation, sharesMoved } from '../holders/judged.ts';
import { REASONS, type Reason } from '../quality/quality.ts';
import { previousQuarterEnd } from '../quarter.ts';
import type { Outcome } from '../wire/brief.ts';
import { coversWindow } from './coverage.ts';
import type { LegCoverage, Legs } from './facts.ts';
import type { BriefInput } from './input.ts';
import type { InsiderLeg } from './insider-leg.ts';

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

/** Rule 8.3: what is in doubt or unread limits a brief from this part of the whole on. */
const LIMITING_PERCENT = 5;

/**
 * Whether something limits what is said of this ticker (rule 8.3). What the corpus lacks for every ticker
 * is in the coverage, and cutting the lists for display limits nothing, because the numbers cover all.
 */
export function isLimited(input: BriefInput, coverage: LegCoverage, legs: Legs): boolean {
  const { institutional, insiders } = legs;
  return (
    lacksLeg(input, coverage, insiders) ||
    (input.resolution.kind === 'resolved' && input.resolution.reasons.length > 0) ||
    lacksComparison(institutional) ||
    lacksReports(input, institutional) ||
    isMoveDoubted(institutional) ||
    areTradesDoubted(insiders)
  );
}

/** Whether a leg is missing, or incomplete because of its days. */
function lacksLeg(input: BriefInput, { thirteen_f }: LegCoverage, insiders: InsiderLeg): boolean {
  const isHeld = thirteen_f.status === 'available' || thirteen_f.status === 'partial';
  const areTradesRead = insiders.stance !== 'not_available' && coversWindow(input.corpus, insiders.window);
  return !isHeld || !areTradesRead || input.corpus.filingWindow === 'open';
}

/** Managers without a comparable quarter before hold too much of what is held. */
function lacksComparison({ counted }: InstitutionalLeg): boolean {
  const baselines = counted.filter(({ action }) => action === 'baseline_only');
  return isLimiting(sharesHeld(baselines), sharesHeld(counted));
}

/** Managers that held it a quarter ago have not reported. Those further behind stopped, and limit nothing. */
function lacksReports({ corpus, staleQuarters }: BriefInput, { counted }: InstitutionalLeg): boolean {
  const { latestReportedQuarterEnd: latest } = corpus;
  const late = staleQuarters.filter((quarter) => latest !== null && quarter === previousQuarterEnd(latest));
  return isLimiting(late.length, counted.length + late.length);
}

function isMoveDoubted({ judged }: InstitutionalLeg): boolean {
  const changes = judged.filter(({ action }) => isChange(action));
  const doubted = changes.filter(({ quality }) => quality.reasons.some(limitsObservation));
  return isLimiting(sharesChanged(doubted), sharesChanged(changes));
}

function areTradesDoubted({ considered }: InsiderLeg): boolean {
  const own = considered.filter(({ reasons }) => !reasons.some((reason) => PUT_ASIDE.has(reason)));
  const doubted = own.filter(({ reasons }) => reasons.some((reason) => TRADE_LIMITS.has(reason)));
  return isLimiting(doubted.length, own.length);
}

function isLimiting(part: bigint | number, whole: bigint | number): boolean {
  return part > 0 && BigInt(part) * 100n >= BigInt(whole) * BigInt(LIMITING_PERCENT);
}

function sharesHeld(observed: readonly JudgedObservation[]): bigint {
  return observed.reduce((sum, { observation }) => sum + observation.currentShares, 0n);
}

function sharesChanged(changes: readonly JudgedObservation[]): bigint {
  return changes.reduce((sum, { observation }) => sum + sharesMoved(observation), 0n);
}

function limitsObservation(reason: Reason): boolean {
  return REASONS[reason].effect !== 'clear' || MISSING_POSITIONS.has(reason);
}
