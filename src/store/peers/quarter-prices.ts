import { randomUUID } from 'node:crypto';
import type { Binary, Db } from 'mongodb';
import { compare } from '../../domain/compare.ts';
import { type Cusip, issuerOf, type QuarterEnd } from '../../domain/ids.ts';
import type { QuarterPrice } from '../../domain/insider/price.ts';
import { findByIds } from '../mongo/lists.ts';
import { AMOUNT, PLAIN, pack, packParts, tupleOf, unpack, unpackPart } from '../mongo/pack.ts';
import { insertOrLose, JOURNALED } from '../mongo/write.ts';

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

/** All securities of an issuer are in one part. */
function partOf(issuer: string): string {
  let sum = 7;
  for (let at = 0; at < issuer.length; at += 1) sum = (sum * 31 + issuer.charCodeAt(at)) % 65_521;
  return (sum % PARTS).toString(36);
}

/**
 * Replaces a quarter's prices unless a later version is stored, and returns the CUSIPs whose price
 * changed. The caller invalidates what follows from them, then calls {@link notePricesFollowed}.
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
  const doc = {
    ...{ _id: quarterEnd, version, stamp: randomUUID(), parts: packedParts(prices) },
    pendingCusips: changed.length === 0 ? null : pack(changed),
  };
  if (await replaceStored(db, doc, before?.stamp ?? null)) return changed;
  // Another worker wrote in between: what differs from that is another question.
  return savePrices(db, quarterEnd, { prices, version });
}

/** False where something else is stored than what has this stamp; null is nothing. */
async function replaceStored(db: Db, doc: QuarterPricesDoc, stamp: string | null): Promise<boolean> {
  if (stamp === null) return insertOrLose(pricesIn(db), doc);
  const { _id, ...rest } = doc;
  const { matchedCount } = await pricesIn(db).replaceOne({ _id, stamp }, rest, { writeConcern: JOURNALED });
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

async function storedPrices(db: Db, quarterEnd: QuarterEnd) {
  const doc = await pricesIn(db).findOne({ _id: quarterEnd });
  if (doc === null) return null;
  const { version, stamp, parts, pendingCusips } = doc;
  return {
    ...{ version: Number(version), stamp, pending: pendingCusips ? unpack<Cusip[]>(pendingCusips) : [] },
    prices: tableOf(Object.values(parts).flatMap((part) => unpackPart(part, PRICE))),
  };
}

function packedParts(prices: QuarterPrices): Record<string, Binary> {
  const items = [...prices]
    .map(([cusip, price]) => ({ cusip, ...price }))
    .sort((a, b) => compare(a.cusip, b.cusip));
  return packParts(items, ({ cusip }) => partOf(issuerOf(cusip)), PRICE);
}

/** CUSIPs with another price, or with none any more. */
function differingPrices(before: QuarterPrices, after: QuarterPrices): Cusip[] {
  const gone = [...before.keys()].filter((cusip) => !after.has(cusip));
  const others = [...after.keys()].filter((cusip) => !isSame(before.get(cusip), after.get(cusip)));
  return [...gone, ...others];
}

function isSame(was: QuarterPrice | undefined, is: QuarterPrice | undefined): boolean {
  return was?.valueCents === is?.valueCents && was?.shares === is?.shares;
}
