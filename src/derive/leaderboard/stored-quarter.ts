import { LRUCache } from 'lru-cache';
import type { Binary, Db } from 'mongodb';
import type { Cusip, QuarterEnd } from '../../domain/ids.ts';
import type { CopiedPosition, Portfolio } from '../../domain/leaderboard/portfolio.ts';
import type { PricedSecurity } from '../../domain/report/implied-price.ts';
import { findByIds } from '../../store/mongo/lists.ts';
import {
  AMOUNT,
  digestOfText,
  listOf,
  listText,
  PLAIN,
  packText,
  tupleOf,
  unpack,
} from '../../store/mongo/pack.ts';

/** A quarter's prices and copied portfolios, valid as long as the digest of its reports stays. */
type QuarterDoc = {
  _id: QuarterEnd;
  reportsDigest: string;
  /** Of prices and portfolios; absent in what an older release computed, as is `stamp`. */
  digest?: string;
  /** Of the quarter when its reports were read (`quarterStamps`): while it stays, so do they. */
  stamp?: string;
  prices: Binary;
  /** Each portfolio with the digest of what its report was; absent in what an older release computed. */
  byReport?: Binary;
};

export type StoredPrice = PricedSecurity & { readonly cusip: Cusip };

const PRICE = tupleOf<StoredPrice>({
  cusip: PLAIN,
  valueCents: AMOUNT,
  shares: AMOUNT,
  filers: PLAIN,
  compared: PLAIN,
  unchanged: PLAIN,
  splitLike: PLAIN,
});

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

const quartersIn = (db: Db) => db.collection<QuarterDoc>('leaderboard_quarters');

export type QuarterContents = {
  /** In order of CUSIP. */
  readonly prices: readonly StoredPrice[];
  /** By the key of the report that each was copied from, in order of CIK. */
  readonly portfolios: ReadonlyMap<string, Portfolio>;
};

/** `digest`: of the contents; undefined in what an older release computed. */
export type StoredQuarter = QuarterContents & Pick<QuarterDoc, 'reportsDigest' | 'digest' | 'stamp'>;

/** The quarters of one series, and one of them as it was: a change of one does not unpack the others. */
const kept = new LRUCache<string, QuarterContents>({ max: 4 });

/** Equal reports and contents have equal keys, whichever database they are of. What is kept is never changed. */
const keptUnder = ({ reportsDigest, digest }: Pick<QuarterDoc, 'reportsDigest' | 'digest'>): string =>
  `${reportsDigest}|${digest}`;

type Head = Pick<QuarterDoc, '_id' | 'reportsDigest' | 'digest' | 'stamp'>;
const HEAD: Record<keyof Head, 1> = { _id: 1, reportsDigest: 1, digest: 1, stamp: 1 };

/** Without the contents. */
export async function storedHeads(db: Db, quarters: readonly QuarterEnd[]): Promise<Head[]> {
  return findByIds(quartersIn(db), quarters, HEAD);
}

export async function storedQuarter(db: Db, quarterEnd: QuarterEnd): Promise<StoredQuarter | null> {
  const [head] = await storedHeads(db, [quarterEnd]);
  const known = head && kept.get(keptUnder(head));
  if (known) return { ...head, ...known };
  const doc = await quartersIn(db).findOne({ _id: quarterEnd });
  if (doc === null) return null;
  const { prices, byReport, ...rest } = doc;
  const entries = byReport === undefined ? [] : unpack<[string, unknown][]>(byReport);
  const contents = {
    prices: unpack<unknown[]>(prices).map(PRICE.decode),
    portfolios: new Map(entries.map(([key, portfolio]) => [key, PORTFOLIO.decode(portfolio)])),
  };
  if (doc.digest !== undefined) kept.set(keptUnder(doc), contents);
  return { ...rest, ...contents };
}

/** Contents as JSON. */
type QuarterText = { readonly prices: string; readonly portfolios: readonly (readonly [string, string])[] };

export function textOf({ prices, portfolios }: QuarterContents): QuarterText {
  return {
    prices: JSON.stringify(prices.map(PRICE.encode)),
    // One after another: the lists of all portfolios take several times as much as their JSON.
    portfolios: Array.from(portfolios, ([key, portfolio]) => [
      JSON.stringify(key),
      JSON.stringify(PORTFOLIO.encode(portfolio)),
    ]),
  };
}

/** Without the keys: another version of a report may say the same. */
export function digestOfContents({ prices, portfolios }: QuarterText): string {
  return digestOfText(listText([prices, listText(portfolios.map(([, portfolio]) => portfolio))]));
}

type Saving = { readonly contents: QuarterContents; readonly text: QuarterText };

export async function saveQuarter(db: Db, { _id, ...head }: Head, { contents, text }: Saving): Promise<void> {
  const { prices, portfolios } = text;
  const packed = { prices: packText(prices), byReport: packText(listText(portfolios.map(listText))) };
  await quartersIn(db).replaceOne({ _id }, { ...head, ...packed }, { upsert: true });
  kept.set(keptUnder(head), contents);
}
