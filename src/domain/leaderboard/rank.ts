import { compare } from '../compare.ts';
import { countBy } from '../group.ts';
import type { QuarterEnd } from '../ids.ts';
import { nextQuarterEnd, quarterAfter, quarterLabel } from '../quarter.ts';
import { meanOf, medianOf, pctOf } from '../ratio.ts';
import {
  heldReports,
  INELIGIBLE_REASONS,
  type IneligibleReason,
  ineligibilityOf,
  type Luck,
  luckAmong,
  type Measures,
  measuresOf,
} from './measure.ts';
import { faultsOf, type PortfolioReason, type ReportFault } from './portfolio.ts';
import type { FundSeries } from './quarter-series.ts';
import {
  LAG_QUARTERS,
  MAX_POSITIONS,
  MIN_POSITIONS,
  MIN_QUARTERS,
  PREFERRED_QUARTERS,
} from './thresholds.ts';

export type Leader = { readonly rank: number } & NonNullable<ReturnType<typeof leaderOf>> & Luck;

type Sentence = (isOne: boolean) => string;

const leftOutWith =
  (what: string): Sentence =>
  (isOne) =>
    `${isOne ? 'report is left out because it has' : 'reports are left out because they have'} ${what}.`;

/** What each reason means for the reports that carry it. */
const SENTENCES: Partial<Record<PortfolioReason | ReportFault, Sentence>> = {
  late: (isOne) =>
    `${isOne ? 'report is left out because it was' : 'reports are left out because they were'} not public by the end of the next quarter.`,
  too_few_positions: leftOutWith(`fewer than ${MIN_POSITIONS} equity positions`),
  too_many_positions: leftOutWith(`more than ${MAX_POSITIONS} equity positions`),
  not_concentrated: leftOutWith('less than 20 percent of equity in the ten largest positions'),
  mostly_options: leftOutWith('more than half of the listed value in options'),
  scale_unverified: leftOutWith('an uncertain scale of values, or share counts that repeat values'),
  amended_later: (isOne) =>
    `${isOne ? 'report was' : 'reports were'} amended after the end of the next quarter. The copy uses what was public by then.`,
  in_doubt: (isOne) =>
    `${isOne ? 'report has' : 'reports have'} a filing or rows that are not believed. What only they list is not copied.`,
  confidential_omitted: (isOne) =>
    `${isOne ? 'report omits' : 'reports omit'} positions under a confidential treatment request.`,
  combination_report: (isOne) =>
    `${isOne ? 'report leaves' : 'reports leave'} part of the holdings to reports of other managers.`,
  identical_positions: (isOne) =>
    `${isOne ? 'report has' : 'reports have'} exactly the positions of another manager, which may be ranked by them too.`,
};

const SENTENCE_OF = Object.entries(SENTENCES) as [PortfolioReason | ReportFault, Sentence][];

/** How many managers can be ranked over a window. One that cannot may have several reasons. */
export type Eligibility = ReturnType<typeof leaderboardOf>['eligibility'];

type BoardInput = {
  readonly window: number;
  readonly funds: readonly FundSeries[];
  /** Ends of the quarters over which the benchmark has a return. */
  readonly benchmarked: readonly QuarterEnd[];
  readonly latest: QuarterEnd;
};

/** Managers with a report in the window, ranked by the printed score, ties by CIK. */
export function leaderboardOf({ funds, benchmarked, latest, window }: BoardInput) {
  const from = quarterAfter(latest, 1 - window);
  const { leaders, ineligible, reasons } = rankingOf(funds.map(heldFrom(from)), latest);
  const counts = {
    eligible: leaders.length,
    ineligible,
    /** With a return of the benchmark: no manager can have more. */
    benchmarkQuarters: benchmarked.filter((quarter) => quarter >= from).length,
  };
  return {
    /** Ends of the first and the last quarter that a copier holds. */
    from,
    to: latest,
    leaders,
    eligibility: {
      ...counts,
      reasons,
      /** Why no manager is ranked; null when one is. */
      reason: emptyBecause(counts),
    },
  };
}

