import cron from 'node-cron';
import { QUEUES } from '../../queues/index.ts';
import type { QueueSpec } from '../../queues/queue.ts';
import type { Logger } from '../../src/log.ts';
import type { Producer } from './producer.ts';

export type Scheduler = { readonly close: () => Promise<void> };

type SlotSpec = QueueSpec<{ slot: number }>;

/** Queues that begin at boot, so that what was missed while the clock stood still is caught up. */
const CATCH_UP: readonly SlotSpec[] = [QUEUES.dispatch, QUEUES.reference, QUEUES.backfill];

/**
 * The clock. Each fire only enqueues, with the slot in the job's id, so that any number of
 * schedulers fires once. Times are New York's, EDGAR's own.
 */
export async function startScheduler(producer: Producer, log: Logger): Promise<Scheduler> {
  for (const spec of CATCH_UP) await producer.enqueue(spec, { slot: slotOf(60) });
  const tasks = Object.values(QUEUES).flatMap((spec) =>
    spec.schedule.map(({ cron: pattern, slotSeconds }) =>
      cron.schedule(
        pattern,
        async () => {
          try {
            await producer.enqueue(spec as SlotSpec, { slot: slotOf(slotSeconds) });
          } catch (error) {
            log.error({ queue: spec.name, err: error }, 'could not enqueue');
          }
        },
        { timezone: 'America/New_York', noOverlap: true },
      ),
    ),
  );
  return {
    close: async () => {
      await Promise.all(tasks.map((task) => task.stop()));
    },
  };
}

/** The start of the slot that it is now, in epoch seconds. */
function slotOf(seconds: number): number {
  return Math.floor(Date.now() / 1_000 / seconds) * seconds;
}
