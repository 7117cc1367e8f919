import { checkLedger } from '../src/credits/ledger/check.ts';
import { addDays, filingDeadline } from '../src/domain/calendar.ts';
import { batches } from '../src/domain/group.ts';
import type { IsoDate, QuarterEnd } from '../src/domain/ids.ts';
import { checkEvents } from '../src/read/audit/events.ts';
import { lastWholeLedgerCheck } from '../src/store/account/ledger-checks.ts';
import { saveEventCheck } from '../src/store/filing/event-checks.ts';
import { correctExpiry } from '../src/store/publish/brief-expiry.ts';
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

/** Proves rule 13.1 and keeps the result for `tidemark status`. */
export const check: Job<'check'> = async ({ db, highestSeq, log, now }) => {
  const result = await checkEvents(db, await highestSeq.read(), now());
  await saveEventCheck(db, result);
  if (result.problem_count > 0) log.error({ problems: result.problems }, 'the stream of events is not whole');
};

const WEEK_MS = 7 * 86_400_000;

/**
 * Proves rule 12.8 for what is new, and for every row when that was not done for a week: the first time too. Keeps
 * the result for `tidemark status`.
 */
export const ledger: Job<'ledger'> = async ({ credits, log }) => {
  const { problems } = await checkLedger(credits, { whole: await isWholeDue(credits) });
  if (problems.length > 0)
    log.error({ problems: problems.slice(0, 20) }, 'the ledger of credits is not whole');
};

/** Corrects what expires of the stored briefs (rule 13.8). */
export const expire: Job<'expire'> = ({ db, now }) => correctExpiry(db, now().toISOString());

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

/** A week later, not on a day of the week: whoever was down on that day would wait for another week. */
async function isWholeDue({ db, now }: Parameters<typeof checkLedger>[0]): Promise<boolean> {
  const last = await lastWholeLedgerCheck(db);
  return last === null || now().getTime() - Date.parse(last.at) >= WEEK_MS;
}

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
