import { DAY_MS } from '../calendar.ts';
import { compare } from '../compare.ts';
import type { Accession, Cik, Cusip, IsoDate, QuarterEnd } from '../ids.ts';
import type { Reason } from '../quality/quality.ts';
import { fractionOf } from '../ratio.ts';
import { isValued } from '../report/holding.ts';
import { isPriceable } from '../report/implied-price.ts';
import { type EffectiveReport, isDoubtedAddition, type Position } from '../report/report.ts';
import {
  CONCENTRATION_POSITIONS,
  COPIED_POSITIONS,
  MAX_OPTION_SHARE,
  MAX_POSITIONS,
  MIN_POSITIONS,
  MIN_TOP10_WEIGHT,
  POSITION_CAP_PCT,
} from './thresholds.ts';

/** What a report is judged by; fractions in billionths. */
type Judged = {
  readonly holdingsCount: number;
  readonly top10Weight: bigint;
  readonly optionShare: bigint;
  readonly reasons: readonly string[];
};

/** What keeps one report from being copied. Its quarter is left out, and the manager's others count (rule 9.3). */
const FAULTS = {
  too_few_positions: ({ holdingsCount }: Judged) => holdingsCount < MIN_POSITIONS,
  too_many_positions: ({ holdingsCount }: Judged) => holdingsCount > MAX_POSITIONS,
  not_concentrated: ({ top10Weight }: Judged) => top10Weight < MIN_TOP10_WEIGHT,
  mostly_options: ({ optionShare }: Judged) => optionShare > MAX_OPTION_SHARE,
  scale_unverified: ({ reasons }: Judged) => reasons.includes('scale_unverified'),
} as const;

export type ReportFault = keyof typeof FAULTS;

export const REPORT_FAULTS = Object.keys(FAULTS) as ReportFault[];

/** What a reader of a portfolio must know. */
export type PortfolioReason =
  | 'late'
  | 'amended_later'
  | 'scale_unverified'
  | 'in_doubt'
  | 'confidential_omitted'
  | 'combination_report'
  | 'identical_positions';

/** A scale that nothing confirms, or share counts that repeat values. A corrected scale is clean. */
const UNCLEAN: readonly Reason[] = ['value_unit_unverified', 'shares_equal_value'];

/** Whether a report's values and shares can give prices and weights. */
export function hasCleanScale({ reasons }: Pick<EffectiveReport, 'reasons'>): boolean {
  return !reasons.some((reason) => UNCLEAN.includes(reason));
}

/** Additions in doubt, in their scale or altogether: the weight of their positions is unknown (rule 2.10). */
export function unweighedFilings({ filings }: Pick<EffectiveReport, 'filings'>): ReadonlySet<Accession> {
  return new Set(filings.filter(isDoubtedAddition).map(({ accession }) => accession));
}

/** The reasons that a report itself decides. Those of time are up to the reader of its filings. */
export function reasonsOfReport(
  report: Pick<EffectiveReport, 'reasons' | 'confidentialOmitted' | 'reportType' | 'filings'>,
): PortfolioReason[] {
  const isDoubled = report.reasons.includes('doubled_table_suspected');
  const holds: Partial<Record<PortfolioReason, boolean>> = {
    scale_unverified: !hasCleanScale(report),
    in_doubt: isDoubled || report.filings.some(({ doubt }) => doubt !== undefined),
    confidential_omitted: report.confidentialOmitted,
    combination_report: report.reportType === 'combination',
    identical_positions: report.reasons.includes('identical_positions'),
  };
  return (Object.keys(holds) as PortfolioReason[]).filter((reason) => holds[reason]);
}

export type PortfolioRow = Pick<Position, 'cusip' | 'amount' | 'valueCents' | 'reasons'>;

/** A manager's report of a quarter as a copier saw it at the end of the next quarter. */
export type PortfolioSource = {
  readonly cik: Cik;
  readonly quarterEnd: QuarterEnd;
  /** Of the first filing for the quarter, even if it was replaced. */
  readonly firstFiled: IsoDate;
  /** Equity rows, the largest ones at least. */
  readonly rows: readonly PortfolioRow[];
  readonly holdingsCount: number;
  readonly equityCents: bigint;
  readonly reportedCents: bigint;
  readonly optionCents: bigint;
  readonly reasons: readonly PortfolioReason[];
};

export type CopiedPosition = { readonly cusip: Cusip; readonly weight: bigint };

/** What the leaderboard keeps of a source. Fractions in billionths. */
export type Portfolio = Readonly<ReturnType<typeof portfolioOf>>;

export function portfolioOf(source: PortfolioSource) {
  const { cik, quarterEnd, firstFiled, holdingsCount } = source;
  const largest = source.rows.toSorted(compareRows);
  // Concentration counts every row that equity counts, copied or not.
  const valued = largest.filter(isValued);
  const top = valued.slice(0, CONCENTRATION_POSITIONS).reduce((sum, row) => sum + row.valueCents, 0n);
  const reasons = source.reasons.toSorted();
  const judged = {
    holdingsCount,
    top10Weight: source.equityCents > 0n ? fractionOf(top, source.equityCents) : 0n,
    /** Share of option notional in everything that the report lists. */
    optionShare: source.reportedCents > 0n ? fractionOf(source.optionCents, source.reportedCents) : 0n,
    reasons,
  };
  const isCopied = !reasons.includes('late') && faultsOf(judged).length === 0;
  return {
    cik,
    quarterEnd,
    lagDays: Math.round((Date.parse(firstFiled) - Date.parse(quarterEnd)) / DAY_MS),
    ...judged,
    /** Empty when the report was not public in time or has a fault. Weights are not normalised. */
    copied: copiedPositions(isCopied ? largest.filter(isPriceable) : []),
  };
}

/**
 * Weights in proportion to value, each position capped at a share of the copied value. They are whole
 * numbers and are normalised only where they are used.
 */
function copiedPositions(priced: readonly PortfolioRow[]): readonly CopiedPosition[] {
  const rows = priced.slice(0, COPIED_POSITIONS);
  const cap = rows.reduce((sum, row) => sum + row.valueCents, 0n) * POSITION_CAP_PCT;
  return rows.map(({ cusip, valueCents }) => {
    const weight = valueCents * 100n;
    return { cusip, weight: weight < cap ? weight : cap };
  });
}

/** Value descending, ties by CUSIP. */
function compareRows(a: PortfolioRow, b: PortfolioRow): number {
  return compare(b.valueCents, a.valueCents) || compare(a.cusip, b.cusip);
}

/** All that apply, in the order of the list; empty for a report that is copied. */
export function faultsOf(report: Judged): ReportFault[] {
  return REPORT_FAULTS.filter((fault) => FAULTS[fault](report));
}
