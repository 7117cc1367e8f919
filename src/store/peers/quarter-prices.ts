import { randomUUID } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Binary, Db } from 'mongodb';
import { compare } from '../../domain/compare.ts';
import { type Cusip, issuerOf, type QuarterEnd } from '../../domain/ids.ts';
import type { QuarterPrice } from '../../domain/insider/price.ts';
import { findByIds } from '../mongo/lists.ts';
import { AMOUNT, PLAIN, pack, packParts, tupleOf, unpack, unpackPart } from '../mongo/pack.ts';
import { JOURNALED, replaceUnlessNewer } from '../mongo/write.ts';

/**
 * What the reports of a quarter, as filed, imply that one share of each security cost at its end.
 * Prices of insiders are compared with it. It is computed with the peers of the quarter.
 */
type QuarterPricesDoc = {
  _id: QuarterEnd;
  /** Version of the peers that it was computed with; only moves forward. */
  version: number;
  /** Another one for each write, also of equal prices. */
  stamp: string;
  /** Prices by part of the CUSIPs, so that a few are read without the others. */
  parts: Record<string, Binary>;
  /** CUSIPs whose followers have not been invalidated yet, packed; null when all were. */
  pendingCusips: Binary | null;
};

export type QuarterPrices = ReadonlyMap<Cusip, QuarterPrice>;

type StoredPrice = QuarterPrice & { readonly cusip: Cusip };

const PRICE = tupleOf<StoredPrice>({ cusip: PLAIN, valueCents: AMOUNT, shares: AMOUNT });

const PARTS = 64;

const pricesIn = (db: Db) => db.collection<QuarterPricesDoc>('quarter_prices');

const HEAD = { version: 1, stamp: 1, pendingCusips: 1 };

/** All securities of an issuer are in one part. */
function partOf(issuer: string): string {
  let sum = 7;
  for (let at = 0; at < issuer.length; at += 1) sum = (sum * 31 + issuer.charCodeAt(at)) % 65_521;
  return (sum % PARTS).toString(36);
}

const partOfCusip = (cusip: Cusip): string => partOf(issuerOf(cusip));

/** The prices that this process wrote or read last, of the quarters around a change. Valid for their stamp alone. */
const kept = new LRUCache<QuarterEnd, { readonly stamp: string; readonly prices: QuarterPrices }>({ max: 4 });

/**
 * Replaces a quarter's prices unless a later version is stored, and returns the CUSIPs whose price
 * changed. The caller invalidates what follows from them, then calls {@link notePricesFollowed}.
 * @param prices are kept by this process and must not be changed afterwards
 */
export async function savePrices(
  db: Db,
  quarterEnd: QuarterEnd,
  { prices, version }: { readonly prices: QuarterPrices; readonly version: number },
): Promise<Cusip[]> {
  const before = await storedPrices(db, quarterEnd);
  if (before !== null && before.version > version) return [];
  const differing = differingPrices(before?.prices ?? new Map(), prices);
  // Those that an interrupted run left over too.
  const changed = [...new Set([...(before?.pending ?? []), ...differing])].sort();
  const doc = { _id: quarterEnd, version, stamp: randomUUID(), pendingCusips: pendingOf(changed) };
  if (before === null) {
    const parts = packedParts(prices, () => true);
    if (!(await replaceUnlessNewer(pricesIn(db), { ...doc, parts }))) return [];
  } else if (!(await replaceParts(db, doc, { over: before.stamp, prices, cusips: differing }))) {
    // Another worker wrote in between: what differs from that is another question.
    return savePrices(db, quarterEnd, { prices, version });
  }
  kept.set(quarterEnd, { stamp: doc.stamp, prices });
  return changed;
}

function pendingOf(cusips: readonly Cusip[]): Binary | null {
  return cusips.length === 0 ? null : pack(cusips);
}

type Differing = {
  /** The stamp of what is stored, as it was read. */
  readonly over: string;
  readonly prices: QuarterPrices;
  /** Those with another price, or with none any more. */
  readonly cusips: readonly Cusip[];
};

