import { setTimeout as sleep } from 'node:timers/promises';
import type { Command } from 'commander';
import type { Services } from '../../packages/embedded/open.ts';
import { type LocalEdgar, serveLocalEdgar } from '../../packages/local-edgar/serve.ts';
import { QUEUES } from '../../queues/index.ts';
import { type Config, loadConfig } from '../config.ts';
import { pipelineProgress } from '../derive/corpus/progress.ts';
import { type PipelineStatus, pipelineStatus } from '../derive/corpus/status.ts';
import { type IsoDate, requireIsoDate } from '../domain/ids.ts';
import { createLogger } from '../log.ts';
import { mostObserved } from '../read/brief/most-observed.ts';
import { day } from './arguments.ts';
import { ingestBar } from './progress-bar.ts';
import { print, say, withServices } from './session.ts';

const TICK_MS = 500;
/** Earlier than every filing of EDGAR, so a replay reads the whole folder. */
const EVERYTHING = requireIsoDate('1993-01-01');

/** `tidemark replay DIR`. */
export function addReplay(program: Command): void {
  program
    .command('replay <dir>')
    .option('--as-of <date>', 'the day to use as "today" (default: TIDEMARK_AS_OF, else the clock)', day)
    .option('--strict', 'exit 1 when a filing is quarantined')
    .action(async (dir: string, options: { asOf?: IsoDate; strict?: boolean }) => {
      const config = loadConfig();
      const asOf = options.asOf ?? config.asOf ?? null;
      const log = createLogger('warn', 'edgar');
      const edgar = await serveLocalEdgar({ dir, port: 0, host: '127.0.0.1', asOf, log });
      try {
        const summary = await withServices(config, (services) =>
          replay({ ...config, ...replayed(edgar, asOf) }, services),
        );
        print(JSON.stringify(summary));
        if (options.strict && summary.failed > 0) process.exitCode = 1;
      } finally {
        await edgar.close();
      }
    });
}

function replayed(edgar: LocalEdgar, asOf: IsoDate | null): Partial<Config> {
  return {
    edgarUrl: edgar.url,
    backfillFrom: EVERYTHING,
    briefDebounceMs: 0,
    logLevel: 'warn',
    asOf: asOf ?? undefined,
  };
}

/** Runs its own workers and clock until nothing is pending. */
async function replay(config: Config, services: Services) {
  const [{ openPipeline }, { startWorkers }] = await Promise.all([
    import('../../jobs/worker/open.ts'),
    import('../../jobs/worker/run.ts'),
  ]);
  const started = performance.now();
  const pipeline = await openPipeline(config, services);
  const workers = startWorkers(pipeline.context, pipeline.redis);
  try {
    const status = await untilDone(pipeline.context);
    const best = await mostObserved(pipeline.context.db, pipeline.context.now);
    return summaryOf(status, best?.briefId ?? null, started);
  } finally {
    await workers.close();
    await pipeline.close();
  }
}

async function untilDone({ db, now, producer }: import('../../jobs/worker/context.ts').JobContext) {
  const slot = now().getTime();
  await producer.enqueue(QUEUES.dispatch, { slot });
  await producer.enqueue(QUEUES.reference, { slot });
  await producer.enqueue(QUEUES.backfill, { slot, again: true });
  const bar = ingestBar();
  try {
    for (let tick = 1; ; tick++) {
      await sleep(TICK_MS);
      if ((await producer.load(['dispatch'])) === 0)
        await producer.enqueue(QUEUES.dispatch, { slot: slot + tick });
      // Read before the progress: with no discovery running, nothing new can appear after `done`.
      const discovering = await producer.load(['reference', 'backfill', 'reconcile']);
      const progress = await pipelineProgress(db);
      bar.show(progress);
      if (progress.done && discovering === 0) return await pipelineStatus(db);
    }
  } finally {
    bar.stop();
  }
}

/**
 * The JSON line at the end of `replay` and of the demo (rule 11.10).
 * @param started by `performance.now()`
 */
export function summaryOf(status: PipelineStatus, briefId: string | null, started: number) {
  if (status.quarantined > 0) say(`${status.quarantined} filings were quarantined: tidemark failures list`);
  return {
    filings_13f: status.filings_13f,
    filings_form4: status.filings_form4,
    holdings_rows: status.holdings_rows,
    events: status.events,
    failed: status.quarantined,
    seconds: Math.round((performance.now() - started) / 100) / 10,
    brief_id: briefId,
  };
}
