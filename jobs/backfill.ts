import type { Db } from 'mongodb';
import { bulk, reconcile } from '../queues/discover.ts';
import { daysIn, wantedDataSets } from '../src/bulk/wanted.ts';
import { addDays, isBusinessDay } from '../src/domain/calendar.ts';
import { compare } from '../src/domain/compare.ts';
import { BRIEF_DAYS } from '../src/domain/filing/index-coverage.ts';
import { REREAD_DAYS } from '../src/domain/filing/lane.ts';
import type { IsoDate } from '../src/domain/ids.ts';
import { repeated } from '../src/edgar/repeated.ts';
import { clearIndexAlarm, indexAlarms } from '../src/store/filing/alarms.ts';
import {
  emptyIndexDay,
  knownIndexDays,
  saveBackfill,
  saveIndexDays,
} from '../src/store/filing/index-days.ts';
import { today } from './today.ts';
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
  if (dataSets.length > 0) await producer.enqueue(bulk, { slot });
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
  const alarmed = new Set((await indexAlarms(db)).map((alarm) => alarm._id));
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
  await saveIndexDays(
    db,
    absent.map((day) => emptyIndexDay(day, at)),
  );
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
