import { mergeReasons, type Quality, type Reason, reportQualityOf } from '../quality/quality.ts';
import { weightPct } from '../ratio.ts';
import {
  aumCents,
  equityCount,
  excludedTotals,
  isValued,
  reasonsOfTotals,
  weighedAgainst,
  weighedCents,
} from './holding.ts';
import { type EffectiveReport, isEquity, type PositionChange, type ReportChanges } from './report.ts';

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
