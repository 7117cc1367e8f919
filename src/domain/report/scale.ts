import type { InfoTableRow, ThirteenF } from '../filing/filing.ts';
import type { IsoDate } from '../ids.ts';
import { abs } from '../money.ts';
import type { Reason } from '../quality/quality.ts';
import { type EffectiveReport, isContributing, isEquity, type ReportFiling } from './report.ts';
import {
  CONTRADICTING_SHARE,
  DOLLAR_VALUES_FROM,
  HIGH_PRICE_CENTS,
  LOW_PRICE_CENTS,
  MIN_PRICED_ROWS,
  MIN_REPEATING_ROWS,
  REPEATING_SHARE,
} from './thresholds.ts';

/** The two scales: cents for each 1 in the value column. */
export const CENTS_PER_THOUSAND = 100_000n;

export const CENTS_PER_DOLLAR = 100n;

/** How one filing's values become cents; all rows of a filing have one scale. */
export type ScaleDecision = { readonly scaleCents: bigint; readonly reasons: readonly Reason[] };

/** The scale by filing date (not period): thousands before 2023-01-03, then dollars. */
export function valueScaleCents(filedDate: IsoDate): bigint {
  return filedDate < DOLLAR_VALUES_FROM ? CENTS_PER_THOUSAND : CENTS_PER_DOLLAR;
}

/**
 * The scale of the filing date, with `value_unit_unverified` when the filing's own implied prices
 * contradict it. It never rescales: that needs the prices of other filers (rule 4.3).
 */
export function scaleByFiledDate(filing: Pick<ThirteenF, 'header' | 'rows'>): ScaleDecision {
  const scaleCents = valueScaleCents(filing.header.filedDate);
  const tally = noPrices();
  for (const { amount, value } of filing.rows.filter(isEquity)) {
    tallyPrice(tally, { amount, valueCents: value * scaleCents }, scaleCents);
  }
  const isContradicted = judgeOwnPrices(tally) === 'contradicted';
  return { scaleCents, reasons: isContradicted ? ['value_unit_unverified'] : [] };
}

/**
 * The scale that a filing shows by itself. A text table (before 2013) whose middle row has a value above its
 * shares is in dollars: in thousands that is a share of more than 1,000 dollars. Its total in thousands proves
 * that; without such a total it is marked, too (rule 2.2).
 */
export function ownScale(
  filing: Pick<ThirteenF, 'header' | 'rows' | 'textConfidence' | 'declaredValueTotal'>,
): ScaleDecision {
  const dated = scaleByFiledDate(filing);
  const { rows, textConfidence, declaredValueTotal: total } = filing;
  const priced = rows.filter((row) => isEquity(row) && row.amount > 0n && row.value > 0n);
  const above = priced.filter(({ value, amount }) => value > amount).length;
  if (textConfidence === null || dated.scaleCents === CENTS_PER_DOLLAR || above * 2 <= priced.length)
    return dated;
  const sum = rows.reduce((all, { value }) => all + value, 0n);
  const isProven = total !== null && comparedWithTotal(sum, total, rows.length) === 'table_in_dollars';
  if (!isProven && priced.length < MIN_PRICED_ROWS) return dated;
  const reasons: Reason[] = ['value_unit_dollars_before_2023'];
  return {
    scaleCents: CENTS_PER_DOLLAR,
    reasons: isProven ? reasons : [...reasons, 'value_unit_unverified'],
  };
}

/** How many of a filing's own priced equity rows imply an unlikely share price. */
type PriceTally = ReturnType<typeof noPrices>;

/** `otherwise` are rows whose price would be too low or too high at the other scale. */
export function noPrices() {
  return { priced: 0, low: 0, high: 0, otherwise: 0 };
}

/** A row's shares and their value in cents at the scale of its filing's date. */
type Priced = { readonly amount: bigint; readonly valueCents: bigint };

/** Adds a row to the tally if it has a price; `datedCents` is the scale that it was read with. */
export function tallyPrice(tally: PriceTally, { amount, valueCents }: Priced, datedCents: bigint): void {
  if (amount <= 0n || valueCents <= 0n) return;
  tally.priced += 1;
  if (isLow(valueCents, amount)) tally.low += 1;
  else if (isHigh(valueCents, amount)) tally.high += 1;
  const otherCents = datedCents === CENTS_PER_DOLLAR ? CENTS_PER_THOUSAND : CENTS_PER_DOLLAR;
  const [value, shares] = [valueCents * otherCents, amount * datedCents];
  if (isLow(value, shares) || isHigh(value, shares)) tally.otherwise += 1;
}

function isLow(valueCents: bigint, amount: bigint): boolean {
  return valueCents < amount * LOW_PRICE_CENTS;
}

function isHigh(valueCents: bigint, amount: bigint): boolean {
  return valueCents > amount * HIGH_PRICE_CENTS;
}

/**
 * What a filing's own prices say about the scale that they were read with. They confirm it only when
 * half of them would be unlikely at the other scale. A share of 8 dollars would pass for one of 8,000, so
 * it confirms nothing. Of 182 real filings with three prices, one is silent.
 */
