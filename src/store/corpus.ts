import type { Collection, Db } from 'mongodb';
import type { CorpusState } from '../domain/brief-input.ts';
import { addDays, filingWindowState, isBusinessDay } from '../domain/calendar.ts';
import type { IsoDate, QuarterEnd } from '../domain/ids.ts';
import { dirtyIn, markDirty } from './dirty.ts';
import { filingsIn } from './filings.ts';
import { fundsIn } from './funds.ts';
import { type IndexDayDoc, knownIndexDays } from './index-days.ts';

/**
 * What every brief says of the corpus as a whole, published as one document, so that all workers
 * build from the same words and equal filings give equal ids. Changing it makes every brief dirty.
 */
export type PublishedCorpus = { readonly asOf: IsoDate; readonly state: CorpusState };

type CorpusDoc = { _id: 'corpus'; published: PublishedCorpus; at: string; marked: boolean };

export type Publication = {
  readonly corpus: PublishedCorpus;
  readonly at: string;
  /** Every brief was marked for it; false after a crash in between. */
  readonly marked: boolean;
};

function corpusIn(db: Db): Collection<CorpusDoc> {
  return db.collection<CorpusDoc>('corpus');
}

/** Null before the first one was published: no brief is built until then. */
export async function publishedCorpus(db: Db): Promise<Publication | null> {
  const doc = await corpusIn(db).findOne({ _id: 'corpus' });
  return doc === null ? null : { corpus: doc.published, at: doc.at, marked: doc.marked };
}

export async function publishCorpus(db: Db, published: PublishedCorpus): Promise<void> {
  await corpusIn(db).updateOne(
    { _id: 'corpus' },
    { $set: { published, at: new Date().toISOString(), marked: false } },
    { upsert: true },
  );
}

/** Marks every brief that was ever built or asked for, then that this was done. */
export async function markCorpusFollowers(db: Db): Promise<void> {
  await markDirty(db, 'brief', await dirtyIn(db).distinct('key', { kind: 'brief' }));
  await corpusIn(db).updateOne({ _id: 'corpus' }, { $set: { marked: true } });
}

/** The state as the stored filings, funds and index days have it now. */
export async function computeCorpus(db: Db, asOf: IsoDate): Promise<PublishedCorpus> {
  const [latest, thirteenF, form4, days] = await Promise.all([
    latestReportedQuarterEnd(db),
    countQuarantined(db, asOf, /^13F/),
    countQuarantined(db, asOf, /^4/),
    knownIndexDays(db),
  ]);
  const known = days.filter((day) => day._id <= asOf);
  const coverage = coverageOf(known);
  return {
    asOf,
    state: {
      corpus: 'Form 13F reports of the managers tracked by Tidemark',
      sourceComplete: !known.some((day) => day.selection),
      latestReportedQuarterEnd: latest,
      filingWindow: latest === null ? 'closed' : filingWindowState(latest, asOf),
      coverageStart: coverage.start,
      indexedThrough: coverage.through,
      quarantined: { thirteenF, form4 },
    },
  };
}

async function latestReportedQuarterEnd(db: Db): Promise<QuarterEnd | null> {
  const fund = await fundsIn(db).find().sort({ latestQuarterEnd: -1 }).limit(1).next();
  return fund?.latestQuarterEnd ?? null;
}

async function countQuarantined(db: Db, asOf: IsoDate, form: RegExp): Promise<number> {
  return filingsIn(db).countDocuments({ state: 'quarantined', filedDate: { $lte: asOf }, form });
}

/**
 * From the first known day on, as far as no business day is missing: the watermark never passes a
 * day that could not be read (domain 2.13). Weekends and holidays have no index.
 */
export function coverageOf(days: readonly Pick<IndexDayDoc, '_id'>[]): {
  readonly start: IsoDate | null;
  readonly through: IsoDate | null;
} {
  const start = days[0]?._id ?? null;
  if (start === null) return { start: null, through: null };
  let through = start;
  for (const { _id: day } of days) {
    if (day > through && missesBusinessDay(through, day)) break;
    through = day;
  }
  return { start, through };
}

function missesBusinessDay(from: IsoDate, to: IsoDate): boolean {
  for (let day = addDays(from, 1); day < to; day = addDays(day, 1)) {
    if (isBusinessDay(day)) return true;
  }
  return false;
}
