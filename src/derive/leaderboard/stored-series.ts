import type { Db } from 'mongodb';
import { batches } from '../../domain/group.ts';
import type { QuarterEnd } from '../../domain/ids.ts';
import type {
  CountedQuarter,
  HeldQuarter,
  JudgedPortfolio,
  ManagerQuarter,
  QuarterSeries,
} from '../../domain/leaderboard/quarter-series.ts';
import { unavailable } from '../../errors.ts';
import { findByIds } from '../../store/mongo/lists.ts';
import {
  AMOUNT,
  digestOfText,
  listOf,
  nullable,
  PLAIN,
  packText,
  tupleOf,
  unpack,
} from '../../store/mongo/pack.ts';
import { quartersIn } from './stored-quarter.ts';

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
    const docs = await findByIds(
      quartersIn(db),
      batch.map(([quarterEnd]) => quarterEnd),
      { series: 1 },
    );
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
