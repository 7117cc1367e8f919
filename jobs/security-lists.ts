import { today } from '../src/derive/corpus/as-of.ts';
import { invalidateWholeSearch } from '../src/derive/search/invalidate-search.ts';
import { newestEndedQuarter } from '../src/domain/calendar.ts';
import { quartersThrough } from '../src/domain/quarter.ts';
import { isEdgarError, malformed, nullOn } from '../src/edgar/error.ts';
import { readSecurityList } from '../src/edgar/reference/security-list.ts';
import { securityListNames } from '../src/edgar/urls.ts';
import { raiseReferenceAlarm } from '../src/store/filing/alarms.ts';
import { isImported, noteImported } from '../src/store/filing/settings.ts';
import { invalidate, invalidateBriefs } from '../src/store/invalidation/invalidate.ts';
import { heldAmong } from '../src/store/report/holdings.ts';
import { isCutShort, saveSecurityList } from '../src/store/security/listed.ts';
import { renamedBy, symbolsOfCusips } from '../src/store/security/securities.ts';
import { enqueueBriefs, enqueueReports } from './pending/enqueue.ts';
import type { JobContext } from './worker/context.ts';

/**
 * What says that one file is damaged, while EDGAR answers: the next run requests it again. An outage or a
 * block stops the job, which is repeated.
 */
const UNREADABLE = [
  'edgar_malformed',
  'edgar_refused',
  'edgar_redirect',
  'edgar_html',
  'edgar_truncated',
  'edgar_too_large',
] as const;

type Reading<T> = { readonly file: string; readonly read: () => Promise<T> };

/** The lists of so many ended quarters are read. Older ones add little, because CUSIPs keep their meaning. */
const LIST_QUARTERS = 4;

const ABSENT = ['edgar_not_found', 'edgar_no_index'] as const;

/**
 * Imports the official lists of 13(f) securities; the same bytes are imported once. Invalidates every
 * report that holds what a list explains: an option class reported as a share, or a CUSIP with a wrong
 * check digit (rule 3.2). Names on a list identify issuers that were renamed (rule 3.6).
 */
export async function importSecurityLists(context: JobContext): Promise<void> {
  const { edgar } = context;
  const local = await edgar.listSecurityLists();
  if (local !== null) {
    for (const name of local) await importList(context, name);
    return;
  }
  const newest = newestEndedQuarter(await today(context));
  for (const quarterEnd of quartersThrough(newest, LIST_QUARTERS).reverse()) {
    for (const name of securityListNames(quarterEnd)) if (await importList(context, name)) break;
  }
}

/**
 * False for a missing or unreadable file: another edition of the list may be readable. Reports are published
 * without it, also while EDGAR does not answer.
 */
async function importList(context: JobContext, name: string): Promise<boolean> {
  const read = () => importReadable(context, name);
  return (await orSkipped(context, { file: name, read }, 'edgar_unavailable')) ?? false;
}

async function importReadable(context: JobContext, name: string): Promise<boolean> {
  const { db, edgar, log } = context;
  if (!edgar.isLocal && (await isImported(db, name))) return true;
  const file = await nullOn(edgar.fetchSecurityList(name), ...ABSENT);
  if (file === null) return false;
  if (await isImported(db, name, file.sha256)) return true;
  const list = readSecurityList(name, file.bytes);
  if (await isCutShort(db, list)) throw malformed(name, `${list.rows.length} securities: it was cut`);
  const reports = await saveSecurityList(db, list);
  // Invalidated before the file counts as imported, so that a crash in between only repeats it.
  await invalidate(db, 'report', reports);
  const tickers = await symbolsOfCusips(db, await heldAmong(db, await renamedBy(db, list)));
  await invalidateBriefs(db, tickers);
  await invalidateWholeSearch(db);
  await noteImported(db, name, file.sha256, context.now());
  await enqueueReports(context, reports);
  await enqueueBriefs(context, tickers);
  log.info({ file: name, securities: list.rows.length, reports: reports.length }, 'official list imported');
  return true;
}

/** Null for a damaged file, with an alarm for the operator: the others are imported (rule 10.8). */
export async function orSkipped<T>(
  { db, log, now }: JobContext,
  { file, read }: Reading<T>,
  ...more: readonly 'edgar_unavailable'[]
): Promise<T | null> {
  try {
    return await read();
  } catch (error) {
    if (!isEdgarError(error, ...UNREADABLE, ...more)) throw error;
    const { code, message } = error;
    log.warn({ file, reason: message }, 'reference file skipped');
    await raiseReferenceAlarm(db, { name: file, code, message, at: now().toISOString() });
    return null;
  }
}
