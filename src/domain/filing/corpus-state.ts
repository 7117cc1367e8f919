import type { FilingWindow } from '../calendar.ts';
import type { IsoDate, QuarterEnd } from '../ids.ts';

/** The state of the corpus as a whole, the same for every ticker of one as-of date. */
export type CorpusState = {
  /** Text for `coverage.thirteen_f.corpus`, without host or path. */
  readonly corpus: string;
  /** False when the source states that it has only a selection of EDGAR's filings. */
  readonly sourceComplete: boolean;
  readonly latestReportedQuarterEnd: QuarterEnd | null;
  readonly filingWindow: FilingWindow;
  /** First and last day of the daily indexes reconciled without a gap; null before the first. */
  readonly coverageStart: IsoDate | null;
  readonly indexedThrough: IsoDate | null;
  /** First and last day of the latest quarter for which no daily prices are stored; absent where none is missing. */
  readonly pricesMissing?: { readonly from: IsoDate; readonly through: IsoDate };
  /**
   * Filings that could not be parsed and are excluded from all figures, without those that an operator ignores.
   * `digest`: of all of them, by which a reader knows that they are others; absent where there are none.
   */
  readonly quarantined: { readonly thirteenF: number; readonly form4: number; readonly digest?: string };
};
