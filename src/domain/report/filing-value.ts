import type { IsoDate } from '../ids.ts';
import type { Reason } from '../quality/quality.ts';
import { type EffectiveReport, isContributing, type ReportFiling } from './report.ts';
import { valueScaleCents } from './scale.ts';

/** A filing by itself, at the scale of its date. */
export type FilingAlone = {
  readonly filedDate: IsoDate;
  readonly valueCents: bigint;
  readonly reasons: readonly Reason[];
};

/** The same filing in a report, at the scale that the prices of other filers gave it. */
export type FilingInReport = {
  readonly filing: Pick<ReportFiling, 'scaleCents' | 'role' | 'scaleReasons'>;
  readonly report: Pick<EffectiveReport, 'reasons'>;
};

/**
 * Value and reasons of one filing as its report has them (rule 4.3): at the applied scale, with the
 * report's doubt about it; a supplement has its own. A filing that contributes nothing keeps the scale of
 * its date, because nothing was decided about it.
 */
export function filingAsReported(
  { filedDate, valueCents, reasons }: FilingAlone,
  { filing, report }: FilingInReport,
): Pick<FilingAlone, 'valueCents' | 'reasons'> {
  if (!isContributing(filing)) return { valueCents, reasons };
  const filedScale = valueScaleCents(filedDate);
  const others = reasons.filter((reason) => reason !== 'value_unit_unverified');
  if (filing.scaleCents === filedScale) {
    const doubts = filing.role === 'base' ? report.reasons : (filing.scaleReasons ?? []);
    const isDoubted = doubts.includes('value_unit_unverified');
    return { valueCents, reasons: isDoubted ? [...others, 'value_unit_unverified'] : others };
  }
  const correction =
    filing.scaleCents > filedScale ? 'value_unit_thousands_after_2023' : 'value_unit_dollars_before_2023';
  return { valueCents: (valueCents * filing.scaleCents) / filedScale, reasons: [...others, correction] };
}
