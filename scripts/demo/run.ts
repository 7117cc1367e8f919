import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Summary, summaryOf } from '../../src/cli/replay-command.ts';
import type { Config } from '../../src/config.ts';
import { mostObserved, type PipelineStatus, pipelineStatus } from '../../src/derive/corpus/status.ts';
import { withLock } from '../../src/embedded/lock.ts';
import type { Services } from '../../src/embedded/open.ts';
import { AppError } from '../../src/errors.ts';
import { openMongo } from '../../src/mongo.ts';
import type { Served } from './calls.ts';
import { demoKey } from './key.ts';
import { choosePorts } from './ports.ts';
import type { DemoProcesses } from './processes.ts';
import { showProgress } from './progress.ts';
import { type Setting, settle } from './setting.ts';

export type Outcome = { readonly served: Served; readonly summary: Summary };

/** Starts the processes, follows the pipeline to its end, and answers with what is served now. */
export async function runDemo(config: Config, services: Services, crew: DemoProcesses): Promise<Outcome> {
  const started = performance.now();
  const setting = await startAll(config, services, crew);
  const mongo = await openMongo(setting.mongoUrl, config.mongoDb);
  try {
    const before = await pipelineStatus(mongo.db);
    const ask = async (): Promise<PipelineStatus> => {
      const now = await pipelineStatus(mongo.db);
      // What an earlier run finished for another day is not done for this one.
      return { ...now, done: now.done && now.as_of === config.asOf };
    };
    await showProgress(ask);
    const status = await pipelineStatus(mongo.db);
    const best = await mostObserved(mongo.db);
    if (best === null)
      throw new AppError('demo_empty', `No brief as of ${config.asOf}: try another --as-of.`);
    tell(status, before);
    const served: Served = {
      apiUrl: setting.apiUrl,
      boardUrl: setting.boardUrl,
      boardUser: config.boardUser,
      boardPassword: setting.boardPassword,
      key: await demoKey(config.home, setting.apiUrl, setting.env),
      ticker: best.ticker,
    };
    return { served, summary: summaryOf(status, best.briefId, started) };
  } finally {
    await mongo.client.close();
  }
}

/** Four processes that start take seconds; several demos may start one after the other. */
const LOCK_LIMIT_MS = 5 * 60_000;

/**
 * The ports are chosen and taken under one lock for all demos of this user: another one would else
 * choose the same before ours are listened on. The local EDGAR comes first, because the worker asks it at once.
 */
async function startAll(config: Config, services: Services, crew: DemoProcesses): Promise<Setting> {
  const lock = join(tmpdir(), `tidemark-demo-ports-${process.getuid?.() ?? 'user'}.lock`);
  return withLock(lock, LOCK_LIMIT_MS, async () => {
    const ports = await choosePorts(config, process.env);
    const setting = settle({ config, services, ports }, process.env);
    // It speaks for the SEC, which the client trusts on the loopback address only.
    const local = { ...setting.env, HOST: '127.0.0.1' };
    crew.start('edgar', ['edgar', 'serve', setting.corpus, '--port', String(ports.edgar)], local);
    await crew.listens('edgar');
    for (const name of ['serve', 'board', 'work', 'schedule']) crew.start(name, [name], setting.env);
    await Promise.all([crew.listens('serve'), crew.listens('board')]);
    return setting;
  });
}

function tell(status: PipelineStatus, before: PipelineStatus): void {
  const fresh = status.parsed - before.parsed;
  const filings = `${status.filings_13f} 13F filings (${status.holdings_rows} rows), ${status.filings_form4} Forms 4`;
  const made = `${status.events} events, ${status.briefs} briefs, ${status.quarantined} quarantined`;
  process.stderr.write(`As of ${status.as_of}: ${filings}, ${made}; ${fresh} filings new in this run.\n`);
}
