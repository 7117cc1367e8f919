import type { Db } from 'mongodb';
import type { Ownership } from '../../domain/filing/filing.ts';
import type { Accession } from '../../domain/ids.ts';
import { transactionItem } from '../../domain/insider/item.ts';
import type { Trade } from '../../domain/insider/trade.ts';
import { allRowsOf, rowsById } from '../../domain/insider/trades.ts';
import { type FilingDoc, filingsIn, form4Of } from '../../store/filing/filings.ts';
import { requireAsOf } from '../../store/filing/settings.ts';
import { findByIds } from '../../store/mongo/lists.ts';
import { readTrades, type StoredTrade } from '../../store/trade/trades.ts';
import { withPriceReasons } from './prices.ts';

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
