import { turnAsOf } from '../src/derive/corpus/as-of.ts';
import { asOfDate } from '../src/domain/calendar.ts';
import type { IsoDate } from '../src/domain/ids.ts';
import { publishedAsOf } from '../src/store/filing/settings.ts';
import type { JobContext } from './worker/context.ts';

/**
 * Publishes the as-of date of the setting, else of the clock in New York, which never turns it back. Returns the day
 * that was published before; null before the first one.
 */
export async function turnToday({ db, config, now }: JobContext): Promise<IsoDate | null> {
  const day = asOfDate(config.asOf ?? null, now().getTime());
  return turnAsOf(db, day, { mayGoBack: config.asOf !== undefined });
}

/** The published as-of date; the first job that asks for it publishes it. */
export async function today(context: JobContext): Promise<IsoDate> {
  const published = await publishedAsOf(context.db);
  if (published !== null) return published;
  await turnToday(context);
  return today(context);
}
