import type { z } from 'zod';

/** Everything that an operator needs to know of a queue. What happens is in `jobs/<name>.ts`. */
export type QueueSpec<Payload> = {
  /** The same word in queue, job, dashboard and test. */
  readonly name: string;
  readonly about: string;
  readonly payload: z.ZodType<Payload>;
  /**
   * Two enqueued jobs with one id are one job while the first is waiting or running. Built from checked
   * ids only (rule 13.4): BullMQ breaks on `:`, bare integers and its own key names (`meta`, `wait`…).
   */
  readonly jobId: (payload: Payload) => string;
  readonly attempts: number;
  /** First wait of an exponential backoff with jitter. */
  readonly backoffMs: number;
  /** Jobs at once in one worker process. */
  readonly concurrency: number;
  /**
   * Failed jobs stay for the operator to see. Not where the database says what is pending: there a
   * job that stayed would swallow the one that the dispatcher adds again under the same id.
   */
  readonly keepsFailed: boolean;
  /** How long a worker may be silent before its job is given to another. */
  readonly lockMs: number;
  /** When the clock enqueues it, in New York time; null when only other stages do. */
  readonly schedule: readonly Schedule[];
};

export type Schedule = {
  /** Six cron fields, seconds first. */
  readonly cron: string;
  /** Length of a slot: however many schedulers run, a slot fires once. */
  readonly slotSeconds: number;
};

const JOB_ID = /^[a-z]+-[A-Za-z0-9._-]{1,120}$/;

/** Declares a queue and guards its job ids. */
export function defineQueue<Payload>(spec: QueueSpec<Payload>): QueueSpec<Payload> {
  const guarded = (payload: Payload): string => {
    const id = spec.jobId(payload);
    if (!JOB_ID.test(id)) throw new Error(`${spec.name}: "${id}" is not a job id`);
    return id;
  };
  return Object.freeze({ ...spec, jobId: guarded });
}
