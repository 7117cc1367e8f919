import { isEdgarError } from '../src/edgar/error.ts';
import { raiseReferenceAlarm } from '../src/store/filing/reference-alarms.ts';
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
    await raiseReferenceAlarm(db, { _id: file, code, message, at: now().toISOString() });
    return null;
  }
}
