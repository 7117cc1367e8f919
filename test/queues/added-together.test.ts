import { Queue, Worker } from 'bullmq';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { bullPrefix, openProducer, type Producer } from '../../jobs/worker/producer.ts';
import { waitUntil } from '../../packages/embedded/wait.ts';
import { QUEUES } from '../../queues/index.ts';
import type { Ticker } from '../../src/domain/ids.ts';
import { opened } from '../opened.ts';
import { openWorld } from '../world.ts';

const LIMIT_MS = 60_000;

type Wanted = { readonly ticker: Ticker; readonly version: number };

const world = opened(openWorld);
let producer: Producer;
let queue: Queue;
beforeEach(() => {
  producer = openProducer(world.queue, world.config.queuePrefix);
  queue = new Queue('brief', connection());
});
afterEach(async () => {
  await producer.clear(['brief']);
  await queue.close();
  await producer.close();
});

const connection = () => ({ connection: world.queue, prefix: bullPrefix(world.config.queuePrefix) });
const wanted = (ticker: string, version: number): Wanted => ({ ticker: ticker as Ticker, version });

async function additions(): Promise<number> {
  return Number(await world.queue.get(queue.toKey('id')));
}

async function addOneByOne(all: readonly Wanted[]): Promise<void> {
  for (const one of all) await producer.enqueue(QUEUES.brief, one);
}

const addTogether = (all: readonly Wanted[]): Promise<void> => producer.enqueueAll(QUEUES.brief, all);

/**
 * Adds to keys in each state in which the dispatcher may find them: R runs, W waits, L has lost its data. Returns what runs
 * afterwards.
 */
async function runAfter(add: (all: readonly Wanted[]) => Promise<void>): Promise<string[]> {
  const ran: string[] = [];
  let end: () => void = () => undefined;
  const held = new Promise<void>((resolve) => {
    end = resolve;
  });
  const worker = new Worker(
    'brief',
    async ({ id }) => {
      ran.push(id ?? '');
      if (ran.length <= 2) await held;
    },
    { ...connection(), concurrency: 2 },
  );
  await addOneByOne([wanted('RSAME', 1), wanted('ROLD', 1)]);
  await waitUntil(async () => ran.length === 2, LIMIT_MS);
  await addOneByOne([wanted('WSAME', 1), wanted('WOLD', 1), wanted('LOST', 1), wanted('LOLD', 1)]);
  await world.queue.del(queue.toKey('brief-LOST-v1'), queue.toKey('brief-LOLD-v1'));
  await world.queue.zrem(queue.toKey('prioritized'), 'brief-LOST-v1', 'brief-LOLD-v1');
  await add([
    ...[wanted('RSAME', 1), wanted('ROLD', 2), wanted('WSAME', 1), wanted('WOLD', 2)],
    ...[wanted('LOST', 1), wanted('LOLD', 2), wanted('FRESH', 1), wanted('FRESH', 2)],
  ]);
  end();
  await waitUntil(async () => (await producer.load(['brief'])) === 0, LIMIT_MS);
  await worker.close();
  return ran.slice(2).sort();
}

test('jobs that are added together run as those that are added one by one (rule 13.4)', async () => {
  const ran = await runAfter(addTogether);
  expect(ran).toEqual(
    ['FRESH-v1', 'LOLD-v2', 'LOST-v1', 'ROLD-v2', 'WOLD-v1', 'WSAME-v1'].map((name) => `brief-${name}`),
  );
  expect(ran).toEqual(await runAfter(addOneByOne));
});

test('what waits already is not added again', async () => {
  const all = Array.from({ length: 600 }, (_, n) => wanted(`T${n}`, 1));
  await addTogether(all);
  const before = await additions();
  await addTogether(all);
  await addTogether(all.map(({ ticker }) => ({ ticker, version: 2 })));
  expect(await additions()).toBe(before);
  expect(await producer.load(['brief'])).toBe(600);
});
