import type { Db } from 'mongodb';
import { batches } from '../../domain/group.ts';
import type { Cik, IsoDate } from '../../domain/ids.ts';
import type { Reason } from '../../domain/quality/quality.ts';
import { previousQuarterEnd } from '../../domain/quarter.ts';
import type { TransactionItem } from '../../domain/wire/transaction.ts';
import { itemOf, tradesIn } from '../../store/trade/trades.ts';
import { withPriceReasons } from '../trade/prices.ts';
import { type AuditScope, byAmount, type Section, tally, worstOf } from './tally.ts';

/** Issuers of one read: their filings are separated in memory. */
const ISSUERS_AT_ONCE = 50;
/** Trades that are compared with the prices of 13F reports in one read. */
const PRICED_AT_ONCE = 1_000;

const LISTED: readonly Reason[] = ['unreconciled_amendment', 'price_implausible'];

type Doubted = { readonly item: TransactionItem; readonly reason: Reason };

/** Every transaction row of the Forms 4, issuer by issuer. */
export async function auditTrades(db: Db, scope: AuditScope) {
  let [filings, count] = [0, 0];
  const [reasons, ofFilings] = [tally<Reason>(), tally<Reason>()];
  const doubted = worstOf<Doubted>(scope.limit, byValue);
  for (const batch of batches(await tradesIn(db).distinct('issuerCik'), ISSUERS_AT_ONCE)) {
    const byFiling = new Map<string, Set<Reason>>();
    for await (const { item } of tradesOf(db, batch, scope)) {
      const own = [...new Set(item.quality.reasons as Reason[])];
      count += 1;
      reasons.add(own, null);
      const ofFiling = byFiling.get(item.accession_number) ?? new Set();
      byFiling.set(item.accession_number, ofFiling);
      for (const reason of own) ofFiling.add(reason);
      for (const reason of own.filter((one) => LISTED.includes(one))) doubted.add({ item, reason });
    }
    filings += byFiling.size;
    for (const [accession, own] of byFiling) ofFilings.add(own, accession);
  }
  return { filings, count, reasons, ofFilings, section: sectionOf(doubted.found()) };
}

function sectionOf({
  total,
  worst,
}: {
  readonly total: number;
  readonly worst: readonly Doubted[];
}): Section {
  return {
    title: 'Trades of Form 4 in doubt',
    about: `${total} rows of a 4/A that restate no stored original, and prices far above the one that 13F reports imply.`,
    rows: worst.map(({ item, reason }) => {
      const { transaction_id: transaction, issuer, code, shares, price_per_share, value_usd } = item;
      return { reason, transaction, issuer: issuer.name, code, shares, price_per_share, value_usd };
    }),
  };
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

const byValue = byAmount<Doubted>(
  ({ item }) => BigInt(Math.round((item.value_usd ?? 0) * 100)),
  ({ item, reason }) => `${item.transaction_id}|${reason}`,
);
