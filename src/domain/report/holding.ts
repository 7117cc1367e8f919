import { compare } from '../compare.ts';
import { abs } from '../money.ts';
import { mergeReasons, type Quality, type Reason, reportQualityOf } from '../quality/quality.ts';
import { weightPct } from '../ratio.ts';
import { compareKeys } from './aggregate.ts';
import {
  type EffectiveReport,
  isEquity,
  type Position,
  type PositionChange,
  type ReportChanges,
} from './report.ts';
import { UNMOVED_PARTS } from './thresholds.ts';

/** The equity rows, in the order given. */
export function equityOf(changes: readonly PositionChange[]): readonly PositionChange[] {
  return changes.filter(isEquity);
}

/** The options on shares, in the order given. */
export function optionsOf(changes: readonly PositionChange[]): readonly OptionChange[] {
  return changes.filter(isOption);
}

type OptionChange = PositionChange & { readonly putCall: 'PUT' | 'CALL' };

function isOption(change: PositionChange): change is OptionChange {
  return change.putCall !== null && change.amountType === 'SH';
}

/** Rows as `/funds/{cik}/holdings` shows them: value descending, exits by prior value, then CUSIP. */
export function inDisplayOrder(changes: readonly PositionChange[]): readonly PositionChange[] {
  return changes.toSorted(compareForDisplay);
}

/** With one of these, the value of a position is not a value of the security. */
const UNVALUED: ReadonlySet<Reason> = new Set([
  'implied_price_outlier',
  'amount_implausible',
  'option_side_unknown',
]);

/** Whether the value of a row counts: it is no outlier (rule 4.4), not beyond any (rule 1.6), of no unclear option (2.5). */
export function isValued({ reasons }: { readonly reasons: readonly Reason[] }): boolean {
  return !reasons.some((reason) => UNVALUED.has(reason));
}

/** Cents of all equity positions whose value counts. */
export function aumCents({ positions }: Pick<EffectiveReport, 'positions'>): bigint {
  return positions
    .filter((position) => isEquity(position) && isValued(position))
    .reduce((sum, position) => sum + position.valueCents, 0n);
}

/** AUM without additions in doubt (rule 2.10). */
function weighedCents({ positions }: Pick<EffectiveReport, 'positions'>): bigint {
  return aumCents({ positions: positions.map(withoutDoubted) });
}

/** The position without the value of such additions; its shares stay. */
export function withoutDoubted(position: Position): Position {
  const { doubtedCents = 0n, valueCents } = position;
  return doubtedCents === 0n ? position : { ...position, valueCents: valueCents - doubtedCents };
}

/** With one of these, a row of an addition may be no part of the report, or not at its value. */
const DOUBTS_OF_ADDITIONS: ReadonlySet<Reason> = new Set([
  'value_unit_unverified',
  'partial_restatement_suspected',
  'unrelated_restatement_suspected',
  'restated_thousandfold_suspected',
  'repeated_new_holdings_suspected',
  'amendment_type_missing',
]);

/**
 * The total that the weight of a row refers to. An addition at a wrong scale, or of another manager, would outweigh
 * everything, so it counts only for rows that carry such a doubt themselves. No clear row has a weight based on it.
 */
export function weighedAgainst(
  report: { readonly aumCents: bigint; readonly weighedCents?: bigint },
  { reasons }: { readonly reasons: readonly Reason[] },
): bigint {
  const { weighedCents: weighed = report.aumCents } = report;
  return reasons.some((reason) => DOUBTS_OF_ADDITIONS.has(reason)) ? report.aumCents : weighed;
}

/** Reasons of the report and of its totals. A doubt of an addition concerns its own rows and every total of them. */
export function reasonsOfTotals({
  reasons,
  filings,
}: Pick<EffectiveReport, 'reasons' | 'filings'>): readonly Reason[] {
  return mergeReasons(
    reasons,
    filings.flatMap(({ scaleReasons }) => scaleReasons ?? []),
    filings.flatMap(({ role, doubt }) => (role === 'doubted' && doubt !== undefined ? [doubt] : [])),
  );
}

/** Number of equity positions after aggregation. */
export function equityCount({ positions }: Pick<EffectiveReport, 'positions'>): number {
  return positions.filter(isEquity).length;
}

/** Whether a share count did not change, apart from a small trade (rule 5.3). */
export function stoodStill(now: bigint, before: bigint): boolean {
  return abs(now - before) * UNMOVED_PARTS < before;
}

/** Totals of what is not equity: options (on shares or on principal) and bond principal. */
export function excludedTotals({ positions }: Pick<EffectiveReport, 'positions'>) {
  const total = (chosen: readonly Position[]) => ({
    rows: chosen.length,
    valueCents: chosen.reduce((sum, { valueCents }) => sum + valueCents, 0n),
  });
  return {
    options: total(positions.filter(({ putCall }) => putCall !== null)),
    principal: total(positions.filter(({ putCall, amountType }) => putCall === null && amountType === 'PRN')),
  };
}

function compareForDisplay(a: PositionChange, b: PositionChange): number {
  const aExited = a.change === 'EXITED';
  if (aExited !== (b.change === 'EXITED')) return aExited ? 1 : -1;
  const left = aExited ? a.priorValueCents : a.valueCents;
  const right = aExited ? b.priorValueCents : b.valueCents;
  return compare(right, left) || compareKeys(a, b);
}

/** The totals and the quality of a report as a whole. */
export type ReportSummary = {
  readonly quality: Quality;
  readonly reasons: readonly Reason[];
  /** Equity positions held, without the exited ones. */
  readonly holdingsCount: number;
  readonly aumCents: bigint;
  /** AUM without additions whose scale nothing confirms; left out when it is the same. */
  readonly weighedCents?: bigint;
  /** The value of all rows, options and principal included. */
  readonly reportedValueCents: bigint;
  readonly optionRows: number;
  readonly optionValueCents: bigint;
  readonly principalRows: number;
  readonly principalValueCents: bigint;
};

export function reportSummary({ report, reasons: ofComparison }: ReportChanges): ReportSummary {
  const { options, principal } = excludedTotals(report);
  const [equityCents, weighed] = [aumCents(report), weighedCents(report)];
  const reasons = mergeReasons(report.reasons, ofComparison);
  return {
    quality: reportQualityOf(reasonsOfTotals({ reasons, filings: report.filings })),
    reasons,
    holdingsCount: equityCount(report),
    aumCents: equityCents,
    ...(weighed === equityCents ? {} : { weighedCents: weighed }),
    reportedValueCents: report.positions.reduce((sum, position) => sum + position.valueCents, 0n),
    optionRows: options.rows,
    optionValueCents: options.valueCents,
    principalRows: principal.rows,
    principalValueCents: principal.valueCents,
  };
}

/** The weight of a row in percent of the equity held; 0 when its value is not part of that. */
export function weightsIn(report: EffectiveReport): (change: PositionChange) => number {
  const totals = { aumCents: aumCents(report), weighedCents: weighedCents(report) };
  const unvalued = new Set(
    report.positions.flatMap((position) =>
      isEquity(position) && !isValued(position) ? [position.cusip] : [],
    ),
  );
  return (change) =>
    unvalued.has(change.cusip) ? 0 : weightPct(change.valueCents, weighedAgainst(totals, change));
}
