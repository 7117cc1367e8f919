import { setTimeout as sleep } from 'node:timers/promises';
import type { Db } from 'mongodb';
import { openPipeline, type Pipeline } from '../../jobs/worker/open.ts';
import { startWorkers } from '../../jobs/worker/run.ts';
import { QUEUES } from '../../queues/index.ts';
import type { Config } from '../../src/config.ts';
import { type PipelineStatus, pipelineStatus } from '../../src/derive/corpus/status.ts';
import type { IsoDate } from '../../src/domain/ids.ts';
import { type LocalEdgar, serveLocalEdgar } from '../../src/edgar/local/serve.ts';
import { waitUntil } from '../../src/embedded/probe.ts';
import { openWorld, type World } from '../world.ts';
import type { Folder } from './folder.ts';

/** A world with an EDGAR of its own, in which the pipeline can run. */
export type Flow = {
  readonly world: World;
  readonly config: Config;
  readonly db: Db;
  readonly edgar: LocalEdgar;
  readonly urls: Parameters<typeof openPipeline>[1];
  readonly close: () => Promise<void>;
};

/** Longer than any run of these tests takes on a busy machine. */
const LIMIT_MS = 240_000;
const STATUS_PAUSE_MS = 250;

export async function openFlow(folder: Folder, asOf: string): Promise<Flow> {
  const edgar = await serveLocalEdgar({ dir: folder.dir, port: 0 });
  const world = await openWorld({
    EDGAR_URL: edgar.url,
    BACKFILL_FROM: '1993-01-01',
    BRIEF_DEBOUNCE_MS: '0',
    TIDEMARK_AS_OF: asOf,
    KEY_PEPPER: 'a pepper for tests only',
    PORT: '0',
  });
  const { MONGO_URL = '', CREDITS_REDIS_URL = '', QUEUE_REDIS_URL = '' } = world.env;
  return {
    world,
    config: world.config,
    db: world.mongo.db,
    edgar,
    urls: { mongoUrl: MONGO_URL, creditsRedisUrl: CREDITS_REDIS_URL, queueRedisUrl: QUEUE_REDIS_URL },
    close: async () => {
      await edgar.close();
      await world.close();
    },
  };
}

type Changes = Partial<Omit<Config, 'asOf'>> & { readonly asOf?: string };

/** Connections and parsing threads as a worker has them, but no worker: the test calls the jobs. */
export function openStages(flow: Flow, { asOf, ...changes }: Changes = {}): Promise<Pipeline> {
  const day = asOf === undefined ? {} : { asOf: asOf as IsoDate };
  return openPipeline({ ...flow.config, ...changes, ...day }, flow.urls);
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

export type Driving = {
  /** Called with each status; may disturb the run. */
  readonly watch?: (status: PipelineStatus) => Promise<void>;
};

/** Is the clock of a pipeline whose workers run here or in another process. */
export async function dispatchToEnd(pipeline: Pipeline, { watch }: Driving = {}): Promise<PipelineStatus> {
  const { producer, db } = pipeline.context;
  const start = Date.now();
  await producer.enqueue(QUEUES.dispatch, { slot: start });
  await producer.enqueue(QUEUES.reference, { slot: start });
  await producer.enqueue(QUEUES.backfill, { slot: start, again: true });
  let status = await pipelineStatus(db);
  const done = await waitUntil(async () => {
    await producer.enqueue(QUEUES.dispatch, { slot: start + Math.floor((Date.now() - start) / 200) });
    // Asked before the status: a day that is read in between leaves something pending in it.
    const left = await producer.load(['reference', 'backfill', 'reconcile']);
    status = await pipelineStatus(db);
    await watch?.(status);
    if (status.done && left === 0) return true;
    // A status takes some twenty commands: asked without a pause it takes the database from the workers.
    await sleep(STATUS_PAUSE_MS);
    return false;
  }, LIMIT_MS);
  if (!done) throw new Error(`the pipeline is not done: ${JSON.stringify(status)}`);
  return status;
}
