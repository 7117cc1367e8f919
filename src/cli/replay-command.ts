import { setTimeout as pause } from 'node:timers/promises';
import { SingleBar } from 'cli-progress';
import type { Command } from 'commander';
import { QUEUES } from '../../queues/index.ts';
import { type Config, loadConfig } from '../config.ts';
import { mostObserved, type PipelineStatus, pipelineStatus } from '../derive/corpus/status.ts';
import type { IsoDate } from '../domain/ids.ts';
import { type LocalEdgar, serveLocalEdgar } from '../edgar/local/serve.ts';
import { createLogger } from '../log.ts';
import { date } from './edgar-command.ts';
import { print, say, withServices } from './session.ts';

const TICK_MS = 500;
/** Before every filing of EDGAR: a replay reads all that the folder has. */
const EVERYTHING = '1993-01-01';

type Options = { asOf?: IsoDate; strict?: boolean };

/** `tidemark replay DIR`. */
export function addReplay(program: Command): void {
  program
    .command('replay <dir>')
    .description('Ingest a folder of full submissions through the whole pipeline and print a summary.')
    .option('--as-of <date>', 'what "today" is (default: TIDEMARK_AS_OF, else the clock)', date)
    .option('--strict', 'exit 1 when a filing had to be quarantined')
    .action(async (dir: string, options: Options) => {
      const config = loadConfig();
      const asOf = options.asOf ?? (config.asOf as IsoDate | undefined) ?? null;
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

export type Summary = {
  readonly filings_13f: number;
  readonly filings_form4: number;
  readonly holdings_rows: number;
  readonly events: number;
  readonly briefs: number;
  readonly failed: number;
  readonly seconds: number;
  readonly brief_id: string | null;
};

/** Runs workers and a clock of its own until nothing is pending. */
async function replay(
  config: Config,
  urls: Parameters<typeof import('../../jobs/worker/open.ts').openPipeline>[1],
): Promise<Summary> {
  const [{ openPipeline }, { startWorkers }] = await Promise.all([
    import('../../jobs/worker/open.ts'),
    import('../../jobs/worker/run.ts'),
  ]);
  const started = Date.now();
  const pipeline = await openPipeline(config, urls);
  const workers = startWorkers(pipeline.context, pipeline.redis);
  try {
    const status = await untilDone(pipeline.context.producer, () => pipelineStatus(pipeline.context.db));
    const best = await mostObserved(pipeline.context.db);
    return summaryOf(status, best?.briefId ?? null, started);
  } finally {
    await workers.close();
    await pipeline.close();
  }
}

type Producer = import('../../jobs/worker/producer.ts').Producer;

async function untilDone(producer: Producer, ask: () => Promise<PipelineStatus>): Promise<PipelineStatus> {
  const bar = new SingleBar({
    format: 'Ingesting |{bar}| {value}/{total} filings, {briefs} briefs',
    noTTYOutput: true,
    notTTYSchedule: 3_000,
    hideCursor: null,
    stream: process.stderr,
  });
  const slot = Date.now();
  await producer.enqueue(QUEUES.dispatch, { slot });
  await producer.enqueue(QUEUES.reference, { slot });
  await producer.enqueue(QUEUES.backfill, { slot, again: true });
  bar.start(0, 0, { briefs: 0 });
  try {
    for (let tick = 1; ; tick++) {
      await pause(TICK_MS);
      if ((await producer.load(['dispatch'])) === 0)
        await producer.enqueue(QUEUES.dispatch, { slot: slot + tick });
      // Asked first: what is noted after this was noted by nobody, so that `done` is the last word.
      const discovering = await producer.load(['reference', 'backfill', 'reconcile']);
      const status = await ask();
      bar.setTotal(status.discovered);
      bar.update(status.parsed + status.quarantined, { briefs: status.briefs });
      if (status.done && discovering === 0) return status;
    }
  } finally {
    bar.stop();
  }
}

/** The JSON line that `replay` and the demo end with (rule 11.10). */
export function summaryOf(status: PipelineStatus, briefId: string | null, startedMs: number): Summary {
  if (status.quarantined > 0) say(`${status.quarantined} filings were quarantined: tidemark failures list`);
  return {
    filings_13f: status.filings_13f,
    filings_form4: status.filings_form4,
    holdings_rows: status.holdings_rows,
    events: status.events,
    briefs: status.briefs,
    failed: status.quarantined,
    seconds: Math.round((Date.now() - startedMs) / 100) / 10,
    brief_id: briefId,
  };
}
