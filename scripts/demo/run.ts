import { type Summary, summaryOf } from '../../src/cli/replay-command.ts';
import { AppError } from '../../src/errors.ts';
import { openMongo } from '../../src/mongo.ts';
import { mostObserved, type PipelineStatus, pipelineStatus } from '../../src/store/status.ts';
import type { Served } from './calls.ts';
import type { Crew } from './child.ts';
import { demoKey } from './key.ts';
import { showProgress } from './progress.ts';
import { listening } from './ready.ts';
import type { Setting } from './setting.ts';

export type Outcome = { readonly served: Served; readonly summary: Summary };

/** Starts the processes, follows the pipeline to its end, and answers with what is served now. */
export async function runDemo(setting: Setting, crew: Crew): Promise<Outcome> {
  const { config, ports, env } = setting;
  const started = Date.now();
  await startAll(setting, crew);
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
    await listening('The API', { host: hostOf(setting.apiUrl), port: ports.api });
    await listening('Bull Board', { host: hostOf(setting.boardUrl), port: ports.board });
    const served: Served = {
      apiUrl: setting.apiUrl,
      boardUrl: setting.boardUrl,
      boardUser: config.boardUser,
      boardPassword: setting.boardPassword,
      key: await demoKey(config.home, setting.apiUrl, env),
      ticker: best.ticker,
    };
    return { served, summary: summaryOf(status, best.briefId, started) };
  } finally {
    await mongo.client.close();
  }
}

/** The local EDGAR first, because the worker asks it at once. */
async function startAll({ corpus, ports }: Setting, crew: Crew): Promise<void> {
  // It speaks for the SEC, which the client trusts on the loopback address only.
  crew.start('edgar', ['edgar', 'serve', corpus, '--port', String(ports.edgar)], { HOST: '127.0.0.1' });
  await listening('The local EDGAR', { host: '127.0.0.1', port: ports.edgar });
  for (const name of ['serve', 'board', 'work', 'schedule']) crew.start(name, [name]);
}

function tell(status: PipelineStatus, before: PipelineStatus): void {
  const fresh = status.parsed - before.parsed;
  const filings = `${status.filings_13f} 13F filings (${status.holdings_rows} rows), ${status.filings_form4} Forms 4`;
  const made = `${status.events} events, ${status.briefs} briefs, ${status.quarantined} quarantined`;
  process.stderr.write(`As of ${status.as_of}: ${filings}, ${made}; ${fresh} filings new in this run.\n`);
}

function hostOf(url: string): string {
  return new URL(url).hostname;
}
