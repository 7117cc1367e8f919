import type { Measures } from './measure.ts';
import type { PortfolioFlag } from './portfolio.ts';
import type { FundSeries } from './series.ts';
import { PREFERRED_QUARTERS } from './thresholds.ts';

/** What each flag means for one report, and for several. */
const SENTENCES: readonly (readonly [flag: PortfolioFlag, one: string, several: string])[] = [
  [
    'late',
    'report is left out because it was not public by the end of the next quarter.',
    'reports are left out because they were not public by the end of the next quarter.',
  ],
  [
    'amended_later',
    'report was amended after the end of the next quarter. The copy uses what was public by then.',
    'reports were amended after the end of the next quarter. The copy uses what was public by then.',
  ],
  [
    'confidential_omitted',
    'report omits positions under a confidential treatment request.',
    'reports omit positions under a confidential treatment request.',
  ],
  [
    'combination_report',
    'report leaves part of the holdings to reports of other managers.',
    'reports leave part of the holdings to reports of other managers.',
  ],
  [
    'identical_positions',
    'report has exactly the positions of another manager, which may be ranked by them too.',
    'reports have exactly the positions of another manager, which may be ranked by them too.',
  ],
];

/** What limits one manager's line, as sentences in a fixed order. */
export function limitationsOf(
  { portfolios, lagged }: Pick<FundSeries, 'portfolios' | 'lagged'>,
  { quarters }: Pick<Measures, 'quarters'>,
): string[] {
  const uncounted = lagged.length - quarters;
  const ofReports = SENTENCES.map(([flag, one, several]) =>
    counted(portfolios.filter(({ flags }) => flags.includes(flag)).length, one, several),
  );
  return [
    quarters < PREFERRED_QUARTERS ? `Only ${quarters} quarters are counted.` : null,
    ...ofReports,
    counted(
      uncounted,
      'quarter is not counted because less than half of its copied weight has a price.',
      'quarters are not counted because less than half of their copied weight has a price.',
    ),
  ].filter((sentence) => sentence !== null);
}

function counted(count: number, one: string, several: string): string | null {
  return count > 0 ? `${count} ${count === 1 ? one : several}` : null;
}
