import type { FilingWindow } from '../calendar.ts';
import type { IsoDate, QuarterEnd } from '../ids.ts';

/** What is known of the corpus as a whole, the same for every ticker of one as-of date. */
export type CorpusState = {
  /** Words for `coverage.thirteen_f.corpus`; no host, no path. */
  readonly corpus: string;
  /** False when the source itself says that it lists a selection of EDGAR's filings. */
  readonly sourceComplete: boolean;
  readonly latestReportedQuarterEnd: QuarterEnd | null;
  readonly filingWindow: FilingWindow;
  /** The first and last day whose daily index was reconciled without a gap; null before that. */
  readonly coverageStart: IsoDate | null;
  readonly indexedThrough: IsoDate | null;
  /** Filings that could not be parsed and are not in any number. */
  readonly quarantined: { readonly thirteenF: number; readonly form4: number };
};
