import { type ChildProcess, spawn } from 'node:child_process';
import { hostname } from 'node:os';
import { fileURLToPath } from 'node:url';
import { setFlagsFromString } from 'node:v8';
import type { Command } from 'commander';
import { Counter, collectDefaultMetrics, Registry } from 'prom-client';
import type { Services } from '../../packages/embedded/open.ts';
import { passwordOf, passwordPath } from '../../packages/embedded/password.ts';
import { QUEUE_GROUPS, type QueueGroup } from '../../queues/queue.ts';
import { type Config, environmentWith, loadConfig, requireSecrets } from '../config.ts';
import { openContext } from '../context.ts';
import { createLogger } from '../log.ts';
import { openCallMeters } from '../metrics/calls.ts';
import { openMongo } from '../mongo.ts';
import { keepHealth } from '../process/health.ts';
import { processHealth, withoutReplaced } from '../read/status/status.ts';
import { clockProblem } from '../redis.ts';
import { queueGroups } from './arguments.ts';
import { say, untilStopSignal, withServices } from './session.ts';

const API_CLOSE_MS = 15_000;
const WORKER_CLOSE_MS = 30_000;
const LINGER_MS = 2_000;

// The processes are imported when they run: the API must not load BullMQ, nor the worker Express.

/** `tidemark serve`: the API. */
export function addServe(program: Command): void {
  program.command('serve').action(() => runProcess(API_CLOSE_MS, serve));
}

async function serve(config: Config, services: Services): Promise<readonly Close[]> {
  requireSecrets(config, 'api');
  const { startApi } = await import('../serve.ts');
  const context = await openContext(config, services, 'api');
  const registry = openRegistry('api');
  const meters = openCallMeters(registry);
  const api = await startOrClose(context.close, () => startApi({ ...context, meters }));
  const health = await keepHealth(services.mongoUrl, context, {
    role: 'api',
    metrics: () => metricsOf(registry),
    judge: async () => {
      if (context.creditsRedis.status !== 'ready')
        return { problems: ['the Redis of the credits does not answer'] };
      const problem = await clockProblem(context.creditsRedis, context.now);
      return { problems: problem === null ? [] : [problem] };
    },
  });
  say(`The API listens on http://${config.host}:${api.port}`);
  return [health.close, api.sayFarewell, api.close, context.close];
}

const GROUPS_HELP = [
  'only these groups, as live,heavy. live: what finds, reads and compares filings; briefs; heavy: peers,',
  'search; leaderboard; bulk: the import of data sets (default: all, with briefs and heavy in a second',
  'process, and leaderboard and bulk in a third)',
].join(' ');

/** Without `--queues` one command runs everything, and each of these in a process of its own. */
const APART: readonly (readonly QueueGroup[])[] = [
  ['briefs', 'heavy'],
  ['leaderboard', 'bulk'],
];

/**
 * Columns of whole quarters lie outside of the heap, and V8 lets the heap grow by as much again before it
 * collects what reading them left behind. Collecting at this growth takes a fifth more CPU and half the memory.
 */
const HEAVY_HEAP = '--heap-growing-percent=20';

/**
 * Room for new objects, a quarter of the usual one: whole quarters fill it again and again, and keep it. Not for imports,
 * whose threads want more than the usual one.
 */
const HEAVY_FLAGS = ['--max-semi-space-size=4'];

/** An import makes more garbage than it keeps: it wants a large young space more than a small heap. */
function holdsQuarters(groups: readonly QueueGroup[]): boolean {
  return groups.includes('heavy') || (groups.includes('leaderboard') && !groups.includes('bulk'));
}

