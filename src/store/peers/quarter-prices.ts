import type { Binary, Db } from 'mongodb';
import { compare } from '../../domain/compare.ts';
import { type Cusip, issuerOf, type QuarterEnd } from '../../domain/ids.ts';
import type { QuarterPrice } from '../../domain/insider/price.ts';
import { findByIds } from '../mongo/lists.ts';
import { AMOUNT, PLAIN, pack, packParts, tupleOf, unpack, unpackPart } from '../mongo/pack.ts';
import { replaceUnlessNewer } from '../mongo/write.ts';

/**
 * What the reports of a quarter, as filed, imply that one share of each security cost at its end.
 * Prices of insiders are compared with it. It is computed with the peers of the quarter.
 */
type QuarterPricesDoc = {
  _id: QuarterEnd;
  /** Version of the peers that it was computed with; only moves forward. */
  version: number;
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
  const sum = [...issuer].reduce((total, sign) => (total * 31 + sign.charCodeAt(0)) % 65_521, 7);
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
  const before = await pricesIn(db).findOne({ _id: quarterEnd });
  if (before !== null && Number(before.version) > version) return [];
  const changed = changesOf(before, prices);
  if (before !== null && changed.length === 0) return [];
  const stored = [...prices].map(([cusip, price]) => ({ cusip, ...price }));
  const parts = packParts(
    stored.sort((a, b) => compare(a.cusip, b.cusip)),
    ({ cusip }) => partOf(issuerOf(cusip)),
    PRICE,
  );
  const doc = { _id: quarterEnd, version, parts, pendingCusips: pack(changed) };
  return (await replaceUnlessNewer(pricesIn(db), doc)) ? changed : [];
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

/** The changes of this run, and those that an interrupted run left over. */
function changesOf(before: QuarterPricesDoc | null, prices: QuarterPrices): Cusip[] {
  const known = tableOf(Object.values(before?.parts ?? {}).flatMap((part) => unpackPart(part, PRICE)));
  const changed = new Set<Cusip>(before?.pendingCusips ? unpack<Cusip[]>(before.pendingCusips) : []);
  for (const cusip of new Set([...known.keys(), ...prices.keys()])) {
    const [was, is] = [known.get(cusip), prices.get(cusip)];
    if (was?.valueCents !== is?.valueCents || was?.shares !== is?.shares) changed.add(cusip);
  }
  return [...changed].sort();
}
