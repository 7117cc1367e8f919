import type { Db } from 'mongodb';
import { windowOf } from '../../domain/brief/insider-leg.ts';
import { addDays } from '../../domain/calendar.ts';
import type { Ownership } from '../../domain/filing/filing.ts';
import { groupBy } from '../../domain/group.ts';
import { type Accession, type Cik, type IsoDate, issuerOf, requireCik } from '../../domain/ids.ts';
import { transactionItem, withReasons } from '../../domain/insider/item.ts';
import {
  type IssuerPrices,
  issuerPrices,
  NO_PRICES,
  quartersAround,
  quartersOf,
  referencesOf,
} from '../../domain/insider/price.ts';
import {
  isPlausible,
  type PricedRow,
  priceReasons,
  type TradePrice,
  tradePrice,
} from '../../domain/insider/reference-price.ts';
import { REFERENCE_DAYS } from '../../domain/insider/thresholds.ts';
import type { Trade } from '../../domain/insider/trade.ts';
import { allRowsOf, rowsById } from '../../domain/insider/trades.ts';
import type { TransactionItem } from '../../domain/wire/transaction.ts';
import { type FilingDoc, filingsIn, form4Of } from '../../store/filing/filings.ts';
import { requireAsOf } from '../../store/filing/settings.ts';
import { findAmong, findByIds } from '../../store/mongo/lists.ts';
import { pricesOf } from '../../store/peers/quarter-prices.ts';
import { securitiesIn } from '../../store/security/securities.ts';
import { openMarketTrades, readTrades, type StoredTrade } from '../../store/trade/trades.ts';

/** What the prices of the issuers' trades on these days are held against, by issuer. */
export async function pricesOfIssuers(
  db: Db,
  ciks: readonly Cik[],
  days: readonly IsoDate[],
): Promise<Map<Cik, IssuerPrices>> {
  const quarters = [...new Set(days.flatMap(quartersAround))];
  const digits = await digitsOfIssuers(db, [...new Set(ciks)]);
  const tables = await pricesOf(db, quarters, [...new Set([...digits.values()].flat())]);
  return new Map([...digits].map(([cik, own]) => [cik, issuerPrices(own, tables)]));
}

type Placed = { readonly item: TransactionItem; readonly placedOn: IsoDate };

/**
 * The trades, in their order, each with the reason of an implausible price where it has one: prices
 * change with every report, so they are not in what is stored of a trade.
 */
export async function withPriceReasons<T extends Placed>(db: Db, trades: readonly T[]): Promise<T[]> {
  const priced = trades.filter(({ item }) => item.priced && !item.is_derivative);
  if (priced.length === 0) return [...trades];
  const ciks = priced.map(({ item }) => requireCik(item.issuer.cik));
  const days = priced.map(({ placedOn }) => placedOn);
  const prices = await pricesOfIssuers(db, ciks, days);
  const marketOf = ({ item }: Placed) => referencesOf(prices.get(requireCik(item.issuer.cik)) ?? NO_PRICES);
  const open = priced.filter((trade) => isPlausible(rowOf(trade), marketOf(trade)) === null);
  const own = await tradePricesAround(db, open);
  return trades.map((trade) => {
    const { item } = trade;
    if (item.is_derivative) return trade;
    const reasons = priceReasons(rowOf(trade), marketOf(trade), own.get(item.issuer.cik) ?? []);
    return { ...trade, item: withReasons(item, reasons) };
  });
}

function rowOf({ item, placedOn }: Placed): PricedRow {
  const { transaction_id: id, code, shares, price_per_share, security_title, priced } = item;
  return {
    id,
    code,
    shares,
    pricePerShare: price_per_share,
    securityTitle: security_title,
    priced,
    placedOn,
  };
}

/** The purchases and sales of the trades' issuers around their days as prices, by issuer. */
async function tradePricesAround(db: Db, trades: readonly Placed[]): Promise<Map<string, TradePrice[]>> {
  const found = new Map<string, TradePrice[]>();
  for (const [cik, own] of groupBy(trades, ({ item }) => requireCik(item.issuer.cik))) {
    const days = own.map(({ placedOn }) => placedOn).sort();
    const [first, last] = [days[0], days.at(-1)];
    if (first === undefined || last === undefined) continue;
    const from = addDays(first, -REFERENCE_DAYS);
    const around = await openMarketTrades(db, cik, { from, to: addDays(last, REFERENCE_DAYS) });
    const prices = around.flatMap((trade) => tradePrice(rowOf(trade)));
    found.set(cik, prices);
  }
  return found;
}

