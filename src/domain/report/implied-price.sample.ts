import { compare } from '../compare.ts';
import { groupBy } from '../group.ts';
import type { Cusip } from '../ids.ts';
import { stoodStill } from './holding.ts';
import {
  agreedQuote,
  type HeldRow,
  type ImpliedPrice,
  isPriceable,
  type PricedSecurity,
} from './implied-price.ts';

/** Prices from lists of rows: what `rememberingShownPrices` computes over columns. */

/** Every security that the rows price, in order of CUSIP. The order of the rows does not matter. */
export function priceSecurities(rows: readonly HeldRow[]): [Cusip, PricedSecurity][] {
  return [...groupBy(rows.filter(isPriceable), ({ cusip }) => cusip)]
    .flatMap(([cusip, held]): [Cusip, PricedSecurity][] => {
      const price = impliedPrice(held);
      return price === null ? [] : [[cusip, { ...price, ...splitEvidence(held) }]];
    })
    .sort(([a], [b]) => compare(a, b));
}

type Quote = Pick<HeldRow, 'cik' | 'amount' | 'valueCents'>;

export function impliedPrice(quotes: readonly Quote[]): ImpliedPrice | null {
  const agreed = agreedQuote(quotes);
  if (agreed === null) return null;
  const { quote, filers } = agreed;
  return { valueCents: quote.valueCents, shares: quote.amount, filers };
}

/** Evidence for a split since the quarter before, from the share counts of filers that held at both ends. */
function splitEvidence(rows: readonly HeldRow[]) {
  const both = rows.filter((row) => row.priorAmount > 0n);
  return {
    compared: both.length,
    unchanged: both.filter(({ amount, priorAmount }) => stoodStill(amount, priorAmount)).length,
    splitLike: both.filter((row) => row.reasons.includes('split_suspected')).length,
  };
}
