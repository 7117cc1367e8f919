import { addDays, newYorkDate } from '../src/domain/calendar.ts';
import type { IsoDate } from '../src/domain/ids.ts';
import { isEdgarError } from '../src/edgar/error.ts';
import { type DailyIndex, parseMasterIndex } from '../src/edgar/listing/daily-index.ts';
import { emptyIndexDay, saveIndexDays } from '../src/store/filing/index-days.ts';
import { discoverListed } from './listed-filings.ts';
import type { Job, JobContext } from './worker/context.ts';

/** An index that is still missing after so many days will not appear: the day has none. */
const ABSENCE_IS_FINAL_DAYS = 3;

/** Reads the index of a day to its end and marks the day complete; a day that fails stays open. */
export const reconcile: Job<'reconcile'> = async (context, { date }) => {
  const { db, now } = context;
  const index = await readIndex(context, date);
  const at = now().toISOString();
  if (index === null) {
    await saveIndexDays(db, [emptyIndexDay(date, at)]);
    return;
  }
  const { carried } = await discoverListed(context, index.rows);
  const { isSelection: selection } = index;
  await saveIndexDays(db, [{ _id: date, status: 'reconciled', carried, selection, at }]);
};

/** Null when the day has no index. An index that may still appear is thrown, so that it is retried. */
async function readIndex({ edgar, now }: JobContext, date: IsoDate): Promise<DailyIndex | null> {
  try {
    return parseMasterIndex((await edgar.fetchDailyIndex(date)).bytes);
  } catch (error) {
    // An index that a local folder lacks never appears.
    const isFinal = edgar.isLocal || date < addDays(newYorkDate(now()), -ABSENCE_IS_FINAL_DAYS);
    if (isFinal && isEdgarError(error, 'edgar_no_index', 'edgar_not_found')) return null;
    throw error;
  }
}
