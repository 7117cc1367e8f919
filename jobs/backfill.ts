import type { Db } from 'mongodb';
import { backfill as backfills, bulk as bulks, reconcile } from '../queues/discover.ts';
import { importSource } from '../src/bulk/import.ts';
import { daysIn, wantedDataSets } from '../src/bulk/recent.ts';
import { today } from '../src/derive/corpus/as-of.ts';
import { addDays, isBusinessDay } from '../src/domain/calendar.ts';
import { compare } from '../src/domain/compare.ts';
import { BRIEF_DAYS } from '../src/domain/filing/index-coverage.ts';
import { REREAD_DAYS } from '../src/domain/filing/lane.ts';
import type { IsoDate } from '../src/domain/ids.ts';
import { downloadDataSet, removeLeftDownloads } from '../src/edgar/data-set/download.ts';
import { kindOfDataSet } from '../src/edgar/data-set/published.ts';
import { repeated } from '../src/edgar/repeated.ts';
import { AppError } from '../src/errors.ts';
import { clearIndexAlarm, indexAlarms } from '../src/store/filing/alarms.ts';
import { dataSetsNamed, noteDataSetFailure, noteUnpublished } from '../src/store/filing/data-sets.ts';
import {
  emptyIndexDay,
  knownIndexDays,
  lastBackfill,
  saveBackfill,
  saveIndexDays,
} from '../src/store/filing/index-days.ts';
import type { Job, JobContext } from './worker/context.ts';

/**
 * Enqueues the reading of every daily index in the range that was not read to its end yet; a new installation
 * reads what briefs rest on. Days that data sets bring are held back until these are imported: a set takes
 * minutes, its filings one by one a day.
 */
export const backfill: Job<'backfill'> = async (context, payload) => {
  const { db, producer, config, now, edgar } = context;
  const { slot } = payload;
  const asOf = await today(context);
  const through = payload.through !== undefined && payload.through < asOf ? payload.through : asOf;
  const from = payload.from ?? config.backfillFrom ?? addDays(asOf, -BRIEF_DAYS);
  const reread = payload.again === true ? from : addDays(asOf, -REREAD_DAYS);
  const { open, absent, gone, listed } = await unreadDays(context, { from, through });
  const missing = listed.filter((day) => open.has(day) || day >= reread);
  const unread = [...listed.filter((day) => open.has(day)), ...absent];
  const dataSets = await wantedDataSets(db, { days: unread, asOf, listed: await edgar.listDataSets() });
  const held = new Set(dataSets.flatMap((name) => daysIn(name, unread)));
  const at = now().toISOString();
  // A listing may be late or cut short: only the day's own index can say that there is none (rule 10.5).
  if (edgar.isLocal) await settleAbsent(db, { absent, gone, at });
  const asked = edgar.isLocal ? missing : [...new Set([...missing, ...absent, ...gone])];
  await producer.enqueueAll(
    reconcile,
    inReadingOrder(
      asked.filter((day) => !held.has(day)),
      asOf,
    ).map((date) => ({ date, run: slot })),
  );
  const days = missing.filter((day) => !held.has(day));
  await saveBackfill(db, { slot, from, through, days, held: [...held].sort(), dataSets, at });
  if (dataSets.length > 0) await producer.enqueue(bulks, { slot });
};

/**
 * What briefs rest on first, from its oldest day on: so the watermark grows day by day and never passes one that fails.
 * Then history, the newest days first.
 */
function inReadingOrder(days: readonly IsoDate[], asOf: IsoDate): IsoDate[] {
  const since = addDays(asOf, -BRIEF_DAYS);
  const ascending = days.toSorted(compare);
  const history = ascending.filter((day) => day < since);
  return [...ascending.slice(history.length), ...history.reverse()];
}

type Range = { readonly from: IsoDate; readonly through: IsoDate };

async function unreadDays(context: JobContext, { from, through }: Range) {
  const { db } = context;
  const days = await knownIndexDays(db);
  const known = new Set(days.map((day) => day._id));
  // One that had no index and is listed now is read.
  const empty = new Set(days.flatMap((day) => (day.status === 'empty' ? [day._id] : [])));
  const listed = await listedDays(context, from, through);
  const alarmed = new Set((await indexAlarms(db)).map((alarm) => alarm.name));
  const open = new Set(listed.filter((day) => !known.has(day) || empty.has(day) || alarmed.has(day)));
  // The range begins at EDGAR's first listed day at the earliest.
  const expected = businessDays(listed[0] ?? from, through);
  const absent = expected.filter((day) => !known.has(day) && !listed.includes(day));
  // An index that was there for a while and is not listed any more, as of a holiday.
  const gone = [...alarmed].filter((day) => day <= through && !listed.includes(day));
  return { open, absent, gone, listed };
}