function rankingOf(funds: readonly FundSeries[], latest: QuarterEnd) {
  const judged = funds
    .filter(({ portfolios }) => portfolios.length > 0)
    .map((fund) => judgedBy(fund, latest));
  const leaders = judged
    .flatMap(({ leader }) => leader ?? [])
    .sort((a, b) => b.score - a.score || compare(a.cik, b.cik));
  const luck = luckAmong(leaders.length);
  const failed = judged.flatMap(({ reasons }) => reasons);
  const found = countBy(failed, (reason) => reason);
  const reasons = Object.fromEntries(INELIGIBLE_REASONS.map((reason) => [reason, found.get(reason) ?? 0]));
  return {
    leaders: leaders.map((leader, at) => ({
      rank: at + 1,
      ...leader,
      ...luck(leader.tStat, leader.quarters),
    })),
    ineligible: judged.length - leaders.length,
    reasons: reasons as Readonly<Record<IneligibleReason, number>>,
  };
}

/** `leader`: null of a manager that is not ranked. */
function judgedBy(fund: FundSeries, latest: QuarterEnd) {
  const reasons = ineligibilityOf(fund, latest);
  return { reasons, leader: reasons.length === 0 ? leaderOf(fund, latest) : null };
}

/** Reports from the first one held on. Turnover needs two of them. */
function heldFrom(from: QuarterEnd): (fund: FundSeries) => FundSeries {
  const since = quarterAfter(from, -LAG_QUARTERS);
  const second = nextQuarterEnd(since);
  return (fund) => {
    const { cik, portfolios, lagged, disclosed, turnover } = fund;
    return {
      cik,
      portfolios: portfolios.filter(({ quarterEnd }) => quarterEnd >= since),
      lagged: lagged.filter(({ to }) => to >= from),
      disclosed: disclosed.filter(({ to }) => to >= from),
      turnover: turnover.filter(({ to }) => to >= second),
    };
  };
}

function leaderOf(fund: FundSeries, latest: QuarterEnd) {
  const measures = measuresOf(fund.lagged);
  const last = fund.portfolios.at(-1);
  if (measures === null || last === undefined) return null;
  return {
    cik: fund.cik,
    ...measures,
    quartersLeftOut: heldReports(fund, latest).length - measures.quarters,
    turnoverPct: meanPct(fund.turnover),
    top10WeightPct: pctOf(last.top10Weight),
    holdingsCount: last.holdingsCount,
    disclosedReturnPct: meanPct(fund.disclosed),
    latestQuarter: quarterLabel(last.quarterEnd),
    filingLagDaysMedian: medianDays(fund.portfolios.map(({ lagDays }) => lagDays)),
    limitations: limitationsOf(fund, measures),
  };
}

function meanPct(dated: readonly { readonly value: bigint }[]): number | null {
  const mean = meanOf(dated.map(({ value }) => value));
  return mean === null ? null : pctOf(mean);
}

/** With one decimal: the median of an even number of reports may be half a day. */
function medianDays(days: readonly number[]): number {
  return Number(medianOf(days.map((count) => BigInt(count) * 10n)) ?? 0n) / 10;
}

type Counts = Readonly<Record<'eligible' | 'ineligible' | 'benchmarkQuarters', number>>;

function emptyBecause({ eligible, ineligible, benchmarkQuarters }: Counts): string | null {
  if (eligible > 0) return null;
  if (ineligible === 0) return 'No manager has a report with holdings in the window.';
  if (benchmarkQuarters < MIN_QUARTERS) {
    return `The benchmark has a price at both ends of ${benchmarkQuarters} of the window's quarters, and ${MIN_QUARTERS} are needed: too few stored reports hold it.`;
  }
  return 'No manager meets every rule: see how many fail each one.';
}

/** What limits one manager's line, as sentences in a fixed order. */
function limitationsOf({ portfolios, lagged }: FundSeries, { quarters }: Measures): string[] {
  const noted = portfolios.flatMap((report) => [...new Set([...report.reasons, ...faultsOf(report)])]);
  const reports = countBy(noted, (reason) => reason);
  const ofReports = SENTENCE_OF.map(([reason, sentence]) => counted(reports.get(reason) ?? 0, sentence));
  const uncounted: Sentence = (isOne) =>
    `${isOne ? 'quarter is not counted because less than half of its' : 'quarters are not counted because less than half of their'} copied weight has a price. The two bounds of the excess cover ${isOne ? 'it' : 'them'}.`;
  return [
    quarters < PREFERRED_QUARTERS && `Only ${quarters} quarters are counted.`,
    ...ofReports,
    counted(lagged.length - quarters, uncounted),
  ].filter((sentence) => sentence !== false);
}

function counted(count: number, sentence: Sentence): string | false {
  return count > 0 && `${count} ${sentence(count === 1)}`;
}
