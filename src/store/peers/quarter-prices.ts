import { type Binary, type Collection, type Db, MongoServerError } from 'mongodb';
import { type Cusip, issuerOf, type QuarterEnd } from '../../domain/ids.ts';
import type { QuarterPrice } from '../../domain/insider/price.ts';
import { pack, unpack } from '../mongo/packed.ts';

/**
 * What the reports of a quarter, as filed, imply that one share of each security cost at its end:
 * what prices of insiders are held against. Computed with the peers of the quarter.
 */
type QuarterPricesDoc = {
  _id: QuarterEnd;
  /** Version of the peers that it was computed with; only moves forward. */
  version: number;
  /** Prices by part of the CUSIPs, so that a few are read without the others. */
  parts: Record<string, Binary>;
  /** CUSIPs whose change has not been followed yet, packed; null when all were. */
  pendingCusips: Binary | null;
};

export type QuarterPrices = ReadonlyMap<Cusip, QuarterPrice>;

/** Amounts as decimal text: JSON has no bigint. */
type PackedPrice = [cusip: string, valueCents: string, shares: string];

const PARTS = 64;
const DUPLICATE_KEY = 11000;

function pricesIn(db: Db): Collection<QuarterPricesDoc> {
  return db.collection<QuarterPricesDoc>('quarter_prices');
}

/** All securities of an issuer are in one part. */
function partOf(issuer: string): string {
  const sum = [...issuer].reduce((total, sign) => (total * 31 + sign.charCodeAt(0)) % 65_521, 7);
  return (sum % PARTS).toString(36);
}

/**
 * Replaces a quarter's prices unless those of a later version stand, and answers the CUSIPs whose
 * price is another now: the caller marks what follows from them, then calls {@link noteFollowersInvalidated}.
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
  const doc = { version, parts: packParts(prices), pendingCusips: pack(changed) };
  try {
    const filter = { _id: quarterEnd, version: { $lte: version } };
    await pricesIn(db).updateOne(filter, { $set: doc }, { upsert: true });
  } catch (error) {
    if (!(error instanceof MongoServerError) || error.code !== DUPLICATE_KEY) throw error;
    return [];
  }
  return changed;
}

/** Every change up to this version was marked. */
export async function noteFollowersInvalidated(
  db: Db,
  quarterEnd: QuarterEnd,
  version: number,
): Promise<void> {
  await pricesIn(db).updateOne({ _id: quarterEnd, version }, { $set: { pendingCusips: null } });
}

/**
 * The known prices of all securities of the issuers at each of the quarter ends.
 * @param issuers the first six characters of a CUSIP each
 */
export async function pricesOf(
  db: Db,
  quarters: readonly QuarterEnd[],
  issuers: readonly string[],
): Promise<Map<QuarterEnd, QuarterPrices>> {
  if (quarters.length === 0 || issuers.length === 0) return new Map();
  const parts = [...new Set(issuers.map(partOf))];
  const projection = Object.fromEntries(parts.map((part) => [`parts.${part}`, 1]));
  const docs = await pricesIn(db)
    .find({ _id: { $in: [...new Set(quarters)] } }, { projection })
    .toArray();
  const wanted = new Set(issuers);
  return new Map(
    docs.map((doc) => [
      doc._id,
      new Map(
        parts
          .flatMap((part) => unpackPart(doc.parts?.[part]))
          .filter(([cusip]) => wanted.has(issuerOf(cusip))),
      ),
    ]),
  );
}

/** Those left over from a run that ended before it had marked them, and those of this one. */
function changesOf(before: QuarterPricesDoc | null, prices: QuarterPrices): Cusip[] {
  const known = new Map(Object.values(before?.parts ?? {}).flatMap(unpackPart));
  const changed = new Set<Cusip>(before?.pendingCusips ? unpack<Cusip[]>(before.pendingCusips) : []);
  for (const cusip of new Set([...known.keys(), ...prices.keys()])) {
    const [was, is] = [known.get(cusip), prices.get(cusip)];
    if (was?.valueCents !== is?.valueCents || was?.shares !== is?.shares) changed.add(cusip);
  }
  return [...changed].sort();
}

function packParts(prices: QuarterPrices): Record<string, Binary> {
  const parts = new Map<string, PackedPrice[]>();
  for (const [cusip, { valueCents, shares }] of [...prices].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const part = partOf(issuerOf(cusip));
    const packed = parts.get(part) ?? [];
    packed.push([cusip, valueCents.toString(), shares.toString()]);
    parts.set(part, packed);
  }
  return Object.fromEntries([...parts].map(([part, packed]) => [part, pack(packed)]));
}

function unpackPart(binary: Binary | undefined): [Cusip, QuarterPrice][] {
  if (binary === undefined) return [];
  return unpack<PackedPrice[]>(binary).map(([cusip, valueCents, shares]) => [
    cusip as Cusip,
    { valueCents: BigInt(valueCents), shares: BigInt(shares) },
  ]);
}
