import type { Binary, Db } from 'mongodb';
import { batches } from '../../domain/group.ts';
import type { Cusip, QuarterEnd } from '../../domain/ids.ts';
import type { CopiedPosition, Portfolio } from '../../domain/leaderboard/portfolio.ts';
import type {
  CountedQuarter,
  HeldQuarter,
  JudgedPortfolio,
  ManagerQuarter,
  QuarterSeries,
} from '../../domain/leaderboard/quarter-series.ts';
import type { PricedSecurity, PriceTable } from '../../domain/report/implied-price.ts';
import { unavailable } from '../../errors.ts';
import { findAmong, findByIds } from '../../store/mongo/lists.ts';
import {
  AMOUNT,
  digestOf,
  digestOfText,
  listOf,
  nullable,
  PLAIN,
  pack,
  packText,
  tupleOf,
  unpack,
} from '../../store/mongo/pack.ts';

/** A quarter's prices and copied portfolios, valid as long as the digest of its reports stays. */
type ContentsDoc = {
  _id: QuarterEnd;
  reportsDigest: string;
  /** Of prices and portfolios. */
  contentsDigest: string;
  /** Of the quarter when its reports were read (`quarterStamps`): while it stays, so do they. */
  stamp: string;
  prices: Binary;
  /** Each with the key of the report that it was copied from. */
  portfolios: Binary;
};

/** Either part may be stored without the other. */
type QuarterDoc = Pick<ContentsDoc, '_id'> &
  Partial<ContentsDoc> & {
    /** What the quarter adds to the series of all managers (rule 9.1): it follows from it and the two before. */
    series?: {
      /** Of these quarters and the method. */
      readonly inputs: string;
      readonly digest: string;
      readonly packed: Binary;
    };
  };

type StoredPrice = PricedSecurity & { readonly cusip: Cusip };

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

/** By the key of the report that each was copied from, in order of CIK. */
export type Portfolios = ReadonlyMap<string, Portfolio>;

/** Prices in order of CUSIP. */
export type QuarterContents = { readonly prices: PriceTable; readonly portfolios: Portfolios };

const quartersIn = (db: Db) => db.collection<QuarterDoc>('leaderboard_quarters');

type Head = Pick<ContentsDoc, '_id' | 'reportsDigest' | 'contentsDigest' | 'stamp'>;
const HEAD: Record<keyof Head, 1> = { _id: 1, reportsDigest: 1, contentsDigest: 1, stamp: 1 };

export type StoredQuarter = QuarterContents & Head;

/** Without the contents. */
export async function storedHeads(
  db: Db,
  quarters: readonly QuarterEnd[],
): Promise<Pick<QuarterDoc, keyof Head>[]> {
  return findAmong(quartersIn(db), { field: '_id', values: quarters, projection: HEAD });
}

export async function storedQuarter(db: Db, quarterEnd: QuarterEnd): Promise<StoredQuarter | null> {
  const doc = await quartersIn(db).findOne({ _id: quarterEnd }, { projection: { series: 0 } });
  if (doc?.stamp === undefined) return null;
  const { prices, portfolios, ...head } = doc as ContentsDoc;
  const copied = unpack<[string, unknown][]>(portfolios);
  return {
    ...head,
    prices: new Map(PRICES.decode(unpack(prices)).map(({ cusip, ...price }) => [cusip, price])),
    portfolios: new Map(copied.map(([key, portfolio]) => [key, PORTFOLIO.decode(portfolio)])),
  };
}

/** Replaces the contents of the quarter. */
export async function saveQuarter(
  db: Db,
  { _id, prices, portfolios, ...head }: StoredQuarter,
): Promise<void> {
  const copied = Array.from(portfolios, ([key, portfolio]) => [key, PORTFOLIO.encode(portfolio)]);
  const doc = { ...head, prices: pack(encodedPrices(prices)), portfolios: pack(copied) };
  await quartersIn(db).updateOne({ _id }, { $set: doc }, { upsert: true });
}

/** Equal contents have equal digests. Without the keys: another version of a report may say the same. */
export function digestOfContents({ prices, portfolios }: QuarterContents): string {
  return digestOf([encodedPrices(prices), Array.from(portfolios.values(), PORTFOLIO.encode)]);
}

function encodedPrices(prices: PriceTable): unknown {
  return PRICES.encode(Array.from(prices, ([cusip, price]) => ({ cusip, ...price })));
}

const SERIES = tupleOf<QuarterSeries>({
  quarterEnd: PLAIN,
  isBenchmarked: PLAIN,
  managers: listOf(
    tupleOf<ManagerQuarter>({
      cik: PLAIN,
      portfolio: nullable(
        tupleOf<JudgedPortfolio>({
          lagDays: PLAIN,
          holdingsCount: PLAIN,
          top10Weight: AMOUNT,
          optionShare: AMOUNT,
          reasons: PLAIN,
        }),
      ),
      lagged: nullable(
        tupleOf<HeldQuarter>({
          counted: nullable(tupleOf<CountedQuarter>({ gained: AMOUNT, excess: AMOUNT })),
          carried: AMOUNT,
          lost: AMOUNT,
          pricedWeight: AMOUNT,
        }),
      ),
      disclosed: nullable(AMOUNT),
      turnover: nullable(AMOUNT),
    }),
  ),
});

/** The inputs and the digest of each series that is stored. */
export async function seriesHeads(db: Db, quarters: readonly QuarterEnd[]) {
  const docs = await findByIds(quartersIn(db), quarters, { 'series.inputs': 1, 'series.digest': 1 });
  return new Map(docs.map(({ _id, series }) => [_id, series]));
}

/** @returns the digest of the series */
export async function saveSeries(db: Db, series: QuarterSeries, inputs: string): Promise<string> {
  const text = JSON.stringify(SERIES.encode(series));
  const stored = { inputs, digest: digestOfText(text), packed: packText(text) };
  await quartersIn(db).updateOne({ _id: series.quarterEnd }, { $set: { series: stored } }, { upsert: true });
  return stored.digest;
}

/** Of the series of each quarter. */
export type SeriesDigests = ReadonlyMap<QuarterEnd, string>;

/** Packed series in memory: unpacked, all of them together are large. */
const READ_AT_ONCE = 12;

/** These series, unpacked one after another. Throws `leaderboard_in_motion` (retryable). */
export async function* storedSeries(db: Db, digests: SeriesDigests): AsyncGenerator<QuarterSeries> {
  for (const batch of batches([...digests], READ_AT_ONCE)) {
    const ids = batch.map(([quarterEnd]) => quarterEnd);
    const docs = await findByIds(quartersIn(db), ids, { series: 1 });
    const stored = new Map(docs.map(({ _id, series }) => [_id, series]));
    for (const [quarterEnd, digest] of batch) {
      const series = stored.get(quarterEnd);
      if (series?.digest !== digest) {
        throw unavailable(
          'leaderboard_in_motion',
          `the series of ${quarterEnd} was replaced before it was read`,
        );
      }
      yield SERIES.decode(unpack<unknown>(series.packed));
    }
  }
}
