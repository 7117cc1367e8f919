import { NET_SHARE_PERCENT } from '../../holders/stance.ts';
import type { Exempt } from '../../insider/coverage.ts';
import { rolesOf } from '../../insider/item.ts';
import { soldPart } from '../../insider/trades.ts';
import type { BriefFacts } from '../facts.ts';
import { FORM4_WINDOW_DAYS, type InsiderLeg } from '../insider-leg.ts';
import { counted, dollars, percentOf, shortName } from './numbers.ts';

const EXEMPT: Record<Exempt, string> = {
  fund: 'Insiders of exchange-traded funds file no Form 4',
  foreign_issuer: 'Its name suggests that its insiders did not have to file Form 4',
};

/** A longer title would be a sentence of its own. */
const MAX_ROLE = 30;

/** What moved and how much, in sentences that say no more than the numbers do (rule 8.8). */
export function headlineOf({ input, outcome, holders, insiders }: BriefFacts): string {
  const { requestedTicker: ticker, resolution } = input;
  if (outcome === 'refused') return `${ticker}: More than one issuer uses this ticker, so no brief is given.`;
  if (resolution.kind !== 'resolved') return `${ticker}: No security with this ticker is known.`;
  const managers = resolution.cusip === null ? '13F positions cannot be matched' : holders.headline;
  return `${resolution.ticker}: ${managers}. ${insiderWords(insiders)}.`;
}

export const DISCLAIMER =
  'Reported filing changes are not real-time trades and not investment advice. 13F reports show the quarter-end positions of some managers, weeks later. Form 4 shows what insiders report. Check the cited filings before you rely on this brief.';

export const EXPLANATION = [
  'The institutional leg compares the shares that each tracked manager reported with its report for the quarter before.',
  'It compares share counts, never values.',
  'Uncertain observations are counted but left out of the direction.',
  'While a filing window is open, a manager that has not reported the quarter is counted by its report for the quarter before.',
  "Earlier share counts are restated for splits that the SEC's daily prices and a holder's count prove, and for new CUSIPs.",
  `When managers moved both ways, the net must be at least ${NET_SHARE_PERCENT} % of the gross to count as a direction.`,
  "The insider leg counts open-market purchases (code P, acquired) and sales (code S, disposed) in the issuer's non-derivative Form 4 tables.",
  `It covers ${FORM4_WINDOW_DAYS} days by transaction date and weighs trades by priced value, with the same ${NET_SHARE_PERCENT} % rule.`,
  'Corroboration compares the two directions. When either one is missing they cannot be compared (not_comparable).',
].join(' ');

/** Who traded, for how much, and what part of the sales says little: people, not tranches (rule 8.8). */
function insiderWords(leg: InsiderLeg): string {
  const { trades, counts } = leg;
  if (trades.length === 0 && leg.unread.length > 0) {
    return `Insider trades are not known: ${counted(leg.unread.length, 'Form 4 filing')} could not be read`;
  }
  if (leg.exempt !== null && trades.length === 0) return EXEMPT[leg.exempt];
  if (leg.unreadable.length > 0 && trades.length === 0) return 'Insider filings could be read only in part';
  if (leg.without === 'not_covered') return 'Insider trades are not covered';
  if (trades.length === 0) {
    const unusable = leg.contradicting.length;
    return unusable > 0
      ? `${counted(unusable, 'insider trade')} cannot be used: code and mark contradict each other`
      : 'No open-market insider trade in the Form 4 filings read';
  }
  const sides = [
    counts.buys > 0 && `${peopleOf(leg, 'buy')} bought ${moneyOf(leg.totals.buy_value_usd)}`,
    counts.sells > 0 &&
      `${peopleOf(leg, 'sell')} sold ${moneyOf(leg.totals.sell_value_usd)}${heldWords(leg)}${partsOf(leg)}`,
  ].filter((side) => side !== false);
  return `In ${FORM4_WINDOW_DAYS} days ${sides.join(' and ')}`;
}

function moneyOf(value: number | null): string {
  return value === null || value === 0 ? 'shares at no known price' : dollars(value);
}

/** One person by name; joint filers, whose footnotes tell who owns the shares, by the first and the number of the others. */
function peopleOf({ trades, counts }: InsiderLeg, side: 'buy' | 'sell'): string {
  const people = side === 'buy' ? counts.distinct_buyers : counts.distinct_sellers;
  const owners = trades.flatMap((trade) => (trade.side === side ? trade.owners : []));
  const [owner] = owners;
  if (people !== 1 || owner === undefined) return counted(people, 'insider');
  const [role = ''] = rolesOf(owner);
  const shown = role.length > MAX_ROLE ? 'officer' : role;
  const others = new Set(owners.map(({ cik }) => cik)).size - 1;
  const named = `${shortName(owner.name)}${shown === '' ? '' : ` (${shown})`}`;
  return others === 0 ? named : `the joint filers ${named} and ${counted(others, 'other')} together`;
}

/** What one person sold of what it held on the same lines of the form. */
function heldWords({ trades, counts }: InsiderLeg): string {
  const part = counts.distinct_sellers === 1 ? soldPart(trades) : null;
  return part === null
    ? ''
    : `, ${percentOf(part.pct)} of the shares held ${part.isDirect ? 'directly' : 'in the accounts that sold'}`;
}

/** The parts of the sales that nobody decided on their day. */
function partsOf({ totals }: InsiderLeg): string {
  const sold = totals.sell_value_usd ?? 0;
  const parts = [
    { value: totals.tax_or_exercise_sell_value_usd ?? 0, words: 'for taxes or after exercises' },
    { value: totals.plan_sell_value_usd ?? 0, words: 'under 10b5-1 plans' },
  ].filter(({ value }) => value > 0);
  const said = parts.map(({ value, words }, at) => {
    const part = value === sold ? 'all of it' : `${dollars(value)}${at === 0 ? ' of it' : ''}`;
    return `${part} ${words}`;
  });
  return said.length === 0 ? '' : `, ${said.join(' and another ')}`;
}
