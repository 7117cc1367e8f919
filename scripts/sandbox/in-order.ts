import { JOBS } from '../../jobs/index.ts';
import type { JobContext } from '../../jobs/worker/context.ts';
import type { Producer } from '../../jobs/worker/producer.ts';
import { QUEUES, type QueueName } from '../../queues/index.ts';
import type { QueueSpec } from '../../queues/queue.ts';
import { pipelineProgress } from '../../src/derive/corpus/progress.ts';

/** A job that was enqueued and has not run. */
export type Waiting = { readonly name: QueueName; readonly payload: unknown };

/** More runs of the dispatcher than any chain of invalidations needs. */
const MAX_RUNS = 50;

/**
 * Runs the pipeline's own jobs one after another, in the order of their enqueuing, until nothing is
 * pending. The same filings give the same events under the same numbers.
 */
export async function runInOrder(base: JobContext): Promise<void> {
  const waiting = new Map<string, Waiting>();
  const context: JobContext = { ...base, producer: queueIn(waiting) };
  const { producer } = context;
  await producer.enqueue(QUEUES.backfill, { slot: 1, again: true });
  await producer.enqueue(QUEUES.reference, { slot: 1 });
  for (let slot = 1; slot <= MAX_RUNS; slot += 1) {
    await producer.enqueue(QUEUES.dispatch, { slot });
    await drain(context, waiting);
    const status = await pipelineProgress(context.db);
    if (status.quarantined > 0) throw new Error(`${status.quarantined} filings cannot be read`);
    if (status.done) return;
  }
  throw new Error(`not done after ${MAX_RUNS} runs of the dispatcher`);
}

/** A producer without a queue: one job for each id, as in BullMQ. */
export function queueIn(waiting: Map<string, Waiting>): Producer {
  const add = <P>(spec: QueueSpec<P>, payload: P): void => {
    const id = spec.jobId(payload);
    if (!waiting.has(id)) waiting.set(id, { name: spec.name as QueueName, payload });
  };
  const addAll: Producer['enqueueAll'] = async (spec, payloads) => {
    for (const payload of payloads) add(spec, payload);
  };
  return {
    enqueue: (spec, payload) => addAll(spec, [payload]),
    enqueueAll: addAll,
    moveUp: addAll,
    load: async (names) => [...waiting.values()].filter(({ name }) => names.includes(name)).length,
    waiting: async () => 0,
    workers: async () => 0,
    clear: async () => waiting.clear(),
    close: async () => undefined,
  };
}

async function drain(context: JobContext, waiting: Map<string, Waiting>): Promise<void> {
  for (const [id, job] of waiting) {
    waiting.delete(id);
    await runWaiting(context, job);
  }
}

export function runWaiting(context: JobContext, { name, payload }: Waiting): Promise<void> {
  const job = JOBS[name] as (context: JobContext, payload: unknown) => Promise<void>;
  return job(context, payload);
}
