import type { Db } from 'mongodb';
import { windowOf } from '../../domain/brief/insider-leg.ts';
import { addDays, filingWindowState, isBusinessDay } from '../../domain/calendar.ts';
import type { Leg } from '../../domain/filing/stored.ts';
import type { IsoDate, QuarterEnd } from '../../domain/ids.ts';
import { previousQuarterEnd } from '../../domain/quarter.ts';
import { backfillState } from '../../store/filing/backfill-state.ts';
import { filingsIn } from '../../store/filing/filings.ts';
import { type IndexDayDoc, knownIndexDays } from '../../store/filing/index-days.ts';
import { invalidate, invalidationsIn } from '../../store/invalidation/invalidations.ts';
import { corpusIn, type PublishedCorpus } from '../../store/publish/corpus.ts';
import { fundsIn } from '../../store/report/funds.ts';
import { invalidateSearchOfTickers } from '../search/invalidate-tickers.ts';

/** Marks every brief that was ever built or asked for and the tickers of the search, then that this was done. */
export async function invalidateCorpusFollowers(db: Db): Promise<void> {
  const before = await corpusIn(db).findOne({ _id: 'corpus' });
  if (before === null) return;
  await invalidate(db, 'brief', await invalidationsIn(db).distinct('key', { kind: 'brief' }));
  await invalidateSearchOfTickers(db);
  const same = before.version === undefined ? { $exists: false } : Number(before.version);
  await corpusIn(db).updateOne(
    { _id: 'corpus', version: same },
    { $set: { followersInvalidated: true, at: new Date().toISOString() } },
  );
}

/** The state as the stored filings, funds and index days have it now. */
export async function computeCorpus(db: Db, asOf: IsoDate): Promise<PublishedCorpus> {
  const latest = await latestReportedQuarterEnd(db);
  // Reports of the two quarters compared are filed after the earlier one's end.
  const comparedSince = latest === null ? asOf : previousQuarterEnd(latest);
  const [thirteenF, form4, days, backfill] = await Promise.all([
    countQuarantined(db, 'thirteen_f', { since: comparedSince, asOf }),
    countQuarantined(db, 'form4', { since: windowOf(asOf).start, asOf }),
    knownIndexDays(db),
    backfillState(db),
  ]);
  const known = days.filter((day) => day._id <= asOf);
  const coverage = coverageOf(known, backfill?.from ?? null);
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

/**
 * Of filings that could be in a number of today's briefs: filed since the day, up to the as-of date.
 * From the start of its year, because that is how a file without a readable header is dated.
 */
async function countQuarantined(
  db: Db,
  leg: Leg,
  filed: { readonly since: IsoDate; readonly asOf: IsoDate },
): Promise<number> {
  const yearStart = `${filed.since.slice(0, 4)}-01-01` as IsoDate;
  const filedDate = { $gte: yearStart, $lte: filed.asOf };
  return filingsIn(db).countDocuments({ state: 'quarantined', filedDate, leg });
}

/**
 * The unbroken run of known days around `from`, the first day that the last backfill asked for: the
 * watermark never passes a business day that could not be read (rule 10.5), and a gap of before
 * that backfill does not hold it back. Weekends and holidays have no index.
 */
export function coverageOf(
  days: readonly Pick<IndexDayDoc, '_id'>[],
  from: IsoDate | null = null,
): {
  readonly start: IsoDate | null;
  readonly through: IsoDate | null;
} {
  const anchor = Math.max(
    0,
    days.findIndex((day) => from === null || day._id >= from),
  );
  let first = anchor;
  while (isJoined(days[first - 1], days[first])) first -= 1;
  let last = anchor;
  while (isJoined(days[last], days[last + 1])) last += 1;
  return { start: days[first]?._id ?? null, through: days[last]?._id ?? null };
}

type Day = Pick<IndexDayDoc, '_id'> | undefined;

function isJoined(earlier: Day, later: Day): boolean {
  return earlier !== undefined && later !== undefined && !missesBusinessDay(earlier._id, later._id);
}

function missesBusinessDay(from: IsoDate, to: IsoDate): boolean {
  for (let day = addDays(from, 1); day < to; day = addDays(day, 1)) {
    if (isBusinessDay(day)) return true;
  }
  return false;
}
