import type { Measures } from './measure.ts';
import type { PortfolioFlag } from './portfolio.ts';
import type { FundSeries } from './series.ts';
import { PREFERRED_QUARTERS } from './thresholds.ts';

/** What each flag means for the reports that carry it. */
const SENTENCES: Partial<Record<PortfolioFlag, (isOne: boolean) => string>> = {
  late: (isOne) =>
    `${isOne ? 'report is left out because it was' : 'reports are left out because they were'} not public by the end of the next quarter.`,
  amended_later: (isOne) =>
    `${isOne ? 'report was' : 'reports were'} amended after the end of the next quarter. The copy uses what was public by then.`,
  confidential_omitted: (isOne) =>
    `${isOne ? 'report omits' : 'reports omit'} positions under a confidential treatment request.`,
  combination_report: (isOne) =>
    `${isOne ? 'report leaves' : 'reports leave'} part of the holdings to reports of other managers.`,
  identical_positions: (isOne) =>
    `${isOne ? 'report has' : 'reports have'} exactly the positions of another manager, which may be ranked by them too.`,
};

/** What limits one manager's line, as sentences in a fixed order. */
export function limitationsOf(
  { portfolios, lagged }: Pick<FundSeries, 'portfolios' | 'lagged'>,
  { quarters }: Pick<Measures, 'quarters'>,
): string[] {
  const ofReports = Object.entries(SENTENCES).map(([flag, sentence]) =>
    counted(portfolios.filter(({ flags }) => flags.some((one) => one === flag)).length, sentence),
  );
  const uncounted = (isOne: boolean) =>
    `${isOne ? 'quarter is not counted because less than half of its' : 'quarters are not counted because less than half of their'} copied weight has a price.`;
  return [
    quarters < PREFERRED_QUARTERS && `Only ${quarters} quarters are counted.`,
    ...ofReports,
    counted(lagged.length - quarters, uncounted),
  ].filter((sentence) => sentence !== false);
}

function counted(count: number, sentence: (isOne: boolean) => string): string | false {
  return count > 0 && `${count} ${sentence(count === 1)}`;
}
