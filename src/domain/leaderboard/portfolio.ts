import type { Accession, Cik, Cusip, IsoDate, QuarterEnd } from '../ids.ts';
import type { Reason } from '../quality/quality.ts';
import { fractionOf } from '../ratio.ts';
import { isValued } from '../report/holding.ts';
import { isPriceable } from '../report/implied-price.ts';
import type { EffectiveReport } from '../report/report.ts';

/** A copier takes this many of the largest positions… */
export const COPIED_POSITIONS = 20;
/** …and counts each with at most this many percent of their value together. */
export const POSITION_CAP_PCT = 15n;
const CONCENTRATION_POSITIONS = 10;
const DAY_MS = 86_400_000;

/** What a reader of a portfolio has to know of it. */
export type PortfolioFlag =
  | 'late'
  | 'amended_later'
  | 'units_unverified'
  | 'confidential_omitted'
  | 'combination_report'
  | 'identical_positions';

/** A unit that nothing confirms, or share counts that are none; a unit that was corrected is clean. */
const UNCLEAN: readonly Reason[] = ['value_unit_unverified', 'shares_equal_value'];

/** Whether a report's values and shares may stand for prices and for weights. */
export function hasCleanUnits({ reasons }: Pick<EffectiveReport, 'reasons'>): boolean {
  return !reasons.some((reason) => UNCLEAN.includes(reason));
}

/** Additions whose unit nothing confirms: how much their positions weigh beside the others is not known. */
export function unweighedFilings({ filings }: Pick<EffectiveReport, 'filings'>): ReadonlySet<Accession> {
  return new Set(
    filings
      .filter(({ scaleReasons }) => scaleReasons?.includes('value_unit_unverified'))
      .map(({ accession }) => accession),
  );
}

/** What a report itself tells; how it stands in time is the reader's to say. */
export function flagsOfReport(
  report: Pick<EffectiveReport, 'reasons' | 'confidentialOmitted' | 'reportType'>,
): PortfolioFlag[] {
  const holds: Partial<Record<PortfolioFlag, boolean>> = {
    units_unverified: !hasCleanUnits(report),
    confidential_omitted: report.confidentialOmitted,
    combination_report: report.reportType === 'combination',
    identical_positions: report.reasons.includes('identical_positions'),
  };
  return (Object.keys(holds) as PortfolioFlag[]).filter((flag) => holds[flag]);
}

export type PortfolioRow = {
  readonly cusip: Cusip;
  readonly amount: bigint;
  readonly valueCents: bigint;
  readonly reasons: readonly Reason[];
};

/** A manager's report of a quarter as a copier saw it at the end of the next quarter. */
export type PortfolioSource = {
  readonly cik: Cik;
  readonly quarterEnd: QuarterEnd;
  /** Of the first filing for the quarter, whatever became of it. */
  readonly firstFiled: IsoDate;
  /** Equity rows, the largest ones at least. */
  readonly rows: readonly PortfolioRow[];
  readonly holdingsCount: number;
  readonly equityCents: bigint;
  readonly reportedCents: bigint;
  readonly optionCents: bigint;
  readonly flags: readonly PortfolioFlag[];
};

export type CopiedName = { readonly cusip: Cusip; readonly weight: bigint };

/** What the leaderboard keeps of it. Fractions in billionths. */
export type Portfolio = {
  readonly cik: Cik;
  readonly quarterEnd: QuarterEnd;
  readonly lagDays: number;
  readonly holdingsCount: number;
  readonly top10Weight: bigint;
  /** Option notional in everything that the report lists. */
  readonly optionShare: bigint;
  readonly flags: readonly PortfolioFlag[];
  /** The copied portfolio; empty when the report was not public in time. Weights are not normalised. */
  readonly names: readonly CopiedName[];
};

export function portfolioOf(source: PortfolioSource): Portfolio {
  const { cik, quarterEnd, firstFiled, holdingsCount } = source;
  const largest = source.rows.toSorted(compareRows);
  // Of the rows that the equity is the sum of, copied or not.
  const valued = largest.filter(isValued);
  const top = valued.slice(0, CONCENTRATION_POSITIONS).reduce((sum, row) => sum + row.valueCents, 0n);
  const flags = source.flags.toSorted();
  return {
    cik,
    quarterEnd,
    lagDays: Math.round((Date.parse(firstFiled) - Date.parse(quarterEnd)) / DAY_MS),
    holdingsCount,
    top10Weight: source.equityCents > 0n ? fractionOf(top, source.equityCents) : 0n,
    optionShare: source.reportedCents > 0n ? fractionOf(source.optionCents, source.reportedCents) : 0n,
    flags,
    names: flags.includes('late') ? [] : copiedNames(largest.filter(isPriceable).slice(0, COPIED_POSITIONS)),
  };
}

/**
 * Weights in proportion to value, each position counted with at most the cap's share of the copied
 * value. They are whole numbers, brought to a sum of one only where they are used.
 */
function copiedNames(rows: readonly PortfolioRow[]): CopiedName[] {
  const cap = rows.reduce((sum, row) => sum + row.valueCents, 0n) * POSITION_CAP_PCT;
  return rows.map(({ cusip, valueCents }) => {
    const weight = valueCents * 100n;
    return { cusip, weight: weight < cap ? weight : cap };
  });
}

/** Value descending, ties by CUSIP. */
function compareRows(a: PortfolioRow, b: PortfolioRow): number {
  if (a.valueCents !== b.valueCents) return a.valueCents > b.valueCents ? -1 : 1;
  return a.cusip < b.cusip ? -1 : 1;
}
