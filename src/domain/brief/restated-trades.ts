import { sourceUrl } from '../filing/filing.ts';
import { countConnected } from '../group.ts';
import { insiderStance } from '../holders/stance.ts';
import type { Accession, Cik } from '../ids.ts';
import { productToCents } from '../money.ts';
import { pctOfHolding } from '../ratio.ts';
import type { Brief, Insiders } from '../wire/brief.ts';
import type { TransactionItem } from '../wire/transaction.ts';
import { insiderTotals, type WeighedTrade, weightOf } from './insider-leg.ts';

/** A member of a brief, with the value that the rest of the brief gives it. */
export type Derived = readonly [what: string, expected: unknown, actual: unknown];

/** The trades, and what follows from them where every trade is on display. */
export function* ofInsiders(brief: Brief): Generator<Derived> {
  const { insiders, entity } = brief;
  const { counts, transactions, totals, stance, stance_discretionary } = insiders;
  yield ['insiders.counts', counts.buys + counts.sells, counts.priced + counts.unpriced];
  for (const [at, item] of transactions.entries()) {
    yield [`insiders.transactions[${at}].issuer.cik`, entity.cik, item.issuer.cik];
    yield* ofTrade(item, `insiders.transactions[${at}]`);
  }
  yield* ofFootnotes(transactions);
  if (!showsAllTrades(insiders)) return yield* ofTotals(brief);
  yield ['insiders.counts of transactions', countsOf(transactions), counts];
  yield ['insiders.totals', insiderTotals(transactions.map(weighed)), totals];
  yield ['insiders.stance', stanceOfShown(brief, transactions, stance), stance];
  const discretionary = transactions.filter(({ kind }) => kind === 'discretionary');
  const expected = stanceOfShown(brief, discretionary, stance_discretionary);
  yield ['insiders.stance_discretionary', expected, stance_discretionary];
}

export function showsAllTrades({ counts, transactions }: Insiders): boolean {
  return counts.buys + counts.sells === transactions.length;
}

/** The stance of these trades. `stated` decides only what it means that there are none. */
export function stanceOfShown(brief: Brief, items: readonly TransactionItem[], stated: unknown): string {
  const trades = items.map(weighed);
  return insiderStance(withoutTrades(brief, stated), weightOf(trades, 'buy'), weightOf(trades, 'sell'));
}

function withoutTrades({ coverage }: Brief, stated: unknown) {
  if (coverage.form4.status === 'unavailable') return 'not_covered';
  return stated === 'not_available' ? stated : 'none_found';
}

/** Purchases of an unknown or no price may decide or not. */
function* ofTotals(brief: Brief): Generator<Derived> {
  const { counts, totals, stance } = brief.insiders;
  const [buys, sells] = [cents(totals.buy_value_usd), cents(totals.sell_value_usd)];
  if (counts.buys > 0 && buys === 0) return;
  const up = { exists: counts.buys > 0, amount: BigInt(buys) };
  const down = { exists: counts.sells > 0, amount: BigInt(sells) };
  yield ['insiders.stance', insiderStance(withoutTrades(brief, stance), up, down), stance];
}

function* ofTrade(item: TransactionItem, what: string): Generator<Derived> {
  const { accession_number: accession, evidence_ids, side, shares } = item;
  yield [`${what}.accession_number`, accession, item.transaction_id.slice(0, 20)];
  yield [`${what}.evidence_ids`, true, evidence_ids.includes(`sec:form4:${accession}`)];
  yield [`${what}.source_url`, sourceUrl(item.issuer.cik as Cik, accession as Accession), item.source_url];
  yield [`${what}.form_type`, item.amendment.is_amendment ? '4/A' : '4', item.form_type];
  yield [`${what}.side`, side === 'buy' ? ['P', 'A'] : ['S', 'D'], [item.code, item.acquired_disposed]];
  const isOfSale = side === 'sell' && shares !== null;
  const pct = isOfSale ? pctOfHolding(shares, item.shares_owned_after) : null;
  yield [`${what}.pct_of_holding`, pct, item.pct_of_holding];
  const [value, stated] = [centsOf(item), item.value_usd];
  yield [`${what}.value_usd`, value, stated === null ? null : String(cents(stated))];
  yield [`${what}.priced`, value !== null, item.priced];
}

/** In cents; null where no price in dollars of the security traded is known. */
function centsOf({ shares, price_per_share: price, quality }: TransactionItem): string | null {
  const isOther = quality.reasons.some((reason) => OTHER_PRICES.has(reason));
  if (shares === null || price === null || isOther || !/^[0-9.]*[1-9]/.test(price)) return null;
  return String(productToCents(shares, price));
}

const OTHER_PRICES: ReadonlySet<string> = new Set(['foreign_currency_price', 'price_of_other_security']);

/** A text stands once, and later footnotes refer to it. */
function* ofFootnotes(transactions: readonly TransactionItem[]): Generator<Derived> {
  const shown = new Set<string>();
  for (const { transaction_id, footnotes } of transactions) {
    for (const { id, text, same_as: first } of footnotes) {
      const isShown = first !== undefined && shown.has(`${first.transaction_id} ${first.id}`);
      if (first !== undefined) yield ['footnotes', [null, true], [text, isShown]];
      if (text !== null) shown.add(`${transaction_id} ${id}`);
    }
  }
}

function countsOf(transactions: readonly TransactionItem[]): Insiders['counts'] {
  const [buys, sells] = (['buy', 'sell'] as const).map((of) =>
    transactions.filter(({ side }) => side === of),
  );
  const priced = transactions.filter((item) => item.priced).length;
  return {
    buys: buys?.length ?? 0,
    sells: sells?.length ?? 0,
    distinct_buyers: ownerGroups(buys),
    distinct_sellers: ownerGroups(sells),
    priced,
    unpriced: transactions.length - priced,
  };
}

function ownerGroups(transactions: readonly TransactionItem[] = []): number {
  return countConnected(transactions.map(({ owners }) => owners.map(({ cik }) => cik)));
}

function weighed({ side, kind, quality, value_usd }: TransactionItem): WeighedTrade {
  const valueCents = value_usd === null ? null : BigInt(cents(value_usd));
  return { side, kind, reasons: quality.reasons, valueCents };
}

export function sum(counts: readonly number[]): number {
  return counts.reduce((total, count) => total + count, 0);
}

/** 0 where no dollars are known. */
export function cents(dollars: number | null): number {
  return Math.floor((dollars ?? 0) * 100 + 0.5);
}
