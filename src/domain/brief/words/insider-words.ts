import { FORM4_WINDOW_DAYS, type InsiderLeg } from '../insider-leg.ts';
import { shortName } from './name.ts';
import { counted, dollars } from './numbers.ts';

/** Who traded, for how much, and what part of the sales says little: people, not tranches (rule 8.8). */
export function insiderWords(leg: InsiderLeg): string {
  const { stance, trades, counts } = leg;
  if (leg.without === 'not_available' && trades.length === 0) return 'Its insiders had no Form 4 to file';
  if (stance === 'not_available') return 'Insider trades are not covered';
  if (trades.length === 0) return 'No open-market insider trade in the Form 4 filings read';
  const sides = [
    counts.buys > 0 && `${peopleOf(leg, 'buy')} bought ${moneyOf(leg.totals.buy_value_usd)}`,
    counts.sells > 0 && `${peopleOf(leg, 'sell')} sold ${moneyOf(leg.totals.sell_value_usd)}${partsOf(leg)}`,
  ].filter((side) => side !== false);
  return `In ${FORM4_WINDOW_DAYS} days ${sides.join(' and ')}`;
}

function moneyOf(value: number | null): string {
  return value === null || value === 0 ? 'shares at no known price' : dollars(value);
}

function peopleOf({ trades, counts }: InsiderLeg, side: 'buy' | 'sell'): string {
  const people = side === 'buy' ? counts.distinct_buyers : counts.distinct_sellers;
  const [owner] = trades.find((trade) => trade.side === side)?.owners ?? [];
  return people === 1 && owner !== undefined ? shortName(owner.name) : counted(people, 'insider');
}

/** The part of the sales that nobody decided on its day. */
function partsOf({ totals }: InsiderLeg): string {
  const sold = totals.sell_value_usd ?? 0;
  const parts = [
    { value: totals.plan_sell_value_usd ?? 0, words: 'under 10b5-1 plans' },
    { value: totals.tax_or_exercise_sell_value_usd ?? 0, words: 'for taxes or after exercises' },
  ].filter(({ value }) => value > 0);
  const said = parts.map(({ value, words }) => `${value === sold ? 'all' : dollars(value)} ${words}`);
  return said.length === 0 ? '' : `, ${said.join(' and ')}`;
}
