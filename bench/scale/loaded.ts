import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { openPipeline, type Pipeline } from '../../jobs/worker/open.ts';
import { startWorkers } from '../../jobs/worker/run.ts';
import { type Engine, engineThatMade } from '../../packages/embedded/engine.ts';
import { openServices } from '../../packages/embedded/open.ts';
import { type LocalEdgar, serveLocalEdgar } from '../../packages/local-edgar/serve.ts';
import { QUEUES } from '../../queues/index.ts';
import { withTemporaryFolder } from '../../scripts/temporary-folder.ts';
import { type Config, loadConfig } from '../../src/config.ts';
import { pipelineProgress } from '../../src/derive/corpus/progress.ts';
import { type PipelineStatus, pipelineStatus } from '../../src/derive/corpus/status.ts';
import { requireIsoDate } from '../../src/domain/ids.ts';
import { writeMarket } from '../market/folder.ts';
import type { Market } from '../market/market.ts';
import { monitored, openProbe, type Probe, type Spent } from './probe.ts';

/** The day after the filing window of the last quarter of every market. */
export const AS_OF = requireIsoDate('2023-11-30');

/** A market that was ingested whole, and what that cost. */
export type Loaded = {
  readonly market: Market;
  readonly rows: number;
  readonly filings: number;
  readonly ingest: Spent;
  readonly status: PipelineStatus;
  readonly pipeline: Pipeline;
  readonly probe: Probe;
  readonly dir: string;
  readonly edgar: LocalEdgar;
  /** Undefined for a MongoDB that is not embedded. */
  readonly engine: Engine | undefined;
};

/** Ingests the market into a home of its own, calls `work`, and removes everything. */
export function withLoadedMarket<T>(market: Market, work: (loaded: Loaded) => Promise<T>): Promise<T> {
  return withTemporaryFolder('scale', async (home) => {
    const dir = join(home, 'market');
    const { filings, rows } = writeMarket(dir, market);
    const edgar = await serveLocalEdgar({ dir, port: 0, asOf: AS_OF });
    const config = { ...loadConfig(), ...settings(edgar.url), home };
    const services = await openServices(config, () => undefined);
    try {
      const mongoUrl = monitored(services.mongoUrl);
      const pipeline = await openPipeline(config, { ...services, mongoUrl });
      try {
        const probe = openProbe(pipeline.base.mongo.client, home);
        const { answer: status, spent: ingest } = await probe(() => runToEnd(pipeline));
        const engine = engineThatMade(home);
        return await work({ market, rows, filings, ingest, status, pipeline, probe, dir, edgar, engine });
      } finally {
        await pipeline.close();
      }
    } finally {
      await services.release();
      await edgar.close();
    }
  });
}

function settings(edgarUrl: string): Partial<Config> {
  return {
    edgarUrl,
    backfillFrom: requireIsoDate('1993-01-01'),
    briefDebounceMs: 0,
    logLevel: 'warn',
    asOf: AS_OF,
    docker: 'never',
    // Several markets are loaded at once, so none may be in a service that others use.
    mongoUrl: undefined,
    creditsRedisUrl: undefined,
    queueRedisUrl: undefined,
  };
}

const TICK_MS = 1_000;

/** Starts workers, and dispatches until nothing is pending. */
export async function runToEnd({ context, redis }: Pipeline): Promise<PipelineStatus> {
  const { producer, db } = context;
  const workers = startWorkers(context, redis);
  try {
    let slot = Date.now();
    await producer.enqueue(QUEUES.dispatch, { slot });
    await producer.enqueue(QUEUES.reference, { slot });
    await producer.enqueue(QUEUES.backfill, { slot, again: true });
    for (;;) {
      await sleep(TICK_MS);
      const discovering = await producer.load(['reference', 'backfill', 'reconcile']);
      const { done } = await pipelineProgress(db);
      if (done && discovering === 0) return await pipelineStatus(db);
      slot += 1;
      if ((await producer.load(['dispatch'])) === 0) await producer.enqueue(QUEUES.dispatch, { slot });
    }
  } finally {
    await workers.close();
  }
}
