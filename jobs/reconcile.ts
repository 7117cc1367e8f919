import { today } from '../src/derive/corpus/as-of.ts';
import { addDays, isBusinessDay, newYorkDate } from '../src/domain/calendar.ts';
import { doubtOfIndex, isConfirmed, MAX_DAYS } from '../src/domain/filing/index-coverage.ts';
import { laneOfIndex } from '../src/domain/filing/lane.ts';
import type { IsoDate } from '../src/domain/ids.ts';
import type { Fetched } from '../src/edgar/client/open.ts';
import { EdgarError, isEdgarError } from '../src/edgar/error.ts';
import { type DailyIndex, parseMasterIndex } from '../src/edgar/listing/daily-index.ts';
import { clearIndexAlarm, indexAlarmOf, raiseIndexAlarm } from '../src/store/filing/alarms.ts';
import {
  carriedOnWeekday,
  emptyIndexDay,
  flagWithdrawn,
  indexReadOf,
  noteListed,
  saveIndexDays,
} from '../src/store/filing/index-days.ts';
import type { ListingRead } from '../src/store/filing/settings.ts';
import { discoverListed, knownListing, listingRead } from './poll.ts';
import type { Job, JobContext } from './worker/context.ts';

/** An index that is still missing after so many days will not appear: the day has none. */
const ABSENCE_IS_FINAL_DAYS = 3;
/** EDGAR publishes the index of a day in the evening: six hours after midnight it is late. */
const LATE_MS = 6 * 3_600_000;
const NO_INDEX = ['edgar_no_index', 'edgar_not_found'] as const;
/** EDGAR sends nothing for now. A doubted read has raised its alarm. */
const NO_ALARM = ['edgar_blocked', 'edgar_implausible'] as const;

/**
 * Reads the index of a day to its end and marks the day complete. A day that fails stays open, so the
 * watermark waits for it, and raises an alarm (rule 10.5).
 */
export const reconcile: Job<'reconcile'> = async (context, { date }) => {
  try {
    await readDay(context, date);
  } catch (error) {
    // Only asked of a day that was read well and has no alarm.
    if (isEdgarError(error, 'edgar_not_modified')) return;
    if (error instanceof EdgarError && isAlarming(context, date, error)) {
      const { code: reason, message } = error;
      await raiseIndexAlarm(context.db, { name: date, reason, message, at: context.now().toISOString() });
    }
    throw error;
  }
  await clearIndexAlarm(context.db, date);
};

function isAlarming({ now }: JobContext, date: IsoDate, error: EdgarError): boolean {
  if (!isEdgarError(error, ...NO_INDEX)) return !isEdgarError(error, ...NO_ALARM);
  return isBusinessDay(date) && newYorkDate(now().getTime() - LATE_MS) > date;
}

async function readDay(context: JobContext, date: IsoDate): Promise<void> {
  const { db, now } = context;
  const read = await readIndex(context, date);
  const at = now().toISOString();
  if (read === null) return saveIndexDays(db, [emptyIndexDay(date, at)]);
  const { isSelection: selection, rows } = read.index;
  // What a doubted read lists is fetched too: only its absences prove nothing.
  const filings = rows.map((row) => ({ ...row, indexDay: date }));
  const lane = laneOfIndex(date, await today(context));
  const { carried } = await discoverListed(context, filings, lane);
  if (!selection || rows.length === 0) await requirePlausible(context, { ...read, date, carried });
  const listed = new Set(rows.map(({ accession }) => accession));
  await noteListed(db, date, listed);
  // On the day itself the index is still written.
  const isWritten = newYorkDate(now()) > date;
  if (!selection && isWritten) await flagWithdrawn(db, { day: date, listed, at });
  // Read on the day itself, it has to be read once more for what is withdrawn.
  const file = isWritten ? listingRead(context, read.file) : null;
  await saveIndexDays(db, [{ _id: date, status: 'reconciled', carried, selection, at, read: file }]);
}

type IndexFile = { readonly index: DailyIndex; readonly file: Fetched };

/** Null when the day has no index. An index that may still appear is thrown, so that it is retried. */
async function readIndex(context: JobContext, date: IsoDate): Promise<IndexFile | null> {
  try {
    const file = await context.edgar.fetchDailyIndex(date, await knownRead(context, date));
    return { index: parseMasterIndex(file.bytes), file };
  } catch (error) {
    if (isFinal(context, date) && isEdgarError(error, ...NO_INDEX)) return null;
    throw error;
  }
}

/** Null for a day whose last read failed or was doubted: its whole index is needed. */
async function knownRead(context: JobContext, date: IsoDate): Promise<ListingRead | null> {
  if ((await indexAlarmOf(context.db, date)) !== null) return null;
  return knownListing(context, await indexReadOf(context.db, date));
}

/** An index that a local folder lacks never appears. */
function isFinal({ edgar, now }: JobContext, date: IsoDate): boolean {
  return edgar.isLocal || date < addDays(newYorkDate(now()), -ABSENCE_IS_FINAL_DAYS);
}

type Read = IndexFile & { readonly date: IsoDate; readonly carried: number };

/** Throws `edgar_implausible` unless equal bytes that were read before confirm the doubted ones. */
async function requirePlausible(context: JobContext, read: Read): Promise<void> {
  const { db, edgar, now } = context;
  const { date, index, carried } = read;
  const digest = read.file.sha256;
  const usual = await carriedOnWeekday(db, date, MAX_DAYS);
  const doubt = doubtOfIndex({ date, rows: index.rows.length, carried }, usual);
  if (doubt === null) return;
  const at = now().toISOString();
  const before = await indexAlarmOf(db, date);
  const isRepeated = before?.digest === digest;
  const doubtedSince = (isRepeated ? before.doubtedSince : undefined) ?? at;
  const doubtedMs = now().getTime() - Date.parse(doubtedSince);
  const known = { isFinal: isFinal(context, date), isLocal: edgar.isLocal, doubtedMs };
  if (isRepeated && isConfirmed(doubt, known)) return;
  const message = `the index of ${date} is not plausible (${doubt}): ${carried} filings of carried forms; the same weekday had ${usual.join(', ') || 'none'}`;
  await raiseIndexAlarm(db, {
    name: date,
    reason: 'edgar_implausible',
    message,
    digest,
    doubtedSince,
    at,
  });
  throw new EdgarError('edgar_implausible', message, { retry: true });
}
