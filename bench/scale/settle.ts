import type { JobContext } from '../../jobs/worker/context.ts';
import { QUEUES } from '../../queues/index.ts';
import { queueIn, runWaiting, type Waiting } from '../../scripts/sandbox/in-order.ts';
import { pipelineProgress } from '../../src/derive/corpus/progress.ts';

type Run = (job: Waiting, work: () => Promise<void>) => Promise<unknown>;

/** More runs of the dispatcher than any chain of invalidations needs. */
const MAX_RUNS = 50;

/**
 * Runs the jobs that follow from the feed and the day, one after another, each within `run`, until nothing
 * is pending. Without the queues, so that what is measured is the jobs alone.
 */
export async function settle(base: JobContext, run: Run): Promise<void> {
  const waiting = new Map<string, Waiting>();
  const context: JobContext = { ...base, producer: queueIn(waiting) };
  await context.producer.enqueue(QUEUES.poll, { slot: 1 });
  for (let slot = 1; slot <= MAX_RUNS; slot += 1) {
    await context.producer.enqueue(QUEUES.dispatch, { slot });
    for (const [id, job] of waiting) {
      waiting.delete(id);
      await run(job, () => runWaiting(context, job));
    }
    if ((await pipelineProgress(context.db)).done) return;
  }
  throw new Error(`not done after ${MAX_RUNS} runs of the dispatcher`);
}
