import cron from 'node-cron';
import { QUEUES } from '../../queues/index.ts';
import type { QueueSpec } from '../../queues/queue.ts';
import type { Logger } from '../../src/log.ts';
import type { Producer } from './producer.ts';

type SlotSpec = QueueSpec<{ slot: number; kind?: string }>;

/** Enqueued at boot, to catch up with what was missed while no scheduler ran. */
const CATCH_UP: readonly SlotSpec[] = [QUEUES.dispatch, QUEUES.reference, QUEUES.backfill];

/**
 * The clock of the pipeline. Each fire only enqueues, with the slot in the job's id, so that any
 * number of schedulers fires once. Hours are New York's, as EDGAR's are.
 */
export async function startScheduler(
  producer: Producer,
  { log, now }: { readonly log: Logger; readonly now: () => Date },
) {
  // The start of the current slot, in epoch seconds.
  const slotOf = (seconds: number): number => Math.floor(now().getTime() / 1_000 / seconds) * seconds;
  for (const spec of CATCH_UP) await producer.enqueue(spec, { slot: slotOf(60) });
  const tasks = Object.values(QUEUES).flatMap((spec) =>
    spec.schedule.map(({ cron: pattern, slotSeconds, ...due }) =>
      cron.schedule(
        pattern,
        async () => {
          try {
            await producer.enqueue(spec as SlotSpec, { slot: slotOf(slotSeconds), ...due });
          } catch (error) {
            log.error({ queue: spec.name, err: error }, 'could not enqueue');
          }
        },
        { timezone: zoneOf(pattern), noOverlap: true },
      ),
    ),
  );
  return {
    close: async (): Promise<void> => {
      await Promise.all(tasks.map((task) => task.stop()));
    },
  };
}

/** In the hour that New York's clock repeats in autumn, node-cron fires nothing: what fires every hour has no zone. */
function zoneOf(pattern: string): string {
  const [, , hour] = pattern.split(' ');
  return hour === '*' ? 'UTC' : 'America/New_York';
}
