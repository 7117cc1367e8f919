import type { Reason } from '../quality/quality.ts';
import { previousQuarterEnd } from '../quarter.ts';
import type { Outcome } from '../wire/brief.ts';
import { coversWindow } from './coverage.ts';
import type { LegCoverage, Legs } from './facts.ts';
import { type HolderFacts, isLimiting } from './holder-facts.ts';
import type { BriefInput } from './input.ts';
import { type InsiderLeg, isPutAside } from './insider-leg.ts';

/** All that decides the outcome. */
export type OutcomeFacts = {
  readonly resolution: 'resolved' | 'unknown' | 'ambiguous';
  /** 13F observations, excluded ones too, and counted trades; filings and rows that cannot be read or used. */
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
  const { holders, insiders } = legs;
  const counted = holders.leg.tracked_managers_observed + insiders.trades.length;
  const { unread: unreadForms, unreadable, contradicting } = insiders;
  const unread = holders.unread.length + unreadForms.length + unreadable.length + contradicting.length;
  return {
    resolution: input.resolution.kind,
    observed: holders.read + insiders.trades.length + unread,
    isSuppressed: holders.isSuppressed || counted === 0,
    isLimited: isLimited(input, coverage, legs),
  };
}

/** The trade is unusable, or its weight, security or count is unknown. */
const TRADE_LIMITS: ReadonlySet<Reason> = new Set([
  'acquired_disposed_mismatch',
  'foreign_currency_price',
  'price_implausible',
  'price_missing',
  'price_of_other_security',
  'price_zero',
  'row_unreadable',
  'share_class_unresolved',
  'shares_not_positive',
  'unreconciled_amendment',
]);

/**
 * Whether something limits what is said of this ticker (rule 8.3). What the corpus lacks for every ticker
 * is in the coverage, and cutting the lists for display limits nothing, because the numbers cover all.
 */
export function isLimited(input: BriefInput, coverage: LegCoverage, legs: Legs): boolean {
  const { holders, insiders } = legs;
  return (
    lacksLeg(input, coverage, insiders) ||
    (input.resolution.kind === 'resolved' && input.resolution.reasons.length > 0) ||
    holders.lacksComparison ||
    lacksReports(input, holders) ||
    insiders.unread.length > 0 ||
    holders.isMoveDoubted ||
    areTradesDoubted(insiders)
  );
}

/** Whether a leg is missing, or incomplete because of its days. */
function lacksLeg(input: BriefInput, { thirteen_f }: LegCoverage, insiders: InsiderLeg): boolean {
  const isHeld = thirteen_f.status === 'available' || thirteen_f.status === 'partial';
  const areTradesRead = insiders.stance !== 'not_available' && coversWindow(input.corpus, insiders.window);
  return !isHeld || !areTradesRead || input.corpus.filingWindow === 'open';
}

/**
 * Managers that held it have not reported since a quarter ago, or filed what cannot be read. Those further behind
 * stopped, and limit nothing.
 */
function lacksReports({ corpus }: BriefInput, { late, unread, leg }: HolderFacts): boolean {
  const { latestReportedQuarterEnd: latest } = corpus;
  const before = latest === null ? null : previousQuarterEnd(latest);
  const silent = late.find(({ quarter_end }) => quarter_end === before)?.managers ?? 0;
  const behind = silent + unread.length;
  return isLimiting(behind, leg.tracked_managers_observed + behind);
}

function areTradesDoubted({ considered }: InsiderLeg): boolean {
  const own = considered.filter((trade) => !isPutAside(trade));
  const doubted = own.filter(({ reasons }) => reasons.some((reason) => TRADE_LIMITS.has(reason)));
  return isLimiting(doubted.length, own.length);
}
