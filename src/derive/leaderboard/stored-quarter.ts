import { LRUCache } from 'lru-cache';
import type { Binary, Db } from 'mongodb';
import type { QuarterEnd } from '../../domain/ids.ts';
import { findAmong } from '../../store/mongo/lists.ts';
import {
  type Part,
  type Prices,
  packedPart,
  type QuarterContents,
  unpackedPart,
  unpackedPrices,
} from './quarter-parts.ts';

/**
 * A quarter's prices and copied portfolios, valid as long as the digest of its reports stays. Older releases stored all
 * portfolios in one field `byReport` and no `contentsDigest`: such a document counts as not stored.
 */
type QuarterDoc = {
  _id: QuarterEnd;
  reportsDigest: string;
  /** Of prices and parts. */
  contentsDigest: string;
  /** Of the quarter when its reports were read (`quarterStamps`): while it stays, so do they. */
  stamp: string;
  prices: Binary;
  pricesDigest: string;
  parts: Record<string, StoredPart>;
};

/** `portfolios`: each with the digest of what its report was. */
type StoredPart = { digest: string; portfolios: Binary };

const quartersIn = (db: Db) => db.collection<QuarterDoc>('leaderboard_quarters');

type Head = Pick<QuarterDoc, '_id' | 'reportsDigest' | 'contentsDigest' | 'stamp'>;
const HEAD: Record<keyof Head, 1> = { _id: 1, reportsDigest: 1, contentsDigest: 1, stamp: 1 };

export type StoredQuarter = QuarterContents & Head;

/** The quarters of one series, and one of them as it was: a change of one does not unpack the others. */
const kept = new LRUCache<string, QuarterContents>({ max: 4 });

/** Equal reports and contents have equal keys, whichever database they are of. What is kept is never changed. */
const keptUnder = ({ reportsDigest, contentsDigest }: Head): string => `${reportsDigest}|${contentsDigest}`;

const READABLE = { contentsDigest: { $exists: true } };

/** Without the contents. */
export async function storedHeads(db: Db, quarters: readonly QuarterEnd[]): Promise<Head[]> {
  return findAmong(quartersIn(db), { field: '_id', values: quarters, where: READABLE, projection: HEAD });
}

export async function storedQuarter(db: Db, quarterEnd: QuarterEnd): Promise<StoredQuarter | null> {
  const [head] = await storedHeads(db, [quarterEnd]);
  if (head === undefined) return null;
  const known = kept.get(keptUnder(head));
  if (known) return { ...head, ...known };
  const doc = await quartersIn(db).findOne({ _id: quarterEnd, ...READABLE });
  if (doc === null) return null;
  const { prices, pricesDigest, parts, ...rest } = doc;
  const unpacked = Object.entries(parts).map(([name, { digest, portfolios }]): [string, Part] => [
    name,
    { digest, portfolios: unpackedPart(portfolios) },
  ]);
  const contents = {
    prices: unpackedPrices({ packed: prices, digest: pricesDigest }),
    parts: new Map(unpacked),
  };
  kept.set(keptUnder(doc), contents);
  return { ...rest, ...contents };
}

/** Writes what is not the same object as in `before`, or the whole quarter where `before` is no longer stored. */
export async function saveQuarter(
  db: Db,
  quarter: StoredQuarter,
  before: StoredQuarter | null,
): Promise<void> {
  const { _id, prices, parts, ...head } = quarter;
  const isSaved = before !== null && (await saveChanges(db, quarter, before));
  if (!isSaved) {
    const packed = Array.from(parts, ([name, part]) => [name, docOfPart(part)]);
    const doc = { ...head, ...fieldsOf(prices), parts: Object.fromEntries(packed) };
    await quartersIn(db).replaceOne({ _id }, doc, { upsert: true });
  }
  kept.set(keptUnder(quarter), { prices, parts });
}

/** False where something else was stored since `before` was read: parts of two quarters must not mix. */
async function saveChanges(db: Db, quarter: StoredQuarter, before: StoredQuarter): Promise<boolean> {
  const { _id, prices, parts, ...head } = quarter;
  const { reportsDigest, contentsDigest } = before;
  const changed = [...parts].filter(([name, part]) => part !== before.parts.get(name));
  const gone = [...before.parts.keys()].filter((name) => !parts.has(name));
  const $set = {
    ...head,
    ...(prices === before.prices ? {} : fieldsOf(prices)),
    ...Object.fromEntries(changed.map(([name, part]) => [`parts.${name}`, docOfPart(part)])),
  };
  const $unset = Object.fromEntries(gone.map((name) => [`parts.${name}`, '' as const]));
  const update = gone.length === 0 ? { $set } : { $set, $unset };
  const { matchedCount } = await quartersIn(db).updateOne({ _id, reportsDigest, contentsDigest }, update);
  return matchedCount > 0;
}

function fieldsOf({ packed, digest }: Prices): Pick<QuarterDoc, 'prices' | 'pricesDigest'> {
  return { prices: packed, pricesDigest: digest };
}

function docOfPart(part: Part): StoredPart {
  return { digest: part.digest, portfolios: packedPart(part) };
}
