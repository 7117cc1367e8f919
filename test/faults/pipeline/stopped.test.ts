// @module-tag long

import { afterAll, beforeAll, expect } from 'vitest';
import { bullPrefix, openProducer } from '../../../jobs/worker/producer.ts';
import { freePort } from '../../../packages/embedded/port.ts';
import { waitUntil } from '../../../packages/embedded/wait.ts';
import { QUEUES } from '../../../queues/index.ts';
import { openQueueRedis } from '../../../src/redis.ts';
import { seedBrief, seed as seedCorpus } from '../../api/corpus.ts';
import { openStage } from '../../api/stage.ts';
import { dispatchToEnd, type Flow, openFlow, openStages } from '../../flow/flow.ts';
import type { Folder } from '../../flow/folder.ts';
import { streamOf } from '../../flow/shown.ts';
import { AS_OF, openSmallCorpus } from '../../flow/small-corpus.ts';
import { addSynthetic } from '../../flow/synthetic.ts';
import { opened } from '../../opened.ts';
import { call, countsOf } from '../harness/caller.ts';
import { openChildren } from '../harness/child.ts';
import { openOwnServer } from '../harness/own-server.ts';
import { longScenario, scenario } from '../harness/scenario.ts';

const LIMIT_MS = 30_000;
/** Of each of two APIs: an address may have 64 connections. */
const AT_ONCE = 50;
/** Waiting or at work when the worker is stopped. */
const MIN_JOBS = 20;
/** Each files one report: enough for so many jobs. */
const MANAGERS = 40;

const stage = opened(() => openStage({ RATE_LIMIT_PER_SECOND: '0', MAX_IN_FLIGHT_PER_KEY: '1000' }));
let folder: Folder;
const children = openChildren();

beforeAll(async () => {
  await seedCorpus(stage.world.mongo.db);
  await seedBrief(stage.world.mongo.db, 'AAPL', 'x');
  folder = await openSmallCorpus();
  const managers = Array.from({ length: MANAGERS }, (_, at) => at + 1);
  await addSynthetic(
    folder,
    managers.map((manager) => ({
      manager,
      quarterEnd: '2018-09-30',
      filed: '2018-11-14',
      rows: [{ issuer: 'APPLE INC', cusip: '037833100', shares: 1_000, value: 200 }],
    })),
  );
}, 300_000);
const flow = opened(() => openFlow(folder, AS_OF));
afterAll(async () => {
  children.killAll();
  await folder?.close();
});

/** The exit code, and whether it came in time after the signal. */
async function stop(child: ReturnType<typeof children.start>) {
  const since = performance.now();
  child.signal('SIGTERM');
  const code = await child.ended();
  const ms = Math.round(performance.now() - since);
  return { code, ms, isInTime: ms < LIMIT_MS };
}

/** Jobs at work, by what Redis says. */
async function activeJobs({ world }: Flow): Promise<number> {
  const prefix = bullPrefix(world.config.queuePrefix);
  const lists = Object.keys(QUEUES).map((name) => world.queue.llen(`${prefix}:${name}:active`));
  return (await Promise.all(lists)).reduce((sum, n) => sum + n, 0);
}

scenario('T12', 'SIGTERM fails none of the requests that an API has', async (run) => {
  const { key } = await stage.newKey(1_000_000);
  const ports = [await freePort(), await freePort()];
  const apis = ports.map((port) => children.start(['serve'], { ...stage.world.env, PORT: String(port) }));
  await Promise.all(apis.map((api) => api.until('listens')));
  const urls = ports.map((port) => `http://127.0.0.1:${port}/v1/funds?limit=100`);
  const wave = () => urls.flatMap((url) => Array.from({ length: AT_ONCE }, () => call({ url, key })));
  // Connections are open after the first wave; the stop comes with the first answer of the second.
  await Promise.all(wave());
  const calls = wave();
  await Promise.race(calls);
  const stops = apis.map(stop);
  const receipts = await Promise.all(calls);
  const ends = await Promise.all(stops);
  run.measured({ requests: receipts.length, 'slowest stop ms': Math.max(...ends.map(({ ms }) => ms)) });
  const { 200: served = 0, 503: late = 0, ...failed } = countsOf(receipts);
  expect(failed).toEqual({});
  // A machine that is busy with other tests may be too late for some of them, stopped or not.
  if (run.isLong) expect(late).toBe(0);
  expect(served).toBeGreaterThan(0);
  expect(ends).toEqual(ends.map(({ ms }) => ({ code: 0, ms, isInTime: true })));
});

longScenario('T12', 'SIGTERM during jobs leaves none at work, and the next worker goes on', async (run) => {
  const pipeline = await openStages(flow);
  const { producer } = pipeline.context;
  const first = children.start(['work'], flow.world.env);
  await first.until('is running');
  const running = dispatchToEnd(pipeline);
  let [jobs, active] = [0, 0];
  const isBusy = async () => {
    jobs = await producer.load(['fetch', 'parse', 'diff']);
    active = await activeJobs(flow);
    return jobs >= MIN_JOBS && active >= 3;
  };
  expect(await waitUntil(isBusy, 120_000)).toBe(true);
  const end = await stop(first);
  expect(end).toMatchObject({ code: 0, isInTime: true });
  expect(await activeJobs(flow)).toBe(0);
  const second = children.start(['work'], flow.world.env);
  const status = await running;
  expect(status).toMatchObject({ filings_13f: 7 + MANAGERS, filings_form4: 3, quarantined: 0, events: 3 });
  expect((await streamOf(flow.db)).map(([seq]) => seq)).toEqual([1, 2, 3]);
  expect(await stop(second)).toMatchObject({ code: 0, isInTime: true });
  await pipeline.close();
  run.measured({ jobs, 'of them at work': active, 'stop ms': end.ms });
});

longScenario(
  'T19',
  'a worker goes on within 30 s after its Redis was killed and started again',
  async (run) => {
    const server = await openOwnServer('credits');
    const worker = children.start(['work', '--queues', 'live'], {
      ...stage.world.env,
      QUEUE_REDIS_URL: server.url,
      EDGAR_URL: 'http://127.0.0.1:1',
    });
    await worker.until('is running');
    await server.kill();
    await server.restart();
    const since = performance.now();
    const redis = openQueueRedis(server.url);
    await redis.connect();
    const producer = openProducer(redis, stage.world.config.queuePrefix);
    await producer.enqueue(QUEUES.dispatch, { slot: 1 });
    const isDone = async () => (await producer.load(['dispatch'])) === 0;
    expect(await waitUntil(isDone, LIMIT_MS)).toBe(true);
    run.measured({ 'back after ms': Math.round(performance.now() - since) });
    expect(await stop(worker)).toMatchObject({ code: 0, isInTime: true });
    await producer.close();
    redis.disconnect();
    await server.close();
  },
);
