import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { withLock } from '../../packages/embedded/lock.ts';
import type { Services } from '../../packages/embedded/open.ts';
import { ingestBar } from '../../src/cli/progress-bar.ts';
import { summaryOf } from '../../src/cli/replay-command.ts';
import type { Config } from '../../src/config.ts';
import { openContext } from '../../src/context.ts';
import { keyStoreOf } from '../../src/credits/account/key-record.ts';
import { type PipelineProgress, pipelineProgress } from '../../src/derive/corpus/progress.ts';
import { type PipelineStatus, pipelineStatus } from '../../src/derive/corpus/status.ts';
import { counted } from '../../src/domain/brief/words/numbers.ts';
import { AppError } from '../../src/errors.ts';
import { demoKey, type Served } from './calls.ts';
import { firstBrief, shownBrief } from './first-brief.ts';
import type { DemoProcesses } from './processes.ts';
import { choosePorts, settle } from './setting.ts';

export type Outcome = Awaited<ReturnType<typeof runDemo>>;

/** Starts the processes, waits until the pipeline is done, and returns what is served. */
export async function runDemo(config: Config, services: Services, processes: DemoProcesses) {
  const started = performance.now();
  const setting = await startAll(config, services, processes);
  const context = await openContext({ ...config, logLevel: 'warn' }, services, 'demo');
  try {
    const before = await pipelineStatus(context.db);
    const key = async () => demoKey(config.home, setting.apiUrl, await keyStoreOf(context));
    const askFirst = firstBrief({ db: context.db, apiUrl: setting.apiUrl, key });
    await showProgress(async () => {
      const now = await pipelineProgress(context.db);
      // A home that an earlier run finished for another day is not done for this day.
      const isOfDay = now.as_of === config.asOf;
      return { ...now, published: now.published && isOfDay, done: now.done && isOfDay };
    }, askFirst);
    const status = await pipelineStatus(context.db);
    const best = await shownBrief(context.db, context.now, config.asOf);
    if (best === null)
      throw new AppError('demo_empty', `No brief as of ${config.asOf}: try another --as-of.`);
    printCounts(status, before);
    const served: Served = {
      apiUrl: setting.apiUrl,
      boardUrl: setting.boardUrl,
      boardUser: config.boardUser,
      boardPassword: setting.boardPassword,
      key: await key(),
      ticker: best.ticker,
      asOf: config.asOf,
    };
    return { served, summary: summaryOf(status, best.briefId, started) };
  } finally {
    await context.close();
  }
}

/** Four processes need seconds to start, and several demos may start one after the other. */
const LOCK_LIMIT_MS = 5 * 60_000;

/**
 * The ports are chosen and used under one lock for all demos of this user. Otherwise another demo could
 * choose the same ports before ours listen. The worker needs the local EDGAR and starts when that listens.
 */
async function startAll(config: Config, services: Services, processes: DemoProcesses) {
  const lock = join(tmpdir(), `tidemark-demo-ports-${process.getuid?.() ?? 'user'}.lock`);
  return withLock(lock, LOCK_LIMIT_MS, async () => {
    const ports = await choosePorts(config, process.env);
    const setting = settle({ config, services, ports }, process.env);
    // It replaces the SEC, and the client accepts that only on the loopback address.
    const local = { ...setting.env, HOST: '127.0.0.1' };
    processes.start('edgar', ['edgar', 'serve', setting.corpus, '--port', String(ports.edgar)], local);
    for (const name of ['serve', 'board']) processes.start(name, [name], setting.env);
    await processes.listens('edgar');
    for (const name of ['work', 'schedule']) processes.start(name, [name], setting.env);
    await Promise.all([processes.listens('serve'), processes.listens('board')]);
    return setting;
  });
}

function printCounts(status: PipelineStatus, before: PipelineStatus): void {
  const fresh = status.parsed - before.parsed;
  const filings = `${status.filings_13f} 13F filings (${status.holdings_rows} rows), ${status.filings_form4} Forms 4`;
  const made = `${status.events} events, ${counted(status.briefs, 'brief')}, ${status.quarantined} quarantined`;
  process.stderr.write(
    `Stored: ${filings}, ${made}; ${fresh} filings new in this run. Shown as of ${status.as_of}.\n`,
  );
}

const POLL_MS = 500;
/** Much longer than any job of the bundled corpus takes, retries included, on a machine with ten times its work. */
const STALL_LIMIT_MS = 600_000;

/**
 * Shows a bar until the pipeline is done, with the lines that `noteOf` returns above it. Throws `demo_stalled` when
 * nothing changes for ten minutes, because a demo that waits for ever explains nothing.
 */
async function showProgress(
  read: () => Promise<PipelineProgress>,
  noteOf: (progress: PipelineProgress) => Promise<string | null>,
): Promise<void> {
  const bar = ingestBar();
  let last = '';
  let changedAt = performance.now();
  try {
    for (;;) {
      const progress = await read();
      bar.show(progress);
      const note = await noteOf(progress);
      if (note !== null) bar.sayAbove(note);
      if (progress.done) return;
      const seen = JSON.stringify(progress);
      if (seen !== last) changedAt = performance.now();
      last = seen;
      if (performance.now() - changedAt > STALL_LIMIT_MS) {
        throw new AppError('demo_stalled', `Nothing changed for ${STALL_LIMIT_MS / 1_000} s: ${seen}`);
      }
      await sleep(POLL_MS);
    }
  } finally {
    bar.stop();
  }
}
