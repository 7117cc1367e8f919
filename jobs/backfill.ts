import { reconcile } from '../queues/reconcile.ts';
import { addDays, isBusinessDay, newYorkDate } from '../src/domain/calendar.ts';
import { REREAD_DAYS } from '../src/domain/filing/lane.ts';
import type { IsoDate } from '../src/domain/ids.ts';
import { clearIndexAlarm, indexAlarms } from '../src/store/filing/index-alarms.ts';
import {
  emptyIndexDay,
  knownIndexDays,
  saveBackfill,
  saveIndexDays,
} from '../src/store/filing/index-days.ts';
import { today } from './today.ts';
import type { Job, JobContext } from './worker/context.ts';

/** How far back a new installation reads: two quarters to compare and the insider window. */
const DEFAULT_DAYS = 320;
/** Days this young are requested one by one, because their index may not be listed yet. */
const YOUNG_DAYS = 4;

/** Enqueues the reading of every daily index in the range that was not read to its end yet. */
export const backfill: Job<'backfill'> = async (context, payload) => {
  const { db, producer, config, now } = context;
  const asOf = await today(context);
  const through = payload.through !== undefined && payload.through < asOf ? payload.through : asOf;
  const from = payload.from ?? config.backfillFrom ?? addDays(asOf, -DEFAULT_DAYS);
  const known = new Set((await knownIndexDays(db)).map((day) => day._id));
  const listed = await listedDays(context, from, through);
  const reread = payload.again === true ? from : addDays(asOf, -REREAD_DAYS);
  const alarmed = new Set((await indexAlarms(db)).map((alarm) => alarm._id));
  const missing = listed.filter((day) => !known.has(day) || day >= reread || alarmed.has(day));
  // An index that a local folder lacks never appears.
  const young = addDays(newYorkDate(now()), -YOUNG_DAYS);
  const isYoung = (day: IsoDate): boolean => !context.edgar.isLocal && day >= young;
  // The range begins at EDGAR's first listed day at the earliest.
  const expected = businessDays(listed[0] ?? from, through);
  const absent = expected.filter((day) => !known.has(day) && !listed.includes(day));
  const at = now().toISOString();
  const empty = absent.filter((day) => !isYoung(day)).map((day) => emptyIndexDay(day, at));
  await saveIndexDays(db, empty);
  // An index that was there for a while and is not listed any more, as of a holiday.
  const gone = [...alarmed].filter((day) => day <= through && !listed.includes(day) && !isYoung(day));
  for (const day of gone) await clearIndexAlarm(db, day);
  await producer.enqueueAll(
    reconcile,
    [...missing, ...absent.filter(isYoung)].map((date) => ({ date, run: payload.slot })),
  );
  await saveBackfill(db, { slot: payload.slot, from, through, days: missing, at });
};

/** Days with an index, from the listings of their quarters: one request instead of one for each day. */
async function listedDays({ edgar }: JobContext, from: IsoDate, through: IsoDate): Promise<IsoDate[]> {
  const days: IsoDate[] = [];
  for (const year of await edgar.listYears()) {
    if (year < Number(from.slice(0, 4)) || year > Number(through.slice(0, 4))) continue;
    for (const quarter of [1, 2, 3, 4]) {
      if (isOutside(year, quarter, { from, through })) continue;
      days.push(...(await edgar.listDailyIndexes(year, quarter)));
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