type Absent = { readonly absent: readonly IsoDate[]; readonly gone: readonly IsoDate[]; readonly at: string };

/** An index that a local folder lacks never appears. */
async function settleAbsent(db: Db, { absent, gone, at }: Absent): Promise<void> {
  const empty = absent.map((day) => emptyIndexDay(day, at));
  await saveIndexDays(db, empty);
  for (const day of gone) await clearIndexAlarm(db, day);
}

/** A breaker that is open longer sends the job back to its queue. */
const MOST_WAIT_MS = 10_000;

/**
 * Days with an index, from the listings of their quarters: one request instead of one for each day. All of history has
 * more than a hundred listings: one that fails is asked for again, and not all of them.
 */
async function listedDays({ edgar, stopping }: JobContext, from: IsoDate, through: IsoDate) {
  const days: IsoDate[] = [];
  for (const year of await repeated(stopping, () => edgar.listYears(), MOST_WAIT_MS)) {
    if (year < Number(from.slice(0, 4)) || year > Number(through.slice(0, 4))) continue;
    for (const quarter of [1, 2, 3, 4]) {
      if (isOutside(year, quarter, { from, through })) continue;
      const listing = () => edgar.listDailyIndexes(year, quarter);
      days.push(...(await repeated(stopping, listing, MOST_WAIT_MS)));
    }
  }
  return days.filter((day) => day >= from && day <= through);
}

function isOutside(year: number, quarter: number, range: { from: IsoDate; through: IsoDate }): boolean {
  const month = (n: number): string => String(n).padStart(2, '0');
  const first = `${year}-${month(quarter * 3 - 2)}-01`;
  const last = `${year}-${month(quarter * 3)}-31`;
  return last < range.from || first > range.through;
}

function businessDays(from: IsoDate, through: IsoDate): IsoDate[] {
  const days: IsoDate[] = [];
  for (let day = from; day <= through; day = addDays(day, 1)) if (isBusinessDay(day)) days.push(day);
  return days;
}

/**
 * Imports the data sets that bring the days held back, newest first, and then has the indexes of these days read. A set
 * that cannot be had is tried again with the job; what is stored of any set is not stored again.
 */
export const bulk: Job<'bulk'> = async (context, { slot }) => {
  const { producer, stopping } = context;
  const failed: string[] = [];
  await removeLeftDownloads();
  try {
    for (const name of await unsettled(context)) {
      if (stopping.aborted) break;
      const outcome = await importOne(context, name);
      if (outcome === 'failed') failed.push(name);
      // What it would hold is read day by day, while the other sets are imported.
      if (outcome === 'unpublished') await producer.enqueue(backfills, { slot });
    }
  } finally {
    await removeLeftDownloads();
  }
  if (stopping.aborted)
    throw new AppError('stopped', 'the next worker goes on with the import', { retry: true });
  if (failed.length > 0) throw new AppError('data_sets_failed', failed.join(', '), { retry: true });
  await producer.enqueue(backfills, { slot });
};

/** Those of the data sets held for that are still to be imported. */
async function unsettled({ db }: JobContext): Promise<string[]> {
  const { dataSets = [] } = (await lastBackfill(db)) ?? {};
  const known = await dataSetsNamed(db, dataSets);
  return dataSets.filter((name) => [undefined, 'importing'].includes(known.get(name)?.state));
}

async function importOne(context: JobContext, name: string): Promise<'imported' | 'unpublished' | 'failed'> {
  const { db, edgar, log, now, stopping } = context;
  const isStopped = (): boolean => stopping.aborted;
  const options = { db, now, isStopped, resume: true, onProgress: () => undefined };
  const open = () => downloadDataSet(edgar, name, stopping);
  const outcome = await importSource(options, { name, kind: kindOfDataSet(name), open });
  const at = now().toISOString();
  if (outcome === 'unpublished') {
    await noteUnpublished(db, name, at);
    log.info({ dataSet: name }, 'not published');
    return outcome;
  }
  // It is noted, so that nobody waits for it without knowing why.
  if (outcome instanceof Error) {
    const { code, message: reason } = outcome;
    await noteDataSetFailure(db, name, { code, reason, at });
    log.error({ dataSet: name, code, reason }, 'a data set was not imported');
    return 'failed';
  }
  if (outcome !== 'stopped') log.info({ ...outcome, failures: outcome.failures.length }, 'imported');
  return 'imported';
}
