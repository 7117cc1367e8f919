import { addDays, filingDeadline } from '../src/domain/calendar.ts';
import { batches } from '../src/domain/group.ts';
import type { IsoDate, QuarterEnd } from '../src/domain/ids.ts';
import { ALL_BUCKETS, BUCKETS_AT_ONCE } from '../src/store/report/positions.ts';
import { reportedQuarters } from '../src/store/report/reports.ts';
import { dropSealed, noteSeal, type SealDoc, sealsOf, writeSegments } from '../src/store/report/sealing.ts';
import { today } from './today.ts';
import type { Job, JobContext } from './worker/context.ts';

/** A quarter is settled so long after its deadline: few reports are later, and they stand alone. */
const SETTLED_DAYS = 30;
/** Longer than any read takes: who began before the segments were there has ended. */
const READERS_MS = 10 * 60_000;

/**
 * Seals settled quarters (rule 13.6), the oldest first: one run writes the segments of a quarter, the next
 * one removes what they replace.
 */
export const seal: Job<'seal'> = async (context) => {
  const { db } = context;
  const [asOf, seals] = [await today(context), await sealsOf(db)];
  for (const quarterEnd of await reportedQuarters(db)) {
    if (isSettled(quarterEnd, asOf)) await sealFurther(context, quarterEnd, seals.get(quarterEnd));
  }
};

function isSettled(quarterEnd: QuarterEnd, asOf: IsoDate): boolean {
  return addDays(filingDeadline(quarterEnd), SETTLED_DAYS) <= asOf;
}

async function sealFurther({ db, now, log }: JobContext, _id: QuarterEnd, seal: SealDoc | undefined) {
  const at = now();
  if (seal?.state === 'sealed') return;
  if (seal === undefined) {
    for (const buckets of batches(ALL_BUCKETS, BUCKETS_AT_ONCE)) await writeSegments(db, _id, buckets);
    // The later time: a long run must not shorten the wait.
    await noteSeal(db, { _id, state: 'written', at: now().toISOString() });
    return;
  }
  if (at.getTime() - Date.parse(seal.at) < READERS_MS) return;
  for (const buckets of batches(ALL_BUCKETS, BUCKETS_AT_ONCE)) await dropSealed(db, _id, buckets);
  await noteSeal(db, { _id, state: 'sealed', at: at.toISOString() });
  log.info({ quarterEnd: _id }, 'quarter sealed');
}
