import type { Binary, Db } from 'mongodb';
import { batches } from '../../domain/group.ts';
import type { QuarterEnd } from '../../domain/ids.ts';
import type {
  CountedQuarter,
  HeldQuarter,
  JudgedPortfolio,
  ManagerQuarter,
  QuarterSeries,
} from '../../domain/leaderboard/quarter-series.ts';
import { findByIds } from '../mongo/lists.ts';
import { AMOUNT, digestOfText, listOf, nullable, PLAIN, packText, tupleOf, unpack } from '../mongo/pack.ts';
import { boardInMotion } from './leaderboard.ts';

/** What a quarter adds to the series of all managers (rule 9.1): it follows from it and the two before. */
type SeriesDoc = {
  _id: QuarterEnd;
  /** Of these quarters and the method. */
  inputs: string;
  /** Of `series`. */
  digest: string;
  series: Binary;
};

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

export const seriesIn = (db: Db) => db.collection<SeriesDoc>('leaderboard_series');

/** @returns the digest of the series */
export async function saveSeries(db: Db, series: QuarterSeries, inputs: string): Promise<string> {
  const text = JSON.stringify(SERIES.encode(series));
  const doc = { inputs, digest: digestOfText(text), series: packText(text) };
  await seriesIn(db).replaceOne({ _id: series.quarterEnd }, doc, { upsert: true });
  return doc.digest;
}

/** Of the series of each quarter. */
export type SeriesDigests = ReadonlyMap<QuarterEnd, string>;

/** Packed series in memory: unpacked, all of them together are large. */
const READ_AT_ONCE = 12;

/** These series, unpacked one after another. Throws `leaderboard_in_motion` (retryable). */
export async function* storedSeries(db: Db, digests: SeriesDigests): AsyncGenerator<QuarterSeries> {
  for (const batch of batches([...digests], READ_AT_ONCE)) {
    const docs = await findByIds(
      seriesIn(db),
      batch.map(([quarterEnd]) => quarterEnd),
    );
    const stored = new Map(docs.map((doc) => [doc._id, doc]));
    for (const [quarterEnd, digest] of batch) {
      const doc = stored.get(quarterEnd);
      if (doc?.digest !== digest) {
        throw boardInMotion(`the series of ${quarterEnd} was replaced before it was read`);
      }
      yield SERIES.decode(unpack<unknown>(doc.series));
    }
  }
}