export function judgeOwnPrices(tally: PriceTally): 'confirmed' | 'contradicted' | 'silent' {
  const { priced, low, high, otherwise } = tally;
  // Few prices prove nothing against the scale. All of them together confirm it.
  const isPlain = low + high === 0 && otherwise === priced;
  if (priced < MIN_PRICED_ROWS) return priced > 0 && isPlain ? 'confirmed' : 'silent';
  const enough = priced * CONTRADICTING_SHARE;
  if (Math.max(low, high) >= enough) return 'contradicted';
  return otherwise >= enough ? 'confirmed' : 'silent';
}

/**
 * Whether the table repeats its values as share counts, so the shares are unknown. It compares the values
 * as filed, at any scale: no market prices most securities at exactly 1.
 */
export function repeatsValueAsShares(
  sources: readonly { readonly rows: readonly InfoTableRow[] }[],
): boolean {
  let [compared, repeated] = [0, 0];
  for (const { rows } of sources) {
    for (const row of rows) {
      if (!isEquity(row) || row.amount <= 0n || row.value <= 0n) continue;
      compared += 1;
      if (row.amount === row.value) repeated += 1;
    }
  }
  return compared >= MIN_REPEATING_ROWS && repeated >= compared * REPEATING_SHARE;
}

/** A filing by itself, at the scale of its date. */
type FilingAlone = {
  readonly filedDate: IsoDate;
  readonly valueCents: bigint;
  readonly reasons: readonly Reason[];
};

/** The same filing in a report, at the scale that the prices of other filers gave it. */
export type FilingInReport = {
  readonly filing: Pick<ReportFiling, 'scaleCents' | 'role' | 'scaleReasons' | 'doubt'>;
  readonly report: Pick<EffectiveReport, 'reasons'>;
};

/** A filing's own doubt about its scale gives way to that of its report; so does its own correction. */
const ABOUT_SCALE: ReadonlySet<Reason> = new Set([
  'value_unit_unverified',
  'value_unit_dollars_before_2023',
  'value_unit_thousands_after_2023',
]);

/**
 * How the sum of a table compares with the total that the filing declares: equal, or the same number at the other
 * scale. `table_in_thousands`: the total is a thousand times the sum, `table_in_dollars`: a thousandth. Null when it
 * is another number (rule 2.7). Each row and the total may be rounded by half of the larger unit.
 */
export function comparedWithTotal(
  sum: bigint,
  total: bigint,
  rows: number,
): 'equal' | 'table_in_thousands' | 'table_in_dollars' | null {
  const isNear = (left: bigint, right: bigint, unit: bigint): boolean =>
    abs(left - right) * 2n <= (BigInt(rows) + 1n) * unit;
  if (isNear(sum, total, 1n)) return 'equal';
  if (sum <= 0n || total <= 0n) return null;
  if (isNear(sum * 1_000n, total, 1_000n)) return 'table_in_thousands';
  return isNear(sum, total * 1_000n, 1_000n) ? 'table_in_dollars' : null;
}

/**
 * Value and reasons of one filing as its report has them (rules 2.9 and 4.3): at the applied scale, with the
 * report's doubts about it; a supplement has its own. A filing that contributes nothing, or is in no report, has the
 * scale that it shows by itself.
 */
export function filingAsReported(
  { filedDate, valueCents, reasons }: FilingAlone,
  inReport: FilingInReport | null,
): Pick<FilingAlone, 'valueCents' | 'reasons'> {
  const { scaleCents, doubts } = scaleIn(inReport) ?? {
    scaleCents: reasons.includes('value_unit_dollars_before_2023')
      ? CENTS_PER_DOLLAR
      : valueScaleCents(filedDate),
    doubts: reasons,
  };
  const filedScale = valueScaleCents(filedDate);
  const isGiven = (reason: Reason): boolean =>
    ABOUT_SCALE.has(reason) || (reason === 'supplement_without_base' && hasBase(inReport));
  const others = reasons.filter((reason) => !isGiven(reason));
  if (inReport?.filing.doubt !== undefined) others.push(inReport.filing.doubt);
  if (doubts.includes('value_unit_unverified')) others.push('value_unit_unverified');
  if (scaleCents === filedScale) return { valueCents, reasons: others };
  const correction =
    scaleCents > filedScale ? 'value_unit_thousands_after_2023' : 'value_unit_dollars_before_2023';
  return { valueCents: (valueCents * scaleCents) / filedScale, reasons: [...others, correction] };
}

/** A filing that adds to a report has no base of its own; only the report can say that there is none. */
function hasBase(inReport: FilingInReport | null): boolean {
  return inReport !== null && !inReport.report.reasons.includes('supplement_without_base');
}

function scaleIn(inReport: FilingInReport | null) {
  if (inReport === null || !isContributing(inReport.filing)) return null;
  const { scaleCents, role, scaleReasons = [] } = inReport.filing;
  return { scaleCents, doubts: role === 'base' ? inReport.report.reasons : scaleReasons };
}
