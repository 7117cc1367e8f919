import type { IsoDate } from '../ids.ts';
import type { Reason } from '../quality/quality.ts';
import { type EffectiveReport, isContributing, type ReportFiling } from './report.ts';
import { CENTS_PER_DOLLAR, valueScaleCents } from './scale.ts';

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

/** A filing's own doubt about its scale gives way to that of its report; so does its own correction. */
const ABOUT_SCALE: ReadonlySet<Reason> = new Set([
  'value_unit_unverified',
  'value_unit_dollars_before_2023',
  'value_unit_thousands_after_2023',
]);

/**
 * Value and reasons of one filing as its report has them (rule 4.3): at the applied scale, with the
 * report's doubt about it; a supplement has its own. A filing that contributes nothing, or is in no report, has the
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
  const others = reasons.filter((reason) => !ABOUT_SCALE.has(reason));
  if (doubts.includes('value_unit_unverified')) others.push('value_unit_unverified');
  if (scaleCents === filedScale) return { valueCents, reasons: others };
  const correction =
    scaleCents > filedScale ? 'value_unit_thousands_after_2023' : 'value_unit_dollars_before_2023';
  return { valueCents: (valueCents * scaleCents) / filedScale, reasons: [...others, correction] };
}

function scaleIn(inReport: FilingInReport | null) {
  if (inReport === null || !isContributing(inReport.filing)) return null;
  const { scaleCents, role, scaleReasons = [] } = inReport.filing;
  return { scaleCents, doubts: role === 'base' ? inReport.report.reasons : scaleReasons };
}