/** `tidemark work`: worker processes over all queues, or one over some. */
export function addWork(program: Command): void {
  program
    .command('work')
    .option('--queues <groups>', GROUPS_HELP, queueGroups)
    .action(async ({ queues }: { queues?: readonly QueueGroup[] }) => {
      const [{ openPipeline }, { startWorkers }, { openWatch }] = await Promise.all([
        import('../../jobs/worker/open.ts'),
        import('../../jobs/worker/run.ts'),
        import('../../jobs/worker/watch.ts'),
      ]);
      await runProcess(WORKER_CLOSE_MS, async (config, services) => {
        const registry = openRegistry('worker');
        const pipeline = await openPipeline(config, services, { noteRequest: countRequests(registry) });
        const groups = queues ?? QUEUE_GROUPS.filter((group) => !APART.flat().includes(group));
        if (holdsQuarters(groups)) setFlagsFromString(HEAVY_HEAP);
        const workers = await startOrClose(pipeline.close, () =>
          startWorkers(pipeline.context, pipeline.redis, groups),
        );
        const { redis, context } = pipeline;
        const health = await keepHealth(services.mongoUrl, context, {
          role: 'worker',
          metrics: () => metricsOf(registry),
          about: groups.join(', '),
          judge: openWatch({ redis, producer: context.producer, progress: workers.progress }),
        });
        const closing = [health.close, workers.close, pipeline.close];
        if (queues !== undefined) {
          say(`The worker of ${queues.join(', ')} is running`);
          return closing;
        }
        const apart = APART.map((own) =>
          startOwnProcess(
            ['work', '--queues', own.join(',')],
            services,
            holdsQuarters(own) ? HEAVY_FLAGS : [],
          ),
        );
        say('The worker is running');
        return [...apart.map(({ stop }) => stop), ...closing, ...apart.map(({ ended }) => ended)];
      });
    });
}

/** `tidemark schedule`: the clock. */
export function addSchedule(program: Command): void {
  program.command('schedule').action(async () => {
    const [{ openQueue }, { startScheduler }, { openWatch }] = await Promise.all([
      import('../../jobs/worker/open.ts'),
      import('../../jobs/worker/scheduler.ts'),
      import('../../jobs/worker/watch.ts'),
    ]);
    await runProcess(WORKER_CLOSE_MS, async (config, services) => {
      const queue = await openQueue(config, services);
      const log = createLogger(config.logLevel, 'scheduler');
      const now = (): Date => new Date();
      // Only for its heartbeat.
      const mongo = await startOrClose(queue.close, () => openMongo(services.mongoUrl, config.mongoDb));
      const close = async (): Promise<void> => {
        await queue.close();
        await mongo.client.close();
      };
      const registry = openRegistry('scheduler');
      const scheduler = await startOrClose(close, () => startScheduler(queue.producer, { log, now }));
      const health = await keepHealth(
        services.mongoUrl,
        { db: mongo.db, log, now },
        {
          role: 'scheduler',
          metrics: () => metricsOf(registry),
          judge: openWatch({ ...queue, progress: () => new Map() }),
        },
      );
      say('The scheduler is running');
      return [health.close, scheduler.close, close];
    });
  });
}

/** `tidemark board`: Bull Board for operators. */
export function addBoard(program: Command): void {
  program
    .command('board')
    .option('--write', 'allow operators to retry, promote and clean jobs')
    .action(async (options: { write?: boolean }) => {
      const { startBoard } = await import('../../dashboards/board.ts');
      await runProcess(API_CLOSE_MS, async (config, services) => {
        requireSecrets(config, 'board');
        const password = config.boardPassword ?? passwordOf(config.home, 'board');
        const context = await openContext(config, services, 'board');
        const board = await startOrClose(context.close, () =>
          startBoard(context, services.queueRedisUrl, { writable: options.write === true, password }),
        );
        say(`Bull Board listens on http://${config.boardHost}:${board.port}, user ${config.boardUser}`);
        if (config.boardPassword === undefined) {
          say(`Its password is in ${passwordPath(config.home, 'board')}`);
        }
        return [board.close, context.close];
      });
    });
}

type Close = () => Promise<void>;

