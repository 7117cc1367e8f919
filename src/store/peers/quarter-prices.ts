import type { Binary, Db } from 'mongodb';
import { compare } from '../../domain/compare.ts';
import { type Cusip, issuerOf, type QuarterEnd } from '../../domain/ids.ts';
import type { QuarterPrice } from '../../domain/insider/price.ts';
import { findByIds } from '../mongo/lists.ts';
import { AMOUNT, PLAIN, packParts, tupleOf, unpack, unpackPart } from '../mongo/pack.ts';
import { type PeerVerdictsDoc, peerVerdictsIn } from './corporate-actions.ts';

export type QuarterPrices = ReadonlyMap<Cusip, QuarterPrice>;

type StoredPrice = QuarterPrice & { readonly cusip: Cusip };

const PRICE = tupleOf<StoredPrice>({ cusip: PLAIN, valueCents: AMOUNT, shares: AMOUNT });

const PARTS = 64;

/** All securities of an issuer are in one part. */
function partOf(issuer: string): string {
  let sum = 7;
  for (let at = 0; at < issuer.length; at += 1) sum = (sum * 31 + issuer.charCodeAt(at)) % 65_521;
  return (sum % PARTS).toString(36);
}

/** For the document of the quarter's peers. */
export function packPrices(prices: QuarterPrices): Record<string, Binary> {
  const items = [...prices].map(([cusip, price]) => ({ cusip, ...price }));
  items.sort((a, b) => compare(a.cusip, b.cusip));
  return packParts(items, ({ cusip }) => partOf(issuerOf(cusip)), PRICE);
}

/** CUSIPs with another price than stored, or none any more, and those that an interrupted run left over. */
export function changedPrices(
  before: Pick<PeerVerdictsDoc, 'prices' | 'pendingPrices'> | null,
  prices: QuarterPrices,
): Cusip[] {
  const stored = tableOf(Object.values(before?.prices ?? {}).flatMap((part) => unpackPart(part, PRICE)));
  const pending = before?.pendingPrices ? unpack<Cusip[]>(before.pendingPrices) : [];
  const all = new Set([...stored.keys(), ...prices.keys()]);
  const differing = [...all].filter((cusip) => !isSame(stored.get(cusip), prices.get(cusip)));
  return [...new Set([...pending, ...differing])].sort();
}

function isSame(was: QuarterPrice | undefined, is: QuarterPrice | undefined): boolean {
  return was?.valueCents === is?.valueCents && was?.shares === is?.shares;
}

/**
 * The known prices of all securities of the issuers at each of the quarter ends.
 * @param issuers the first six characters of a CUSIP each
 */
export async function pricesOf(db: Db, quarters: readonly QuarterEnd[], issuers: readonly string[]) {
  if (issuers.length === 0) return new Map();
  const parts = [...new Set(issuers.map(partOf))];
  const projection = Object.fromEntries(parts.map((part) => [`prices.${part}`, 1]));
  const docs = await findByIds(peerVerdictsIn(db), quarters, projection);
  const wanted = new Set(issuers);
  return new Map(
    docs.map((doc) => {
      const prices = parts.flatMap((part) => unpackPart(doc.prices?.[part], PRICE));
      return [doc._id, tableOf(prices.filter(({ cusip }) => wanted.has(issuerOf(cusip))))];
    }),
  );
}

function tableOf(prices: readonly StoredPrice[]): Map<Cusip, QuarterPrice> {
  return new Map(prices.map(({ cusip, ...price }) => [cusip, price]));
}
