import { diff as queue } from '../queues/derive.ts';
import { compareReports } from '../src/derive/report/compare-reports.ts';
import { LANES, LAST_LANE, type Lane } from '../src/domain/filing/lane.ts';
import { reportId } from '../src/store/filing/filings.ts';
import { postponeInvalidations } from '../src/store/invalidation/pending.ts';
import type { PendingReport } from '../src/store/report/reports.ts';
import { enqueueBriefs, enqueueReports, pendingOf } from './pending/enqueue.ts';
import { pendingReport, pendingUnit } from './pending/units.ts';
import { together } from './together.ts';
import type { Job, JobContext } from './worker/context.ts';

/**
 * Compares the pending reports of a part of the managers together: of each lane a unit, which takes about a second,
 * the most urgent lane first, and then the next ones.
 */
export const diff: Job<'diff'> = async (context, { part }) => {
  const { db, producer, precedence, now } = context;
  const failures: unknown[] = [];
  let isLast = true;
  for (const lane of LANES) {
    if (lane === LAST_LANE) await precedence.giveWay();
    const next = await pendingUnit(db, { part, lane });
    isLast &&= next.isLast;
    const compared = compareUnit(context, next.unit, lane);
    await compared.then((reports) => enqueueReports(context, reports)).catch((error) => failures.push(error));
  }
  if (failures.length > 0) throw failures[0];
  if (!isLast) await producer.enqueue(queue, { part, at: now().getTime() });
};

/**
 * Compares at once what a live filing has invalidated, and the later quarters that follow. Of the filings that a
 * process parses at the same time one is compared after another: a large report takes 200 MB, and seconds of the loop.
 */
export function compareLive(context: JobContext, keys: readonly string[]): Promise<void> {
  return context.comparing.alone(() => compareInTurn(context, keys));
}

async function compareInTurn(context: JobContext, keys: readonly string[]): Promise<void> {
  const pending = await pendingOf(context, 'report', keys);
  const unit = pending.filter(({ lane }) => lane === 'live').map(pendingReport);
  const later = await compareUnit(context, unit, 'live');
  if (later.length > 0) await compareInTurn(context, later);
}

/**
 * One that cannot be compared leaves the others to be compared alone, and goes to the back. Returns the reports that
 * follow. Briefs of history are left to the dispatcher, because other units touch the same.
 */
async function compareUnit(
  context: JobContext,
  unit: readonly PendingReport[],
  lane: Lane,
): Promise<readonly string[]> {
  const { db } = context;
  if (unit.length === 0) return [];
  const { done, failed } = await together(unit, (some) => compareReports(db, some, lane));
  const keys = [...failed.keys()].map(({ key }) => reportId(key));
  await postponeInvalidations(db, 'report', keys);
  const tickers = done.flatMap((followers) => followers.tickers);
  if (lane !== LAST_LANE) await enqueueBriefs(context, tickers);
  for (const error of failed.values()) throw error;
  return done.flatMap((followers) => followers.reports);
}
