import type { Command } from 'commander';
import { loadConfig } from '../config.ts';
import { openContext } from '../context.ts';
import { createLogger } from '../log.ts';
import { closeWithin, say, startOrClose, untilStopSignal, withServices } from './session.ts';

const API_CLOSE_MS = 15_000;
const WORKER_CLOSE_MS = 30_000;

// The processes are imported when they run: the API must not load BullMQ, nor the worker Express.

/** `tidemark serve`: the API. */
export function addServe(program: Command): void {
  program
    .command('serve')
    .description('Serve the API on HOST:PORT until asked to stop.')
    .action(async () => {
      const config = loadConfig();
      const { startApi } = await import('../serve.ts');
      await withServices(config, async (services) => {
        const context = await openContext(config, services, 'api');
        const api = await startOrClose(context.close, () => startApi(context));
        say(`The API listens on http://${config.host}:${api.port}`);
        await untilStopSignal();
        await closeWithin(API_CLOSE_MS, async () => {
          await api.close();
          await context.close();
        });
      });
    });
}

/** `tidemark work`: a worker process over all queues. */
export function addWork(program: Command): void {
  program
    .command('work')
    .description('Run the jobs of every queue until asked to stop; start as many as needed.')
    .action(async () => {
      const config = loadConfig();
      const [{ openPipeline }, { startWorkers }] = await Promise.all([
        import('../../jobs/worker/open.ts'),
        import('../../jobs/worker/run.ts'),
      ]);
      await withServices(config, async (services) => {
        const pipeline = await openPipeline(config, services);
        const workers = await startOrClose(pipeline.close, () =>
          startWorkers(pipeline.context, pipeline.redis),
        );
        say('The worker is running');
        await untilStopSignal();
        await closeWithin(WORKER_CLOSE_MS, async () => {
          await workers.close();
          await pipeline.close();
        });
      });
    });
}

/** `tidemark schedule`: the clock. */
export function addSchedule(program: Command): void {
  program
    .command('schedule')
    .description('Run the clock: it only enqueues, and several of them fire each slot once.')
    .action(async () => {
      const config = loadConfig();
      const [{ openQueue }, { startScheduler }] = await Promise.all([
        import('../../jobs/worker/open.ts'),
        import('../../jobs/worker/scheduler.ts'),
      ]);
      await withServices(config, async (services) => {
        const queue = await openQueue(config, services);
        const log = createLogger(config.logLevel, 'scheduler');
        const scheduler = await startOrClose(queue.close, () => startScheduler(queue.producer, log));
        say('The scheduler is running');
        await untilStopSignal();
        await closeWithin(WORKER_CLOSE_MS, async () => {
          await scheduler.close();
          await queue.close();
        });
      });
    });
}

/** `tidemark board`: Bull Board for operators. */
export function addBoard(program: Command): void {
  program
    .command('board')
    .description('Serve Bull Board on HOST:BOARD_PORT for operators, read-only unless --write.')
    .option('--write', 'allow retrying, promoting and cleaning jobs')
    .action(async (options: { write?: boolean }) => {
      const config = loadConfig();
      const { startBoard } = await import('../../dashboards/board.ts');
      await withServices(config, async (services) => {
        const board = await startBoard(config, services.queueRedisUrl, { writable: options.write === true });
        say(`Bull Board listens on http://${config.host}:${board.port}, user ${config.boardUser}`);
        if (config.boardPassword === undefined) say(`Its password for this run: ${board.password}`);
        await untilStopSignal();
        await closeWithin(API_CLOSE_MS, board.close);
      });
    });
}
