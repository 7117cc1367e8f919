import type { Db } from 'mongodb';
import { sha256Hex } from '../../domain/canonical.ts';
import type { Accession, Cik, IsoDate } from '../../domain/ids.ts';
import { transactionItem } from '../../domain/insider/item.ts';
import { daysOf, type Trade } from '../../domain/insider/trade.ts';
import { isListed } from '../../domain/insider/trades.ts';
import type { TransactionItem } from '../../domain/wire/transaction.ts';
import { findByIds, inLists } from '../mongo/lists.ts';
import { INT64_MAX } from '../mongo/pack.ts';
import { openMarketScope, scopesOf } from './scope.ts';

/**
 * One transaction row of a Form 4, reconciled with all forms of its issuer. Rows that are not listed
 * are kept without a scope, for the page of their filing.
 */
export type TradeDoc = TradeContent & {
  /** `<accession>:nd:<row>`, or `:d:` for a derivative row. */
  _id: string;
  issuerCik: Cik;
  /** Version of the invalidation that it was written for: an older run changes nothing. */
  version: number;
  /** Of the content: a row that did not change is not written. */
  digest: string;
};

export type TradeContent = {
  /** Its filing, and the days by which it is compared with other rows; none of a row without content. */
  near: string[];
  /** Keys under which it is listed; none for a row that is replaced, repeated or unusable. */
  scopes: string[];
  /** Sorted descending: newest filed first, then accession descending, then row ascending. */
  order: string;
  /** Transaction date, or the day that stands for an implausible one. */
  placedOn: IsoDate | null;
  valueCents: bigint | null;
  isPlanned: boolean;
  /** Title and symbol, which decide the share class: see `lines.ts`. */
  line: string;
  supersededBy: Accession | null;
  /** The wire item as JSON, so that no number passes through BSON; null when the row is gone. */
  item: string | null;
};

/** A row of a filing that is not visible on the as-of date, or that a later parser no longer finds. */
export const NO_CONTENT: TradeContent = {
  near: [],
  scopes: [],
  order: '',
  placedOn: null,
  valueCents: null,
  isPlanned: false,
  line: '',
  supersededBy: null,
  item: null,
};

export const tradesIn = (db: Db) => db.collection<TradeDoc>('trades');

export function contentOf(trade: Trade): TradeContent {
  return {
    near: [trade.filing.header.accession, ...daysOf(trade.filing, trade.row)],
    scopes: isListed(trade) ? scopesOf(trade) : [],
    order: orderOf(trade),
    placedOn: trade.placedOn,
    valueCents: trade.valueCents === null ? null : storable(trade.valueCents),
    isPlanned: trade.filing.is10b51 === true,
    line: lineOf(trade.row.securityTitle, trade.filing.issuer.symbol),
    supersededBy: trade.supersededBy,
    item: JSON.stringify(transactionItem(trade)),
  };
}

export function contentDigest(content: TradeContent): string {
  const plain = { ...content, valueCents: content.valueCents?.toString() ?? null };
  return sha256Hex(JSON.stringify(plain));
}

/** Trades with equal titles and symbols are of one share class. */
export function lineOf(title: string, symbol: string): string {
  return sha256Hex(`${title}\n${symbol}`).slice(0, 16);
}

/** What is known of a stored row before it is written again. */
export type KnownRow = Pick<TradeDoc, '_id' | 'near' | 'digest'>;

const KNOWN = { near: 1, digest: 1 };

/** Every stored row of an issuer. */
export async function rowsOfIssuer(db: Db, issuerCik: Cik): Promise<KnownRow[]> {
  return tradesIn(db).find({ issuerCik }, { projection: KNOWN }).toArray();
}

/** The stored rows of an issuer that have one of the keys of `near`, each once. */
export async function rowsNear(db: Db, issuerCik: Cik, keys: Iterable<string>): Promise<KnownRow[]> {
  const found = new Map<string, KnownRow>();
  for (const near of inLists(keys)) {
    const rows = tradesIn(db).find({ issuerCik, near }, { projection: KNOWN });
    for (const row of await rows.toArray()) found.set(row._id, row);
  }
  return [...found.values()];
}

/** The listed purchases and sales of an issuer that are placed on these days, both included, in any order. */
export async function openMarketTrades(
  db: Db,
  issuerCik: Cik,
  { from, to }: { readonly from: IsoDate; readonly to: IsoDate },
): Promise<{ item: TransactionItem; placedOn: IsoDate }[]> {
  const where = { scopes: openMarketScope(issuerCik), placedOn: { $gte: from, $lte: to } };
  const docs = await tradesIn(db)
    .find(where, { projection: { item: 1, placedOn: 1 } })
    .toArray();
  return docs.flatMap(({ item, placedOn }) =>
    item === null || placedOn === null ? [] : [{ item: itemOf(item), placedOn }],
  );
}

/** Reconciled rows by transaction id. Rows that were not reconciled yet are left out. */
export async function readTrades(db: Db, ids: readonly string[]): Promise<Map<string, StoredTrade>> {
  const docs = await findByIds(tradesIn(db), ids, { item: 1, placedOn: 1, supersededBy: 1 });
  return new Map(
    docs.flatMap(({ _id, item, placedOn, supersededBy }) =>
      item === null || placedOn === null
        ? []
        : [[_id, { item: itemOf(item), placedOn, supersededBy }] as const],
    ),
  );
}

export type StoredTrade = {
  readonly item: TransactionItem;
  readonly placedOn: IsoDate;
  readonly supersededBy: Accession | null;
};

/** Our own writing: it is not checked again. */
export function itemOf(json: string): TransactionItem {
  return JSON.parse(json) as TransactionItem;
}

const MAX_ROW = 999_999;

/** A blank sorts before `T`: a filing of unknown time comes after the others of its day. */
function orderOf({ filing, row }: Trade): string {
  const { acceptedAt, filedDate, accession } = filing.header;
  return `${acceptedAt ?? filedDate} ${accession} ${String(MAX_ROW - Number(row.row)).padStart(6, '0')}`;
}

/** Only for the filter: a mistyped total beyond 64 bits is above any bound anyway. */
function storable(cents: bigint): bigint {
  if (cents > INT64_MAX) return INT64_MAX;
  return cents < -INT64_MAX ? -INT64_MAX : cents;
}
