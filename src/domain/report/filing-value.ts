import type { IsoDate } from '../ids.ts';
import type { Reason } from '../quality/quality.ts';
import type { EffectiveReport, ReportFiling } from './report.ts';
import { valueScaleCents } from './scale.ts';

/** A filing by itself, with the unit of its date. */
export type FilingAlone = {
  readonly filedDate: IsoDate;
  readonly valueCents: bigint;
  readonly reasons: readonly Reason[];
};

/** The same filing in a report: with the unit that the prices of other filers gave it there. */
export type FilingInReport = {
  readonly filing: Pick<ReportFiling, 'scaleCents' | 'role' | 'unitReasons'>;
  readonly report: Pick<EffectiveReport, 'reasons'>;
};

/**
 * Value and reasons of one filing as its report has them (rule 4.3): in the unit that it was taken
 * for, with the doubt about it that the report has, or of a supplement its own. A filing that adds nothing to the report was not
 * asked about and keeps the unit of its date.
 */
export function filingAsReported(
  { filedDate, valueCents, reasons }: FilingAlone,
  { filing, report }: FilingInReport,
): Pick<FilingAlone, 'valueCents' | 'reasons'> {
  if (filing.role !== 'base' && filing.role !== 'supplement') return { valueCents, reasons };
  const filedScale = valueScaleCents(filedDate);
  const others = reasons.filter((reason) => reason !== 'value_unit_unverified');
  if (filing.scaleCents === filedScale) {
    const told = filing.role === 'base' ? report.reasons : (filing.unitReasons ?? []);
    const isDoubted = told.includes('value_unit_unverified');
    return { valueCents, reasons: isDoubted ? [...others, 'value_unit_unverified'] : others };
  }
  const correction =
    filing.scaleCents > filedScale ? 'value_unit_thousands_after_2023' : 'value_unit_dollars_before_2023';
  return { valueCents: (valueCents * filing.scaleCents) / filedScale, reasons: [...others, correction] };
}
