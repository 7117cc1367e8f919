import type { Db } from 'mongodb';
import { batches } from '../../domain/group.ts';
import type { Cik, IsoDate } from '../../domain/ids.ts';
import type { Reason } from '../../domain/quality/quality.ts';
import { previousQuarterEnd } from '../../domain/quarter.ts';
import type { TransactionItem } from '../../domain/wire/transaction.ts';
import { itemOf, tradesIn } from '../../store/trade/trades.ts';
import { withPriceReasons } from '../trade/prices.ts';
import type { AuditScope } from './scope.ts';
import type { Audit } from './shape.ts';
import { byAmount, tally, worstOf } from './tally.ts';

type TradeLine = Audit['implausible_prices']['worst'][number];

/** Issuers of one read: their filings are separated in memory. */
const ISSUERS_AT_ONCE = 50;
/** Trades that are compared with the prices of 13F reports in one read. */
const PRICED_AT_ONCE = 1_000;

/** Every transaction row of the Forms 4, issuer by issuer. */
export async function auditTrades(db: Db, scope: AuditScope) {
  const counts = { filings: 0, trades: 0 };
  const [filingReasons, tradeReasons] = [tally<Reason>(), tally<Reason>()];
  const unreconciled = worstOf(scope.limit, byValue);
  const implausible = worstOf(scope.limit, byValue);
  const issuers = await issuersOf(db, scope);
  for (const batch of batches(issuers, ISSUERS_AT_ONCE)) {
    const byFiling = new Map<string, Set<Reason>>();
    for await (const { item } of tradesOf(db, batch, scope)) {
      const reasons = [...new Set(item.quality.reasons as Reason[])];
      counts.trades += 1;
      tradeReasons.add(reasons, null);
      const ofFiling = byFiling.get(item.accession_number) ?? new Set();
      byFiling.set(item.accession_number, ofFiling);
      for (const reason of reasons) ofFiling.add(reason);
      if (reasons.includes('unreconciled_amendment')) unreconciled.add(lineOf(item));
      if (reasons.includes('price_implausible')) implausible.add(lineOf(item));
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

type Placed = { readonly item: TransactionItem; readonly placedOn: IsoDate };

/** Rows that are gone have no item. Prices are compared here, because 13F reports change what is implausible. */
async function* tradesOf(db: Db, issuers: readonly Cik[], scope: AuditScope): AsyncGenerator<Placed> {
  const docs = tradesIn(db).find(
    { issuerCik: { $in: [...issuers] } },
    { projection: { item: 1, placedOn: 1 } },
  );
  let placed: Placed[] = [];
  for await (const { item, placedOn } of docs) {
    if (item === null || placedOn === null || !isPlacedIn(scope, placedOn)) continue;
    placed.push({ item: itemOf(item), placedOn });
    if (placed.length < PRICED_AT_ONCE) continue;
    yield* await withPriceReasons(db, placed);
    placed = [];
  }
  yield* await withPriceReasons(db, placed);
}

function isPlacedIn({ quarterEnd }: AuditScope, placedOn: IsoDate): boolean {
  return quarterEnd === null || (placedOn > previousQuarterEnd(quarterEnd) && placedOn <= quarterEnd);
}

const byValue = byAmount<TradeLine>(
  ({ value_usd }) => BigInt(Math.round((value_usd ?? 0) * 100)),
  ({ transaction_id }) => transaction_id,
);

function lineOf(item: TransactionItem): TradeLine {
  const { transaction_id, issuer, code, shares, price_per_share, value_usd } = item;
  const { name, ticker } = issuer;
  return { transaction_id, issuer: name, ticker, code, shares, price_per_share, value_usd };
}
