import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { hostname } from 'node:os';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, test } from 'vitest';
import { openProducer } from '../../../jobs/worker/producer.ts';
import { openWatch } from '../../../jobs/worker/watch.ts';
import { QUEUES, type QueueName } from '../../../queues/index.ts';
import { heartbeats, saveHeartbeat } from '../../../src/store/process/heartbeats.ts';
import { runProcess, tidemark } from '../../cli/tidemark.ts';
import { opened } from '../../opened.ts';
import { openWorld } from '../../world.ts';
import { openChildren } from '../harness/child.ts';
import { openOwnServer } from '../harness/own-server.ts';
import { longScenario } from '../harness/scenario.ts';

const world = opened(() => openWorld({ EDGAR_URL: 'http://127.0.0.1:1', PORT: '0' }));
const children = openChildren();

afterAll(async () => {
  children.killAll();
});

test('each process has a heartbeat until it ends; health and status tell of one that was killed', {
  tags: ['long'],
}, async () => {
  const api = children.start(['serve'], world.env);
  const worker = children.start(['work', '--queues', 'live'], world.env);
  const clock = children.start(['schedule'], world.env);
  await Promise.all([api.until('listens'), worker.until('is running'), clock.until('is running')]);
  const roles = async () => (await heartbeats(world.mongo.db)).map(({ role }) => role);
  expect(await roles()).toEqual(['api', 'scheduler', 'worker']);
  expect(await tidemark(world, 'health')).toMatchObject({ code: 0, stderr: '' });
  expect((await tidemark(world, 'status')).stdout).toContain(
    `process ${hostname()}:${worker.pid} worker live: ready`,
  );

  for (const child of [api, worker]) child.signal('SIGTERM');
  expect(await Promise.all([api.ended(), worker.ended()])).toEqual([0, 0]);
  expect(await roles()).toEqual(['scheduler']);
  clock.signal('SIGKILL');
  await clock.ended();
  const late = new Date(Date.now() - 120_000);
  await world.mongo.db.collection('heartbeats').updateOne({ role: 'scheduler' }, { $set: { at: late } });
  const ill = await tidemark(world, 'health');
  expect(ill.code).toBe(1);
  expect(ill.stderr).toMatch(new RegExp(`^scheduler \\(process ${clock.pid}\\): no heartbeat for \\d+ s\n$`));
  // The next process of this machine removes it.
  const next = children.start(['schedule'], world.env);
  await next.until('is running');
  expect((await heartbeats(world.mongo.db)).map(({ pid }) => pid)).toEqual([next.pid]);
  next.signal('SIGTERM');
  expect(await next.ended()).toBe(0);
});

test('health of a machine without a process fails; the clock, and health, never ask the credits', async () => {
  const empty = await openWorld({ CREDITS_REDIS_URL: 'redis://none' });
  expect(await runProcess(empty, 'health')).toMatchObject({
    code: 1,
    stderr: 'No process of this machine has a heartbeat\n',
  });
  const clock = children.start(['schedule'], empty.env);
  await clock.until('is running');
  // A container that was started again has another process under the number of the killed one.
  const killed = new Date(Date.now() - 120_000);
  const { pid } = process;
  const dead = { role: 'scheduler', about: '', host: hostname(), pid, version: '0', problems: [] } as const;
  await saveHeartbeat(empty.mongo.db, {
    ...dead,
    _id: `scheduler@${hostname()}:${pid}`,
    startedAt: killed,
    at: killed,
  });
  expect(await runProcess(empty, 'health')).toMatchObject({ code: 0, stderr: '' });
  clock.signal('SIGTERM');
  expect(await clock.ended()).toBe(0);
  await empty.close();
});

test('a worker that takes no waiting job for 120 s is wedged; one that works, or whose queue is paused, is not', async () => {
  const producer = openProducer(world.queue, 'watched');
  let clock = 0;
  let active = 0;
  const progress = () =>
    new Map<QueueName, { active: number; at: number }>([['dispatch', { active, at: 0 }]]);
  const judge = openWatch({ redis: world.queue, producer, progress, clock: () => clock });
  const later = async (seconds: number) => {
    clock += seconds * 1_000;
    return judge();
  };
  expect(await later(1_000)).toEqual({ problems: [] });
  await producer.enqueue(QUEUES.dispatch, { slot: 1 });
  expect(await later(1_000)).toEqual({ problems: [] });
  expect(await later(119)).toEqual({ problems: [] });
  active = 1;
  expect(await later(1_000)).toEqual({ problems: [] });
  active = 0;
  expect(await later(1)).toEqual({ problems: [] });
  expect(await later(119)).toEqual({ problems: [] });
  const wedged = 'jobs of dispatch wait, and this worker has taken none for 120 s';
  expect(await later(1)).toEqual({ problems: [wedged], wedged });
  await producer.clear(['dispatch']);
  expect(await later(1)).toEqual({ problems: [] });
  await producer.close();
});

test('a worker that computes for longer than Redis may take has read the answer that came meanwhile', async () => {
  const producer = openProducer(world.queue, 'computing');
  await producer.waiting('dispatch');
  let clock = 0;
  const progress = () => new Map<QueueName, { active: number; at: number }>();
  const judge = openWatch({ redis: world.queue, producer, progress, clock: () => clock, replyMs: 50 });
  const asked = judge();
  clock += 51_000;
  const end = performance.now() + 200;
  while (performance.now() < end);
  expect(await asked).toEqual({ problems: [] });
  await producer.close();
});

test('a process whose event loop stands still is killed', { tags: ['long'] }, async () => {
  const module = new URL('../../../src/process/health.ts', import.meta.url);
  const program = `import { watchLoop } from '${fileURLToPath(module)}'; watchLoop(1); setTimeout(() => { for (;;); }, 2000);`;
  const child = spawn(
    process.execPath,
    [
      '--import',
      new URL('../../../src/typescript.mjs', import.meta.url).href,
      '--input-type=module',
      '-e',
      program,
    ],
    {
      stdio: ['ignore', 'ignore', 'pipe'],
    },
  );
  let said = '';
  child.stderr.on('data', (chunk) => {
    said += chunk;
  });
  expect(await once(child, 'close')).toEqual([null, 'SIGKILL']);
  expect(said).toContain('the event loop was blocked for 1 s');
});

longScenario('T19', 'a worker and a clock whose Redis does not come back end with 1', async () => {
  const redis = await openOwnServer('credits');
  const env = { ...world.env, QUEUE_REDIS_URL: redis.url };
  const processes = [children.start(['work', '--queues', 'live'], env), children.start(['schedule'], env)];
  await Promise.all(processes.map((child) => child.until('is running')));
  await redis.kill();
  expect(await Promise.all(processes.map((child) => child.ended()))).toEqual([1, 1]);
  for (const { said } of processes) expect(said()).not.toMatch(/Unhandled|ECONNREFUSED/);
  await redis.close();
});
