import type { Accession, Cusip } from '../ids.ts';
import {
  distance,
  exactFactor,
  isMovedBy,
  isSmallSplit,
  isTelling,
  isWithin,
  numberOf,
  withoutScaleDoubt,
} from '../peers/split.ts';
import { SPLIT_PRICE_TOLERANCE } from '../peers/thresholds.ts';
import { mergeReasons, type Reason } from '../quality/quality.ts';
import { pctDelta } from '../ratio.ts';
import { nameKey } from '../report/aggregate.ts';
import { stoodStill } from '../report/holding.ts';
import {
  type ChangeType,
  isEquity,
  isOneForOne,
  type Position,
  type PositionChange,
  type PositionKey,
  type Restatement,
} from '../report/report.ts';
import type { CorporateActionsByCusip, PriorPosition } from './restate.ts';
import { OMISSIBLE_SHARES, OMISSIBLE_VALUE_CENTS } from './thresholds.ts';
import type { Transfer } from './transfer.ts';

const NONE: readonly Reason[] = [];

/** What all rows of one comparison have in common. */
export type Comparison = {
  readonly comparable: boolean;
  /** Reasons on every change, sorted. */
  readonly shared: readonly Reason[];
  /** `shared`, and reasons on every change that shows values of the prior report. */
  readonly sharedWithPrior: readonly Reason[];
  readonly confidentialOmitted: boolean;
  readonly priorConfidentialOmitted: boolean;
  /** All contributing filings of each report: together they prove that a key is absent. */
  readonly accessions: readonly Accession[];
  readonly priorAccessions: readonly Accession[];
  /** What the filers of the quarter imply together about its securities. */
  readonly corporateActions: CorporateActionsByCusip;
  /** Securities given for others that only the prior report holds, as in a stock merger. */
  readonly given: ReadonlySet<Cusip>;
  /** Securities that may have come from, or gone into, another manager's report (rule 4.11). */
  readonly moved: ReadonlySet<Cusip>;
  readonly transfer: Transfer;
  /** Issuers that only one of the reports names under an unusable CUSIP. */
  readonly mistyped: { readonly now: ReadonlySet<string>; readonly before: ReadonlySet<string> };
};

/** A key of the current report that the prior one does not have, or that has no comparable prior. */
export function initiated(position: Position, comparison: Comparison): PositionChange {
  const own = comparison.comparable ? initiationReasons(position, comparison) : NONE;
  return changeBetween(position, position, absence(comparison.priorAccessions), {
    change: 'NEW',
    pctDelta: 100,
    reasons: withReasons(comparison.shared, position.reasons, own),
  });
}

function initiationReasons(position: Position, comparison: Comparison): readonly Reason[] {
  const own: Reason[] = [];
  if (isOmissible(position)) own.push('below_reporting_threshold');
  if (isMistyped(position, comparison.mistyped.before)) own.push('cusip_mistyped_elsewhere');
  if (comparison.corporateActions.has(position.cusip, 'mass_entry') || isGiven(position, comparison))
    own.push('probable_corporate_action');
  if (comparison.priorConfidentialOmitted) own.push('prior_confidential_omitted');
  return [...own, ...transferReasons('NEW', position, comparison)];
}

function isGiven(position: PositionKey, { given }: Comparison): boolean {
  return given.has(position.cusip) && isEquity(position);
}

/** Usually empty; then no names are compared. */
function isMistyped({ issuer }: Position, mistyped: ReadonlySet<string>): boolean {
  return mistyped.size > 0 && mistyped.has(nameKey(issuer));
}

/** A key of the prior report that the current one does not have: the current amounts are 0. */
export function exited(position: PriorPosition, comparison: Comparison): PositionChange {
  const own = restatedReasons(position);
  if (comparison.confidentialOmitted) own.push('confidential_omitted');
  if (isOmissible(position)) own.push('below_reporting_threshold');
  if (isMistyped(position, comparison.mistyped.now)) own.push('cusip_mistyped_elsewhere');
  if (comparison.corporateActions.has(position.cusip, 'mass_exit')) own.push('probable_corporate_action');
  own.push(...transferReasons('EXITED', position, comparison));
  return changeBetween(position, absence(comparison.accessions), position, {
    change: 'EXITED',
    pctDelta: -100,
    reasons: withReasons(comparison.sharedWithPrior, position.reasons, own),
  });
}

/** A key in both reports. HELD is exact equality of the amounts; values do not decide (rule 5.2). */
export function carried(now: Position, before: PriorPosition, comparison: Comparison): PositionChange {
  const change = changeBetween(now, now, before, {
    change: directionOf(now.amount, before.amount),
    pctDelta: pctDelta(now.amount, before.amount),
    reasons: withReasons(comparison.sharedWithPrior, now.reasons, before.reasons),
  });
  const own = carriedReasons(change, before, comparison);
  return own.length === 0 ? change : { ...change, reasons: withReasons(change.reasons, NONE, own) };
}

function carriedReasons(
  change: PositionChange,
  before: PriorPosition,
  comparison: Comparison,
): readonly Reason[] {
  const own = splitReasons(change, before, comparison);
  if (isEquity(change) && comparison.transfer.takenIn.has(change.cusip)) own.push('taken_in_stated');
  if (change.change === 'HELD') return own;
  if (isGiven(change, comparison)) own.push('probable_corporate_action');
  return [...own, ...transferReasons(change.change, change, comparison)];
}