/** Writes only the parts that differ. False when they would mix with those of another write. */
async function replaceParts(
  db: Db,
  { _id, ...head }: Omit<QuarterPricesDoc, 'parts'>,
  { over, prices, cusips }: Differing,
): Promise<boolean> {
  const touched = new Set(cusips.map(partOfCusip));
  const packed = packedParts(prices, (part) => touched.has(part));
  const fields = [...touched].map((part) => [`parts.${part}`, packed[part]] as const);
  const emptied = fields.filter(([, part]) => part === undefined);
  const update = {
    $set: { ...head, ...Object.fromEntries(fields.filter(([, part]) => part !== undefined)) },
    ...(emptied.length > 0 && { $unset: Object.fromEntries(emptied.map(([field]) => [field, '' as const])) }),
  };
  const filter = { _id, stamp: over };
  const { matchedCount } = await pricesIn(db).updateOne(filter, update, { writeConcern: JOURNALED });
  return Number(matchedCount) === 1;
}

/** Notes that the followers of every change up to this version were invalidated. */
export async function notePricesFollowed(db: Db, quarterEnd: QuarterEnd, version: number): Promise<void> {
  await pricesIn(db).updateOne({ _id: quarterEnd, version }, { $set: { pendingCusips: null } });
}

/**
 * The known prices of all securities of the issuers at each of the quarter ends.
 * @param issuers the first six characters of a CUSIP each
 */
export async function pricesOf(db: Db, quarters: readonly QuarterEnd[], issuers: readonly string[]) {
  if (issuers.length === 0) return new Map();
  const parts = [...new Set(issuers.map(partOf))];
  const projection = Object.fromEntries(parts.map((part) => [`parts.${part}`, 1]));
  const docs = await findByIds(pricesIn(db), quarters, projection);
  const wanted = new Set(issuers);
  return new Map(
    docs.map((doc) => {
      const prices = parts.flatMap((part) => unpackPart(doc.parts?.[part], PRICE));
      return [doc._id, tableOf(prices.filter(({ cusip }) => wanted.has(issuerOf(cusip))))];
    }),
  );
}

function tableOf(prices: readonly StoredPrice[]): Map<Cusip, QuarterPrice> {
  return new Map(prices.map(({ cusip, ...price }) => [cusip, price]));
}

/** What is stored now; unpacked only where this process does not keep it. */
async function storedPrices(db: Db, quarterEnd: QuarterEnd) {
  const head = await pricesIn(db).findOne({ _id: quarterEnd }, { projection: HEAD });
  const own = kept.get(quarterEnd);
  if (head !== null && own !== undefined && own.stamp === head.stamp)
    return { ...headOf(head), prices: own.prices };
  const doc = head && (await pricesIn(db).findOne({ _id: quarterEnd }));
  if (doc === null) return null;
  const prices = tableOf(Object.values(doc.parts).flatMap((part) => unpackPart(part, PRICE)));
  kept.set(quarterEnd, { stamp: doc.stamp, prices });
  return { ...headOf(doc), prices };
}

function headOf({ version, stamp, pendingCusips }: Omit<QuarterPricesDoc, 'parts'>) {
  return { version: Number(version), stamp, pending: pendingCusips ? unpack<Cusip[]>(pendingCusips) : [] };
}

function packedParts(prices: QuarterPrices, isWanted: (part: string) => boolean): Record<string, Binary> {
  const wanted = [...prices.keys()].filter((cusip) => isWanted(partOfCusip(cusip))).sort(compare);
  const items = wanted.map((cusip) => ({ cusip, ...(prices.get(cusip) as QuarterPrice) }));
  return packParts(items, ({ cusip }) => partOfCusip(cusip), PRICE);
}

/** Prices that did not change are mostly the same objects. */
function differingPrices(before: QuarterPrices, after: QuarterPrices): Cusip[] {
  if (before === after) return [];
  const gone = [...before.keys()].filter((cusip) => !after.has(cusip));
  const others = [...after.keys()].filter((cusip) => !isSame(before.get(cusip), after.get(cusip)));
  return [...gone, ...others];
}

function isSame(was: QuarterPrice | undefined, is: QuarterPrice | undefined): boolean {
  return was === is || (was?.valueCents === is?.valueCents && was?.shares === is?.shares);
}
