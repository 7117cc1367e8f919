import { Binary } from 'mongodb';
import { compare } from '../../domain/compare.ts';
import { groupBy } from '../../domain/group.ts';
import type { Cik, Cusip } from '../../domain/ids.ts';
import type { CopiedPosition, Portfolio } from '../../domain/leaderboard/portfolio.ts';
import type { PricedSecurity, PriceTable } from '../../domain/report/implied-price.ts';
import {
  AMOUNT,
  digestOf,
  digestOfText,
  listOf,
  PLAIN,
  pack,
  packText,
  tupleOf,
  unpack,
} from '../../store/mongo/pack.ts';

export type StoredPrice = PricedSecurity & { readonly cusip: Cusip };

const PRICES = listOf(
  tupleOf<StoredPrice>({
    cusip: PLAIN,
    valueCents: AMOUNT,
    shares: AMOUNT,
    filers: PLAIN,
    compared: PLAIN,
    unchanged: PLAIN,
    splitLike: PLAIN,
  }),
);

const PORTFOLIO = tupleOf<Portfolio>({
  cik: PLAIN,
  quarterEnd: PLAIN,
  lagDays: PLAIN,
  holdingsCount: PLAIN,
  top10Weight: AMOUNT,
  optionShare: AMOUNT,
  reasons: PLAIN,
  copied: listOf(tupleOf<CopiedPosition>({ cusip: PLAIN, weight: AMOUNT })),
});

/** In order of CUSIP. */
export type Prices = {
  readonly list: readonly StoredPrice[];
  readonly digest: string;
  readonly packed: Binary;
};

/** By the key of the report that each was copied from, in order of CIK. */
export type Portfolios = ReadonlyMap<string, Portfolio>;

/** The portfolios of some managers. */
export type Part = { readonly portfolios: Portfolios; readonly digest: string };
export type Parts = ReadonlyMap<string, Part>;

export type QuarterContents = { readonly prices: Prices; readonly parts: Parts };

/** Prices that say the same as before are the same object. */
export function pricesOfList(list: readonly StoredPrice[], before?: Prices): Prices {
  const text = JSON.stringify(PRICES.encode(list));
  const digest = digestOfText(text);
  return digest === before?.digest ? before : { list, digest, packed: packText(text) };
}

const tables = new WeakMap<Prices, PriceTable>();

/** By CUSIP: once for prices that stay. */
export function tableOf(prices: Prices): PriceTable {
  const table = tables.get(prices) ?? new Map(prices.list.map(({ cusip, ...price }) => [cusip, price]));
  tables.set(prices, table);
  return table;
}

export function unpackedPrices({ packed, digest }: Pick<Prices, 'packed' | 'digest'>): Prices {
  // A copy: what the driver gives keeps the whole document in memory.
  return { list: PRICES.decode(unpack(packed)), digest, packed: new Binary(Buffer.from(packed.buffer)) };
}

/** One changed portfolio has a 64th of all encoded, hashed and written again. */
const PARTS = 64;

const partOf = (cik: Cik): string => (Number(cik) % PARTS).toString(36);

/** A part with the same keys as before is the same object. */
export function partsOf(portfolios: Portfolios, before: Parts): Parts {
  const groups = groupBy([...portfolios], ([, { cik }]) => partOf(cik));
  return new Map(Array.from(groups, ([name, own]) => [name, partWith(new Map(own), before.get(name))]));
}

/** Digested without the keys: another version of a report may say the same. */
function partWith(portfolios: Portfolios, before: Part | undefined): Part {
  const isSame =
    before?.portfolios.size === portfolios.size &&
    [...portfolios.keys()].every((key) => before.portfolios.has(key));
  if (isSame) return before;
  return { portfolios, digest: digestOf(Array.from(portfolios.values(), PORTFOLIO.encode)) };
}

const flattened = new WeakMap<Parts, Portfolios>();

/** The portfolios of all parts, in order of CIK: once for parts that stay. */
export function portfoliosOf(parts: Parts): Portfolios {
  const known = flattened.get(parts);
  if (known !== undefined) return known;
  const all = [...parts.values()].flatMap(({ portfolios }) => [...portfolios]);
  const inOrder = new Map(all.sort(([, a], [, b]) => compare(a.cik, b.cik)));
  flattened.set(parts, inOrder);
  return inOrder;
}

export function packedPart({ portfolios }: Part): Binary {
  return pack(Array.from(portfolios, ([key, portfolio]) => [key, PORTFOLIO.encode(portfolio)]));
}

export function unpackedPart(packed: Binary): Portfolios {
  const entries = unpack<[string, unknown][]>(packed);
  return new Map(entries.map(([key, portfolio]) => [key, PORTFOLIO.decode(portfolio)]));
}

/** Equal contents have equal digests. */
export function digestOfContents({ prices, parts }: QuarterContents): string {
  const inOrder = [...parts].sort(([a], [b]) => compare(a, b));
  return digestOf([prices.digest, ...inOrder.map(([, { digest }]) => digest)]);
}
