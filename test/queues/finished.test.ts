import { Queue } from 'bullmq';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Board, startBoard } from '../../dashboards/board.ts';
import type { JobContext } from '../../jobs/worker/context.ts';
import { bullPrefix, openProducer, type Producer } from '../../jobs/worker/producer.ts';
import { keepFinished, startWorkers } from '../../jobs/worker/run.ts';
import { waitUntil } from '../../packages/embedded/wait.ts';
import { QUEUES } from '../../queues/index.ts';
import { createLogger } from '../../src/log.ts';
import { opened } from '../opened.ts';
import { openWorld } from '../world.ts';

const LIMIT_MS = 60_000;
type Shown = { queues: { name: string; counts: object; jobs: object[] }[] };

const world = opened(() => openWorld({ BOARD_PORT: '0' }));
let producer: Producer;
let board: Board;
let queue: Queue;

beforeAll(async () => {
  producer = openProducer(world.queue, world.config.queuePrefix);
  const prefix = bullPrefix(world.config.queuePrefix);
  queue = new Queue('upkeep', { connection: world.queue, prefix });
  const options = { writable: false, password: 'correct horse battery' };
  board = await startBoard(world.context, world.config.queueRedisUrl ?? '', options);
});
afterAll(async () => {
  await board.close();
  await queue.close();
  await producer.close();
});

const finished = async () => queue.getJobCounts('completed', 'failed');

/** What a job of the queue uses of its context. */
function context(db: unknown): JobContext {
  const log = createLogger('silent', 'test');
  return { config: world.config, db, producer, log, now: () => new Date() } as unknown as JobContext;
}

async function run(db: unknown, isDone: (counts: Record<string, number>) => boolean): Promise<void> {
  const workers = startWorkers(context(db), world.queue, ['briefs']);
  await producer.enqueue({ ...QUEUES.upkeep, backoffMs: 1 }, { slot: 1, kind: 'expiry' });
  expect(await waitUntil(async () => isDone(await finished()), LIMIT_MS)).toBe(true);
  await workers.close();
}

test('Bull Board shows what was done and what failed, and the id of either may come again at once', async () => {
  await run(world.mongo.db, ({ completed }) => completed === 1);
  await run(world.mongo.db, ({ completed }) => completed === 2);
  const broken = {
    collection: () => {
      throw new Error('no MongoDB');
    },
  };
  await run(broken, ({ failed }) => failed === 1);
  await run(world.mongo.db, ({ completed }) => completed === 3);
  const authorization = `Basic ${Buffer.from('operator:correct horse battery').toString('base64')}`;
  const url = `http://127.0.0.1:${board.port}/api/queues?activeQueue=upkeep&status=failed`;
  const shown = (await (await fetch(url, { headers: { authorization } })).json()) as Shown;
  const own = shown.queues.find(({ name }) => name === 'upkeep');
  expect(own?.counts).toMatchObject({ completed: 3, failed: 1 });
  expect(own?.jobs).toMatchObject([{ name: 'upkeep', data: { slot: 1, kind: 'expiry' } }]);
  expect((await queue.getMetrics('completed')).meta.count).toBe(3);
});

test('so many copies are kept, of one day, and nothing of the others', async () => {
  const [job] = await queue.getCompleted(0, 0);
  if (job === undefined) throw new Error('no job');
  const keyPrefix = `${bullPrefix(world.config.queuePrefix)}:upkeep:`;
  const end = { end: 'completed' as const, keyPrefix };
  const now = Date.now();
  for (let n = 0; n < 210; n += 1) {
    const copy = Object.assign(job, { id: `many-${n}`, finishedOn: now + n });
    await keepFinished(world.queue, copy, { ...end, at: new Date(now) });
  }
  expect((await finished())['completed']).toBe(200);
  const later = now + 86_400_000 + 205;
  await keepFinished(world.queue, Object.assign(job, { finishedOn: later }), { ...end, at: new Date(later) });
  expect((await finished())['completed']).toBe(6);
  const left = await world.queue.keys(`${keyPrefix}*-at*`);
  expect(left).toHaveLength(6 + 1);
});
