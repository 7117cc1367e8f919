import { LRUCache } from 'lru-cache';
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

/** The series that was computed or read last, by its digest: each board asks twice for that of the latest quarter. */
const kept = new LRUCache<string, QuarterSeries>({ max: 1 });

/** @returns the digest of the series */
export async function saveSeries(db: Db, series: QuarterSeries, inputs: string): Promise<string> {
  const text = JSON.stringify(SERIES.encode(series));
  const doc = { inputs, digest: digestOfText(text), series: packText(text) };
  await seriesIn(db).replaceOne({ _id: series.quarterEnd }, doc, { upsert: true });
  kept.set(doc.digest, series);
  return doc.digest;
}

/** Of the series of each quarter. */
export type SeriesDigests = ReadonlyMap<QuarterEnd, string>;

/** Packed series in memory: unpacked, all of them together are large. */
const READ_AT_ONCE = 12;

/** These series, unpacked one after another. Throws `leaderboard_in_motion` (retryable). */
export async function* storedSeries(db: Db, digests: SeriesDigests): AsyncGenerator<QuarterSeries> {
  // Before anything is read, which takes its place.
  const known = new Map([...digests.values()].map((digest) => [digest, kept.get(digest)]));
  for (const batch of batches([...digests], READ_AT_ONCE)) {
    const unknown = batch.flatMap(([quarterEnd, digest]) => (known.get(digest) ? [] : [quarterEnd]));
    const docs = await findByIds(seriesIn(db), unknown);
    const stored = new Map(docs.map((doc) => [doc._id, doc]));
    for (const [quarterEnd, digest] of batch) {
      const series = known.get(digest);
      if (series !== undefined) {
        yield series;
        continue;
      }
      const doc = stored.get(quarterEnd);
      if (doc?.digest !== digest) {
        throw boardInMotion(`the series of ${quarterEnd} was replaced before it was read`);
      }
      const read = SERIES.decode(unpack<unknown>(doc.series));
      kept.set(digest, read);
      yield read;
    }
  }
}
