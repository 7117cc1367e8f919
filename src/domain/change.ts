import type { Accession } from './ids.ts';
import { pctDelta } from './percent.ts';
import type { Reason } from './quality.ts';
import type { ChangeType, Position, PositionChange } from './report.ts';
import { splitSuspected } from './split.ts';

/** Below both, an equity position may be left out of a report (domain 2.6). */
export const OMISSIBLE_SHARES = 10_000n;
export const OMISSIBLE_VALUE_CENTS = 20_000_000n;

const NONE: readonly Reason[] = [];
const TOO_SMALL: readonly Reason[] = ['below_reporting_threshold'];
const EXIT_MAY_BE_HIDDEN: readonly Reason[] = ['confidential_omitted'];
const SPLIT_LIKE: readonly Reason[] = ['split_suspected'];

/** What every row of one comparison shares. */
export type Comparison = {
  readonly comparable: boolean;
  /** Reasons on every change. */
  readonly shared: readonly Reason[];
  /** Of the current report. */
  readonly confidentialOmitted: boolean;
  /** All contributing filings of either report: together they prove that a key is absent from it. */
  readonly accessions: readonly Accession[];
  readonly priorAccessions: readonly Accession[];
};

/** A key in the current report that the prior one lacks, or that has no prior to compare with. */
export function initiated(position: Position, comparison: Comparison): PositionChange {
  const { amount, valueCents } = position;
  return {
    cusip: position.cusip,
    putCall: position.putCall,
    unit: position.unit,
    issuer: position.issuer,
    titleOfClass: position.titleOfClass,
    change: 'NEW',
    amount,
    valueCents,
    priorAmount: 0n,
    priorValueCents: 0n,
    amountDelta: amount,
    pctDelta: 100,
    accessions: position.accessions,
    priorAccessions: comparison.priorAccessions,
    reasons: withReasons(
      comparison.shared,
      position.reasons,
      comparison.comparable && isOmissible(position) ? TOO_SMALL : NONE,
    ),
  };
}

/** A key in the prior report that the current one lacks: the amounts are 0. */
export function exited(position: Position, comparison: Comparison): PositionChange {
  const omitted = comparison.confidentialOmitted ? EXIT_MAY_BE_HIDDEN : NONE;
  const own = isOmissible(position) ? [...omitted, ...TOO_SMALL] : omitted;
  return {
    cusip: position.cusip,
    putCall: position.putCall,
    unit: position.unit,
    issuer: position.issuer,
    titleOfClass: position.titleOfClass,
    change: 'EXITED',
    amount: 0n,
    valueCents: 0n,
    priorAmount: position.amount,
    priorValueCents: position.valueCents,
    amountDelta: -position.amount,
    pctDelta: -100,
    accessions: comparison.accessions,
    priorAccessions: position.accessions,
    reasons: withReasons(comparison.shared, position.reasons, own),
  };
}

/** A key in both reports. HELD is exact equality of the amounts; values do not decide (domain 2.8, 2.9). */
export function carried(now: Position, before: Position, comparison: Comparison): PositionChange {
  const change: PositionChange = {
    cusip: now.cusip,
    putCall: now.putCall,
    unit: now.unit,
    issuer: now.issuer,
    titleOfClass: now.titleOfClass,
    change: directionOf(now.amount, before.amount),
    amount: now.amount,
    valueCents: now.valueCents,
    priorAmount: before.amount,
    priorValueCents: before.valueCents,
    amountDelta: now.amount - before.amount,
    pctDelta: pctDelta(now.amount, before.amount),
    accessions: now.accessions,
    priorAccessions: before.accessions,
    reasons: comparison.shared,
  };
  const split = splitSuspected(change) ? SPLIT_LIKE : NONE;
  if (split.length + now.reasons.length + before.reasons.length === 0) return change;
  return { ...change, reasons: withReasons(comparison.shared, [...now.reasons, ...before.reasons], split) };
}

function directionOf(now: bigint, before: bigint): ChangeType {
  if (now === before) return 'HELD';
  return now > before ? 'ADDED' : 'REDUCED';
}

function isOmissible({ unit, putCall, amount, valueCents }: Position): boolean {
  if (unit !== 'SH' || putCall !== null) return false;
  return amount < OMISSIBLE_SHARES && valueCents < OMISSIBLE_VALUE_CENTS;
}

/** Sorted and unique; the shared array itself when a row adds nothing, as most do not. */
function withReasons(
  shared: readonly Reason[],
  position: readonly Reason[],
  own: readonly Reason[],
): readonly Reason[] {
  if (position.length === 0 && own.length === 0) return shared;
  return [...new Set([...shared, ...position, ...own])].sort();
}
