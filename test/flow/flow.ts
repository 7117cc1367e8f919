import type { Db } from 'mongodb';
import type { Pipeline, PipelineUrls } from '../../jobs/worker/open.ts';
import type { Producer } from '../../jobs/worker/producer.ts';
import { startWorkers } from '../../jobs/worker/run.ts';
import { waitUntil } from '../../packages/embedded/wait.ts';
import type { FaultPlan } from '../../packages/local-edgar/faults.ts';
import { type LocalEdgar, serveLocalEdgar } from '../../packages/local-edgar/serve.ts';
import { QUEUES, type QueueName } from '../../queues/index.ts';
import type { Config } from '../../src/config.ts';
import { type PipelineProgress, pipelineProgress } from '../../src/derive/corpus/progress.ts';
import { type PipelineStatus, pipelineStatus } from '../../src/derive/corpus/status.ts';
import { requireIsoDate } from '../../src/domain/ids.ts';
import { hasWaiting } from '../../src/store/filing/filings.ts';
import { invalidationsIn } from '../../src/store/invalidation/invalidation.ts';
import { openSharedThreads } from '../jobs.ts';
import { openWorld, type World } from '../world.ts';
import type { Folder } from './folder.ts';

/** A world with an EDGAR of its own, in which the pipeline can run. */
export type Flow = {
  readonly world: World;
  readonly config: Config;
  readonly db: Db;
  readonly edgar: LocalEdgar;
  readonly urls: PipelineUrls;
  readonly close: () => Promise<void>;
};

/** Longer than any run of these tests takes on a busy machine; most tests have a time limit before it. */
const LIMIT_MS = 900_000;
/** The pause between two ticks while jobs run: the progress of each takes some twenty commands. */
const TICK_MS = 1_000;
/** Often enough to disturb a run in its middle. */
const WATCH_MS = 200;
const EVERY_QUEUE = Object.keys(QUEUES) as QueueName[];

type FlowOptions = {
  /** How its EDGAR misbehaves. */
  readonly faults?: FaultPlan;
  /** More environment variables. */
  readonly settings?: Readonly<Record<string, string>>;
};

export async function openFlow(folder: Folder, asOf: string, options: FlowOptions = {}): Promise<Flow> {
  const edgar = await serveLocalEdgar({ dir: folder.dir, port: 0, faults: options.faults });
  const world = await openWorld({
    EDGAR_URL: edgar.url,
    BACKFILL_FROM: '1993-01-01',
    BRIEF_DEBOUNCE_MS: '0',
    TIDEMARK_AS_OF: asOf,
    KEY_PEPPER: 'a pepper for tests only',
    PORT: '0',
    ...options.settings,
  });
  return {
    world,
    config: world.config,
    db: world.mongo.db,
    edgar,
    urls: world.urls,
    close: async () => {
      await edgar.close();
      await world.close();
    },
  };
}

type Changes = Partial<Omit<Config, 'asOf'>> & { readonly asOf?: string };

/** Connections and parsing threads as a worker has them, but no worker: the test calls the jobs. */
export function openStages(flow: Flow, { asOf, ...changes }: Changes = {}): Promise<Pipeline> {
  const day = asOf === undefined ? {} : { asOf: requireIsoDate(asOf) };
  return openSharedThreads({ ...flow.config, ...changes, ...day }, flow.urls);
}

/** Runs workers of its own until nothing is pending, as `tidemark replay` does. */
export async function runPipeline(flow: Flow, changes: Changes = {}): Promise<PipelineStatus> {
  const pipeline = await openStages(flow, changes);
  const workers = startWorkers(pipeline.context, pipeline.redis);
  try {
    return await dispatchToEnd(pipeline);
  } finally {
    await workers.close();
    await pipeline.close();
  }
}

let endedAt = Number.NEGATIVE_INFINITY;

/** When a pipeline of this process last had nothing pending, by `performance.now()`. */
export const pipelineEndedAt = (): number => endedAt;

export type Driving = {
  /** Called with the progress at each tick; may disturb the run. */
  readonly watch?: (progress: PipelineProgress) => Promise<void>;
  readonly limitMs?: number;
};

/** Looks whether a queue has jobs, first at the one that had some: that is one command for most looks. */
function lookAtQueues(producer: Producer): () => Promise<boolean> {
  let busy: QueueName = 'dispatch';
  return async () => {
    for (const name of [busy, ...EVERY_QUEUE]) {
      if ((await producer.load([name])) === 0) continue;
      busy = name;
      return true;
    }
    // A job may have gone from a queue that was not looked at to one that was.
    return (await producer.load(EVERY_QUEUE)) > 0;
  };
}

/** A look of two commands: the progress takes thirty. */
async function isSomethingPending(db: Db): Promise<boolean> {
  return (await hasWaiting(db)) || (await invalidationsIn(db).findOne({ pending: true })) !== null;
}

/**
 * The clock of a pipeline whose workers run here or in another process. It ticks whenever the queues are
 * empty, so that no stage waits for a second.
 */
export async function dispatchToEnd(
  pipeline: Pipeline,
  { watch, limitMs = LIMIT_MS }: Driving = {},
): Promise<PipelineStatus> {
  const { producer, db } = pipeline.context;
  const tickMs = watch === undefined ? TICK_MS : WATCH_MS;
  const hasJobs = lookAtQueues(producer);
  let slot = Date.now();
  let due = slot + tickMs;
  await producer.enqueue(QUEUES.dispatch, { slot });
  await producer.enqueue(QUEUES.reference, { slot });
  await producer.enqueue(QUEUES.backfill, { slot, again: true });
  const done = await waitUntil(async () => {
    // Read before the status: what a job leaves pending in between is in the progress.
    const isIdle = !(await hasJobs());
    if (!isIdle && Date.now() < due) return false;
    if (watch !== undefined || (isIdle && !(await isSomethingPending(db)))) {
      const progress = await pipelineProgress(db);
      await watch?.(progress);
      if (isIdle && progress.done) return true;
    }
    due = Date.now() + tickMs;
    slot += 1;
    await producer.enqueue(QUEUES.dispatch, { slot });
    return false;
  }, limitMs);
  if (!done) throw new Error(`the pipeline is not done: ${JSON.stringify(await pipelineProgress(db))}`);
  endedAt = performance.now();
  return pipelineStatus(db);
}
