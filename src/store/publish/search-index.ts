import type { Binary, Db } from 'mongodb';
import type { Cik, Cusip, Ticker } from '../../domain/ids.ts';
import type { SearchEntry } from '../../domain/search/entry.ts';
import { digestOf, pack, unpack } from '../mongo/pack.ts';
import { replaceUnlessNewer, type Versioned } from '../mongo/write.ts';
import { bucketOf, POSITION_BUCKETS } from '../report/positions.ts';

/**
 * The search index is in parts, each one document: funds and their managers by CIK (`f0` to `ff`),
 * securities by the buckets of their positions (`h0` to `hf`). A part is small enough to be written
 * as a whole when one entry changes, and the parts are few enough to be looked at for every change.
 * Readers keep the parts in memory.
 */
const PARTS_OF_A_KIND = 16;

const digits = Array.from({ length: PARTS_OF_A_KIND }, (_, n) => n.toString(16));
export const SECURITY_PARTS: readonly string[] = digits.map((digit) => `h${digit}`);
export const SEARCH_PARTS: readonly string[] = [...digits.map((digit) => `f${digit}`), ...SECURITY_PARTS];

const BUCKETS_PER_PART = POSITION_BUCKETS / PARTS_OF_A_KIND;

export function isSecurityPart(part: string): boolean {
  return part.startsWith('h');
}

export function partOfFund(cik: Cik): string {
  return `f${(Number(cik) % PARTS_OF_A_KIND).toString(16)}`;
}

export function partOfSecurity(cusip: Cusip): string {
  return `h${Math.floor(Number.parseInt(bucketOf(cusip), 16) / BUCKETS_PER_PART).toString(16)}`;
}

/** The ticker of each security of a part that has one on the as-of date, by CUSIP. */
type PartTickers = readonly (readonly [Cusip, Ticker])[];

/** One part of the index. `at`: when it was computed last, changed or not. */
type PartDoc = Versioned & { digest: string; at: string; entries: Binary; tickers: Binary };

/** A part is some hundred kilobytes, and is read only when it changed. */
const READ_MS = 5_000;

export const partsIn = (db: Db) => db.collection<PartDoc>('search_parts');

/** What a part shows. */
export type SearchPart = { readonly entries: readonly SearchEntry[]; readonly tickers: PartTickers };

type Computed = { readonly shown: SearchPart; readonly version: number; readonly at: string };

/** Shows a part, unless a later version of it is shown. */
export async function publishPart(db: Db, part: string, { shown, version, at }: Computed): Promise<void> {
  const { entries, tickers } = shown;
  const digest = digestOf([entries, tickers]);
  const doc = { _id: part, version, at, digest, entries: pack(entries), tickers: pack(tickers) };
  await replaceUnlessNewer(partsIn(db), [doc]);
}

/** The digest of each part, by which readers see what changed. Reads small fields by exact ids. */
export async function partDigests(db: Db, maxMs: number): Promise<Map<string, string>> {
  const docs = await partsIn(db)
    .find({ _id: { $in: [...SEARCH_PARTS] } }, { projection: { digest: 1 }, maxTimeMS: maxMs })
    .toArray();
  return new Map(docs.map((doc) => [doc._id, doc.digest]));
}

/** A part as it is stored. */
export type PublishedPart = {
  readonly digest: string;
  readonly entries: readonly SearchEntry[];
  readonly tickers: PartTickers;
};

/** Null when it was never published. */
export async function readPart(db: Db, part: string): Promise<PublishedPart | null> {
  const doc = await partsIn(db).findOne({ _id: part }, { maxTimeMS: READ_MS });
  if (doc === null) return null;
  const tickers = unpack<PartTickers>(doc.tickers);
  return { digest: doc.digest, entries: unpack<SearchEntry[]>(doc.entries), tickers };
}
