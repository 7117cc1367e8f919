// @module-tag long

import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Queue } from 'bullmq';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { bullPrefix } from '../../jobs/worker/producer.ts';
import { isAlive, markOf, type ProcessMark } from '../../packages/embedded/process.ts';
import { waitUntil } from '../../packages/embedded/wait.ts';
import { opened } from '../opened.ts';
import { openWorld } from '../world.ts';

const TIDEMARK = fileURLToPath(new URL('../../scripts/tidemark.mjs', import.meta.url));
const START_MS = 60_000;
/** A worker that is stopped closes its connections in some milliseconds; Redis notices at once. */
const STOP_MS = 30_000;

const world = opened(() => openWorld({ EDGAR_URL: 'http://127.0.0.1:1' }));
const children: ChildProcess[] = [];
const queues = new Map<string, Queue>();

beforeAll(async () => {
  const prefix = bullPrefix(world.config.queuePrefix);
  for (const name of ['parse', 'brief', 'peers', 'leaderboard']) {
    queues.set(name, new Queue(name, { connection: world.queue, prefix }));
  }
});

afterAll(async () => {
  for (const child of children) child.kill('SIGKILL');
  for (const queue of queues.values()) await queue.close();
});

function start(...args: string[]): ChildProcess {
  const env = { PATH: process.env['PATH'], ...world.env };
  const child = spawn(process.execPath, [TIDEMARK, 'work', ...args], { env, stdio: 'ignore' });
  children.push(child);
  return child;
}

/** The connected workers of the queues of parse, brief, peers and leaderboard. */
async function counts(): Promise<number[]> {
  return Promise.all([...queues.values()].map((queue) => queue.getWorkersCount()));
}

async function untilCounts(...wanted: number[]): Promise<void> {
  const reached = async () => JSON.stringify(await counts()) === JSON.stringify(wanted);
  if (await waitUntil(reached, START_MS)) return;
  expect(await counts()).toEqual(wanted);
}

const hasEnded = (child: ChildProcess) => async () => child.exitCode !== null || child.signalCode !== null;

test('a worker of some groups listens to no other queue', async () => {
  const live = start('--queues', 'live');
  await untilCounts(1, 0, 0, 0);
  const heavy = start('--queues', 'heavy,briefs');
  await untilCounts(1, 1, 1, 0);
  const board = start('--queues', 'leaderboard');
  await untilCounts(1, 1, 1, 1);
  for (const child of [live, heavy, board]) {
    child.kill('SIGTERM');
    await waitUntil(hasEnded(child), STOP_MS);
    expect(child.exitCode).toBe(0);
  }
  await untilCounts(0, 0, 0, 0);
});

test('one command runs all groups in three processes, which end together, also when the first is killed', async () => {
  const first = start();
  await untilCounts(1, 1, 1, 1);
  first.kill('SIGTERM');
  await waitUntil(hasEnded(first), STOP_MS);
  expect(first.exitCode).toBe(0);
  await untilCounts(0, 0, 0, 0);

  const killed = start();
  await untilCounts(1, 1, 1, 1);
  killed.kill('SIGKILL');
  await untilCounts(0, 0, 0, 0);
}, 240_000);

test.runIf(existsSync('/proc/self/task'))(
  'a second process that is still starting when the first is killed ends too',
  async () => {
    const killed = start();
    const second = await startedBy(killed);
    killed.kill('SIGKILL');
    expect(await waitUntil(async () => !isAlive(second), START_MS)).toBe(true);
  },
  120_000,
);

/** The process that another one has started, by the parents in /proc. */
async function startedBy({ pid }: ChildProcess): Promise<ProcessMark> {
  let found: ProcessMark | null = null;
  await waitUntil(async () => {
    const started = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ');
    const own = started.find(
      (id) => id !== '' && readFileSync(`/proc/${id}/cmdline`).includes('briefs,heavy'),
    );
    found = own === undefined ? null : markOf(Number(own));
    return found !== null;
  }, START_MS);
  if (found === null) throw new Error('no second process');
  return found;
}