/**
 * What is taken in cannot make a position fall, and what is given out cannot make it rise. What the cover lists is
 * part of the count before, where there was one.
 */
function transferReasons(
  change: Exclude<ChangeType, 'HELD'>,
  key: PositionKey,
  { moved, transfer: { takesIn, givesOut, takenIn } }: Comparison,
): Reason[] {
  const own: Reason[] = [];
  const isRise = change === 'NEW' || change === 'ADDED';
  const isStated = isEquity(key) && takenIn.has(key.cusip);
  const isCombined = isRise ? takesIn || (isStated && change === 'NEW') : givesOut;
  if (!isStated && moved.has(key.cusip)) own.push('moved_between_reports');
  if (isCombined) own.push('combination_report');
  return own;
}

/** One side of a change. */
type Side = Pick<Position, 'amount' | 'valueCents' | 'filedValueCents' | 'accessions' | 'rowsUsed'> &
  Partial<Pick<PriorPosition, 'restated'>>;

const NO_ROWS: Position['rowsUsed'] = [];

/** The side of a report that does not have the key: the filings of the report together prove that. */
function absence(accessions: readonly Accession[]): Side {
  return { amount: 0n, valueCents: 0n, filedValueCents: 0n, accessions, rowsUsed: NO_ROWS };
}

function changeBetween(
  key: Position,
  now: Side,
  before: Side,
  { change, pctDelta, reasons }: Pick<PositionChange, 'change' | 'pctDelta' | 'reasons'>,
): PositionChange {
  return {
    cusip: key.cusip,
    putCall: key.putCall,
    amountType: key.amountType,
    issuer: key.issuer,
    titleOfClass: key.titleOfClass,
    change,
    amount: now.amount,
    valueCents: now.valueCents,
    filedValueCents: now.filedValueCents,
    priorAmount: before.amount,
    priorValueCents: before.valueCents,
    restated: before.restated ?? null,
    amountDelta: now.amount - before.amount,
    pctDelta,
    accessions: now.accessions,
    priorAccessions: before.accessions,
    rowsUsed: joined(now.rowsUsed, before.rowsUsed),
    reasons,
  };
}

function joined(now: Position['rowsUsed'], before: Position['rowsUsed']): Position['rowsUsed'] {
  if (now.length === 0) return before;
  return before.length === 0 ? now : [...now, ...before];
}

/** A split that restates the count may be missing in it; one that is suspected makes any other count a doubt. */
function splitReasons(change: PositionChange, before: PriorPosition, { corporateActions }: Comparison) {
  const own = restatedReasons(before);
  const isRestated = before.restated !== undefined && !isOneForOne(before.restated.factor);
  const isLike = isRestated
    ? missedSplit(change, before.restated)
    : change.change !== 'HELD' &&
      change.amountType === 'SH' &&
      (corporateActions.has(change.cusip, 'split_suspected') || isBookedLate(change));
  if (isLike) own.push('split_suspected');
  return own;
}

/** Whether the count is a factor's to the share, and the report's own price moved by its inverse, whatever others say. */
function isBookedLate(change: PositionChange): boolean {
  const [prior, amount] = [Number(change.priorAmount), Number(change.amount)];
  const factor = exactFactor({ prior, amount });
  if (factor === null || isSmallSplit(factor) || Math.abs(amount - prior * factor) > 1) return false;
  if (!isTelling({ prior, amount }, factor)) return false;
  if (!isEquity(change) || change.valueCents <= 0n || change.priorValueCents <= 0n) return false;
  const value = Number(change.valueCents) / Number(change.priorValueCents);
  return isWithin(withoutScaleDoubt(value, change), SPLIT_PRICE_TOLERANCE);
}

function restatedReasons({ restated }: PriorPosition): Reason[] {
  const own: Reason[] = [];
  if (restated !== undefined && restated.fromCusip !== null) own.push('cusip_changed');
  if (restated !== undefined && !isOneForOne(restated.factor)) own.push('split_adjusted');
  return own;
}

/**
 * Whether the report does not show a confirmed split: the filer's share count did not change, or it traded
 * and its price did not change, where a price can tell. Under a new CUSIP, shares are new shares at any price.
 */
function missedSplit(change: PositionChange, restated: Restatement): boolean {
  const { amount, valueCents, priorValueCents } = change;
  const { factor, filedPriorAmount: filed, fromCusip } = restated;
  if (isMovedBy({ prior: Number(filed), amount: Number(amount) }, numberOf(factor))) return false;
  if (stoodStill(amount, filed)) return true;
  if (fromCusip !== null || isSmallSplit(numberOf(factor)) || !isEquity(change)) return false;
  if (valueCents <= 0n || priorValueCents <= 0n) return false;
  const moved = Number(valueCents) / Number(priorValueCents) / (Number(amount) / Number(filed));
  const price = withoutScaleDoubt(moved, change);
  return distance(price) < distance(price * numberOf(factor));
}

function directionOf(now: bigint, before: bigint): ChangeType {
  if (now === before) return 'HELD';
  return now > before ? 'ADDED' : 'REDUCED';
}

function isOmissible(position: Position): boolean {
  return (
    isEquity(position) && position.amount < OMISSIBLE_SHARES && position.valueCents < OMISSIBLE_VALUE_CENTS
  );
}

/** Sorted and unique. Most rows add nothing and keep the shared array. */
function withReasons(shared: readonly Reason[], position: readonly Reason[], own: readonly Reason[]) {
  if (position.length === 0 && own.length === 0) return shared;
  return mergeReasons(shared, position, own);
}