/** Runs a process with its services until a stop signal, then closes its parts in the returned order. */
async function runProcess(
  closeLimitMs: number,
  start: (config: Config, services: Services) => Promise<readonly Close[]>,
): Promise<void> {
  const config = loadConfig();
  await withServices(config, async (services) => {
    const parts = await start(config, services);
    await untilStopSignal();
    // A hanging connection must not hold up a deployment.
    const limit = setTimeout(() => {
      say(`tidemark: not closed after ${closeLimitMs / 1_000} s, stopping anyway`);
      process.exit(1);
    }, closeLimitMs);
    for (const close of parts) await close();
    clearTimeout(limit);
  });
  // A job that was left to another worker may still hold this process.
  setTimeout(() => process.exit(), LINGER_MS).unref();
}

/** Returns what `start` returns. When it fails, closes what was opened for it, so the process can end. */
async function startOrClose<T>(close: Close, start: () => T | Promise<T>): Promise<T> {
  try {
    return await start();
  } catch (error) {
    await close();
    throw error;
  }
}

/** `tidemark health`: for a supervisor that can run a command, where a process has no port to ask. */
export function addHealth(program: Command): void {
  program.command('health').action(async () => {
    const config = loadConfig();
    const own = await withServices(config, async ({ mongoUrl }) => {
      const { db, client } = await openMongo(mongoUrl, config.mongoDb);
      const all = await processHealth(db, () => new Date()).finally(() => client.close());
      return withoutReplaced(all.filter(({ host }) => host === hostname()));
    });
    if (own.length === 0) say('No process of this machine has a heartbeat');
    for (const { role, about, pid, problems } of own) {
      for (const problem of problems) say(`${[role, about].join(' ').trim()} (process ${pid}): ${problem}`);
    }
    if (own.length === 0 || own.some(({ isReady }) => !isReady)) process.exitCode = 1;
  });
}

const TIDEMARK = fileURLToPath(new URL('../../scripts/tidemark.mjs', import.meta.url));

/**
 * Starts `tidemark` with the arguments as a part of this process: with its services and output, ended with
 * it even when it is killed, and ending it when it fails.
 * @param nodeFlags of Node, for what cannot be set once a process runs
 */
function startOwnProcess(args: readonly string[], services: Services, nodeFlags: readonly string[] = []) {
  // The channel carries nothing: it closes when this process ends, however that happens.
  const child = spawn(process.execPath, [...nodeFlags, TIDEMARK, ...args], {
    env: environmentWith(services),
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const fail = (code: number | null, signal: string | null): void => {
    say(`tidemark: its process "${args.join(' ')}" ended (${signal ?? `exit code ${code}`})`);
    process.exitCode = 1;
    process.kill(process.pid, 'SIGTERM');
  };
  child.once('exit', fail);
  return {
    /** Asks it to stop, and does not wait. */
    stop: async (): Promise<void> => {
      child.off('exit', fail);
      child.kill('SIGTERM');
    },
    ended: (): Promise<void> => (isRunning(child) ? ended : Promise.resolve()),
  };
}

function isRunning({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode === null && signalCode === null;
}

/** The registry of one process, with what Node says of it. */
export function openRegistry(role: string): Registry {
  const registry = new Registry();
  registry.setDefaultLabels({ role, host: hostname() });
  collectDefaultMetrics({ register: registry });
  return registry;
}

/** What the registry holds now, as the operators' port reads it. */
export async function metricsOf(registry: Registry): Promise<string> {
  return JSON.stringify(await registry.getMetricsAsJSON());
}

/** Counts requests to EDGAR: the SEC allows ten a second, of all processes together. */
export function countRequests(registry: Registry): () => void {
  const counter = new Counter({
    ...{ name: 'tidemark_edgar_requests_total', help: 'Requests sent to EDGAR', registers: [registry] },
  });
  return () => counter.inc();
}
