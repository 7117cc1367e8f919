import type { Db } from 'mongodb';
import type { Cik, IsoDate } from '../../domain/ids.ts';
import type { Reason } from '../../domain/quality/quality.ts';
import { previousQuarterEnd } from '../../domain/quarter.ts';
import type { TransactionItem } from '../../domain/wire/transaction.ts';
import { itemOf, type TradeDoc, tradesIn } from '../../store/trade/trades.ts';
import { withPriceReasons } from '../trade/prices.ts';
import type { AuditScope } from './scope.ts';
import type { Audit } from './shape.ts';
import { type Tally, tally } from './tally.ts';
import { byAmount, worstOf } from './worst.ts';

type TradeLine = Audit['implausible_prices']['worst'][number];

export type TradesAudit = Pick<Audit, 'unreconciled_amendments' | 'implausible_prices'> & {
  readonly filings: number;
  readonly trades: number;
  readonly filingReasons: Tally<Reason>;
  readonly tradeReasons: Tally<Reason>;
};

/** Issuers of one read: their filings are separated in memory. */
const ISSUERS_AT_ONCE = 50;
/** Trades that are compared with the prices of 13F reports in one read. */
const PRICED_AT_ONCE = 1_000;

/** Every transaction row of the Forms 4, issuer by issuer. */
export async function auditTrades(db: Db, scope: AuditScope): Promise<TradesAudit> {
  const counts = { filings: 0, trades: 0 };
  const [filingReasons, tradeReasons] = [tally<Reason>(), tally<Reason>()];
  const unreconciled = tradeLines(scope.limit, 'unreconciled_amendment');
  const implausible = tradeLines(scope.limit, 'price_implausible');
  const issuers = await issuersOf(db, scope);
  for (let start = 0; start < issuers.length; start += ISSUERS_AT_ONCE) {
    const byFiling = new Map<string, Set<Reason>>();
    for await (const item of itemsOf(db, issuers.slice(start, start + ISSUERS_AT_ONCE), scope)) {
      const reasons = [...new Set(item.quality.reasons as Reason[])];
      counts.trades += 1;
      tradeReasons.add(reasons, null);
      const ofFiling = byFiling.get(item.accession_number) ?? new Set();
      byFiling.set(item.accession_number, ofFiling);
      for (const reason of reasons) ofFiling.add(reason);
      for (const lines of [unreconciled, implausible]) lines.look(item);
    }
    counts.filings += byFiling.size;
    for (const [accession, reasons] of byFiling) filingReasons.add(reasons, accession);
  }
  const lists = { unreconciled_amendments: unreconciled.found(), implausible_prices: implausible.found() };
  return { ...counts, filingReasons, tradeReasons, ...lists };
}

async function issuersOf(db: Db, { security }: AuditScope): Promise<Cik[]> {
  if (security === null) return tradesIn(db).distinct('issuerCik');
  return security.issuerCik === null ? [] : [security.issuerCik];
}

/** Rows that are gone have no item. */
async function* itemsOf(db: Db, issuers: readonly Cik[], scope: AuditScope): AsyncGenerator<TransactionItem> {
  const docs = tradesIn(db).find(
    { issuerCik: { $in: [...issuers] } },
    { projection: { item: 1, placedOn: 1 } },
  );
  let placed: { item: TransactionItem; placedOn: IsoDate }[] = [];
  for await (const { item, placedOn } of docs) {
    if (item === null || placedOn === null || !isPlacedIn(scope, placedOn)) continue;
    placed.push({ item: itemOf(item), placedOn });
    if (placed.length < PRICED_AT_ONCE) continue;
    yield* await told(db, placed);
    placed = [];
  }
  yield* await told(db, placed);
}

/** Implausible prices are decided when a trade is read: they depend on the 13F reports known today. */
async function told(
  db: Db,
  placed: readonly { item: TransactionItem; placedOn: IsoDate }[],
): Promise<TransactionItem[]> {
  return (await withPriceReasons(db, placed)).map(({ item }) => item);
}

function isPlacedIn({ quarterEnd }: AuditScope, placedOn: TradeDoc['placedOn']): boolean {
  if (quarterEnd === null) return true;
  return placedOn !== null && placedOn > previousQuarterEnd(quarterEnd) && placedOn <= quarterEnd;
}

function tradeLines(limit: number, reason: Reason) {
  const worst = worstOf<TradeLine>(
    limit,
    byAmount(
      ({ value_usd }) => BigInt(Math.round((value_usd ?? 0) * 100)),
      ({ transaction_id }) => transaction_id,
    ),
  );
  return {
    look(item: TransactionItem): void {
      if (item.quality.reasons.includes(reason)) worst.add(lineOf(item));
    },
    found: () => ({ total: worst.total(), worst: worst.first() }),
  };
}

function lineOf(item: TransactionItem): TradeLine {
  const { transaction_id, issuer, code, shares, price_per_share, value_usd } = item;
  return {
    transaction_id,
    issuer: issuer.name,
    ticker: issuer.ticker,
    code,
    shares,
    price_per_share,
    value_usd,
  };
}