/** Those around the window of a brief. */
export async function pricesOfWindow(db: Db, issuerCik: Cik, asOf: IsoDate): Promise<IssuerPrices> {
  const prices = await pricesOfIssuers(db, [issuerCik], quartersOf(windowOf(asOf)));
  return prices.get(issuerCik) ?? NO_PRICES;
}

/**
 * What the CUSIPs begin with that any source ever gave to a symbol of the issuer, in any spelling: a
 * class that is rarely traded may stand in no fails file, but it has these in common with the others.
 */
async function digitsOfIssuers(db: Db, ciks: readonly Cik[]): Promise<Map<Cik, string[]>> {
  const own = await findAmong(securitiesIn(db), {
    field: 'cik',
    values: ciks,
    projection: { cik: 1, bare: 1 },
  });
  const named = await findAmong(securitiesIn(db), {
    field: 'bare',
    values: own.map(({ bare }) => bare),
    projection: { bare: 1, cusip: 1 },
  });
  return new Map(
    ciks.map((cik) => {
      const mine = new Set(own.filter((doc) => doc.cik === cik).map(({ bare }) => bare));
      const digits = named.flatMap(({ bare, cusip }) =>
        cusip !== null && mine.has(bare) ? [issuerOf(cusip)] : [],
      );
      return [cik, [...new Set(digits)]];
    }),
  );
}

export type FoundForm4 =
  | {
      readonly kind: 'found';
      readonly doc: FilingDoc;
      readonly ownership: Ownership;
      /** Every transaction row of the form, by its id. */
      readonly trades: ReadonlyMap<string, StoredTrade>;
      readonly supersededBy: Accession | null;
    }
  | { readonly kind: 'other_form'; readonly form: string }
  /** Set aside, not read yet, or no such filing on the published as-of date. */
  | { readonly kind: 'unreadable' | 'unread' | 'unknown' };

/**
 * One Form 4 with its rows as they were reconciled with the other forms of the issuer; rows that
 * were not yet, for seconds after the form arrived, are read alone. Throws `as_of_unpublished`.
 */
export async function findForm4(db: Db, accession: Accession): Promise<FoundForm4> {
  const asOf = await requireAsOf(db);
  const doc = await filingsIn(db).findOne({ _id: accession });
  if (doc === null || doc.filedDate > asOf) return { kind: 'unknown' };
  if (doc.leg !== 'form4') return { kind: 'other_form', form: doc.form };
  if (doc.state === 'quarantined') return { kind: 'unreadable' };
  const ownership = form4Of(doc);
  if (doc.state !== 'parsed' || ownership === null) return { kind: 'unread' };
  const alone = allRowsOf([ownership], asOf).map((trade) => [trade.id, storedAlone(trade)] as const);
  const reconciled = await readTrades(db, [...rowsById(ownership).keys()]);
  const all = new Map([...alone, ...reconciled]);
  const priced = await withPriceReasons(db, [...all.values()]);
  const trades = new Map([...all.keys()].map((id, at) => [id, priced[at] as StoredTrade]));
  const by = [...new Set([...trades.values()].flatMap((trade) => trade.supersededBy ?? []))];
  return { kind: 'found', doc, ownership, trades, supersededBy: await newestOf(db, by) };
}

function storedAlone(trade: Trade): StoredTrade {
  return { item: transactionItem(trade), placedOn: trade.placedOn, supersededBy: trade.supersededBy };
}

/** In the order of filing. */
async function newestOf(db: Db, accessions: readonly Accession[]): Promise<Accession | null> {
  const [first, ...others] = accessions;
  if (first === undefined || others.length === 0) return first ?? null;
  const docs = await findByIds(filingsIn(db), accessions, { filedDate: 1, publishedAt: 1 });
  const orderOf = (doc: (typeof docs)[number]): string =>
    `${doc.filedDate}|${doc.publishedAt?.value ?? ''}|${doc._id}`;
  const newest = docs.reduce((one, other) => (orderOf(other) > orderOf(one) ? other : one));
  return newest._id;
}
