import { reconcile } from '../queues/reconcile.ts';
import { addDays, isBusinessDay, newYorkDate } from '../src/domain/calendar.ts';
import type { IsoDate } from '../src/domain/ids.ts';
import { markBackfilled } from '../src/store/filing/backfill-state.ts';
import { knownIndexDays, saveIndexDays } from '../src/store/filing/index-days.ts';
import { today } from './today.ts';
import type { Job, JobContext } from './worker/context.ts';

/** How far back a fresh installation looks: two quarters to compare and the insider window. */
const DEFAULT_DAYS = 320;
/** The last days are read again each time: EDGAR rewrites an index when it corrects one. */
const REREAD_DAYS = 7;
/** Days this young are asked for one by one, because their index may not be listed yet. */
const YOUNG_DAYS = 4;

type Payload = {
  slot: number;
  from?: IsoDate | undefined;
  through?: IsoDate | undefined;
  /** Read the days again that were read: another source stands behind the address. */
  again?: boolean | undefined;
};

/** Enqueues the reading of every daily index in the range that was not read to its end yet. */
export const backfill: Job<Payload> = async (context, payload) => {
  const { db, producer, now } = context;
  const asOf = await today(context);
  const through = payload.through !== undefined && payload.through < asOf ? payload.through : asOf;
  const from = payload.from ?? context.config.backfillFrom ?? addDays(asOf, -DEFAULT_DAYS);
  const known = new Set((await knownIndexDays(db)).map((day) => day._id));
  const listed = await listedDays(context, from as IsoDate, through);
  const reread = payload.again === true ? from : addDays(asOf, -REREAD_DAYS);
  const missing = listed.filter((day) => !known.has(day) || day >= reread);
  // A local folder grows no index: what is absent there is absent for good.
  const young = addDays(newYorkDate(now()), -YOUNG_DAYS);
  const isYoung = (day: IsoDate): boolean => !context.edgar.isLocal && day >= young;
  const absent = businessDays(firstOf(listed, from as IsoDate), through).filter(
    (day) => !known.has(day) && !listed.includes(day),
  );
  const at = now().toISOString();
  await saveIndexDays(
    db,
    absent
      .filter((day) => !isYoung(day))
      .map((_id) => ({ _id, status: 'empty', carried: 0, selection: false, at })),
  );
  await producer.enqueueAll(
    reconcile,
    [...missing, ...absent.filter(isYoung)].map((date) => ({ date, run: payload.slot })),
  );
  await markBackfilled(db, { slot: payload.slot, from: from as IsoDate, through, days: missing });
};

/** Days with an index, by the listings of their quarters: absent days are not asked for one by one. */
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

/** A range that begins before EDGAR's first listed day begins there. */
function firstOf(listed: readonly IsoDate[], from: IsoDate): IsoDate {
  const first = listed[0];
  return first !== undefined && first > from ? first : from;
}

function businessDays(from: IsoDate, through: IsoDate): IsoDate[] {
  const days: IsoDate[] = [];
  for (let day = from; day <= through; day = addDays(day, 1)) if (isBusinessDay(day)) days.push(day);
  return days;
}
