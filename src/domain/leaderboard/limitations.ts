import type { Measures } from './measure.ts';
import { PREFERRED_QUARTERS } from './method.ts';
import type { PortfolioFlag } from './portfolio.ts';
import type { FundSeries } from './series.ts';

/** What limits one manager's line, as sentences, in a fixed order. */
export function limitationsOf(
  { portfolios, lagged }: Pick<FundSeries, 'portfolios' | 'lagged'>,
  { quarters }: Pick<Measures, 'quarters'>,
): string[] {
  const withFlag = (flag: PortfolioFlag): number =>
    portfolios.filter(({ flags }) => flags.includes(flag)).length;
  const uncounted = lagged.length - quarters;
  const told: [number, (count: string) => string][] = [
    [withFlag('late'), (n) => `${n} left out: not public by the end of the next quarter.`],
    [
      withFlag('amended_later'),
      (n) => `${n} amended after the end of the next quarter; the copy is of what was public by then.`,
    ],
    [
      withFlag('confidential_omitted'),
      (n) => `${n} with positions omitted under a confidential treatment request.`,
    ],
    [withFlag('combination_report'), (n) => `${n} with a part of the holdings reported by other managers.`],
    [
      withFlag('identical_positions'),
      (n) => `${n} with the very positions of another manager, who may be ranked by them too.`,
    ],
  ];
  const few = quarters < PREFERRED_QUARTERS ? [`Only ${quarters} quarters are counted.`] : [];
  const unpriced =
    uncounted > 0
      ? [`${numberOf(uncounted, 'quarter')} not counted: less than half of the copied weights has a price.`]
      : [];
  const sentences = told.flatMap(([count, say]) => (count > 0 ? [say(numberOf(count, 'report'))] : []));
  return [...few, ...sentences, ...unpriced];
}

function numberOf(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
