import { addDays, filingDeadline } from '../src/domain/calendar.ts';
import { batches } from '../src/domain/group.ts';
import type { IsoDate, QuarterEnd } from '../src/domain/ids.ts';
import { ALL_BUCKETS, BUCKETS_AT_ONCE } from '../src/store/report/positions.ts';
import { reportedQuarters, shownDigests } from '../src/store/report/reports.ts';
import {
  dropSealed,
  noteSealed,
  noteWritten,
  sealOf,
  shareChanged,
  writeSegments,
} from '../src/store/report/sealing.ts';
import { today } from './today.ts';
import type { Job, JobContext } from './worker/context.ts';

/** A quarter is settled so long after its deadline: few reports are later, and they stand alone. */
const SETTLED_DAYS = 30;
/** Longer than any read takes: who began before the segments were there has ended. */
const READERS_MS = 10 * 60_000;

/** From this share of changed reports on a quarter is sealed again: a backfill came, or a reparse. */
const CHANGED_SHARE = 0.05;

/**
 * Seals settled quarters (rule 13.6), the oldest first: one run writes the segments of a quarter, the next
 * one removes what they replace.
 */
export const seal: Job<'seal'> = async (context) => {
  const asOf = await today(context);
  for (const quarterEnd of await reportedQuarters(context.db)) {
    if (isSettled(quarterEnd, asOf)) await sealFurther(context, quarterEnd);
  }
};

function isSettled(quarterEnd: QuarterEnd, asOf: IsoDate): boolean {
  return addDays(filingDeadline(quarterEnd), SETTLED_DAYS) <= asOf;
}

async function sealFurther({ db, now, log }: JobContext, quarterEnd: QuarterEnd): Promise<void> {
  const at = now();
  const [seal, shown] = [await sealOf(db, quarterEnd), await shownDigests(db, quarterEnd)];
  if (seal === null || shareChanged(seal, shown) >= CHANGED_SHARE) {
    for (const buckets of batches(ALL_BUCKETS, BUCKETS_AT_ONCE)) await writeSegments(db, quarterEnd, buckets);
    // The later time: a long run must not shorten the wait.
    await noteWritten(db, quarterEnd, now().toISOString(), shown);
    return;
  }
  if (seal.state === 'sealed' || at.getTime() - Date.parse(seal.at) < READERS_MS) return;
  for (const buckets of batches(ALL_BUCKETS, BUCKETS_AT_ONCE)) await dropSealed(db, quarterEnd, buckets);
  await noteSealed(db, quarterEnd, at.toISOString());
  log.info({ quarterEnd }, 'quarter sealed');
}
