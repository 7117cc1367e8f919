// @module-tag long

import { afterAll, beforeAll, expect } from 'vitest';
import { freePort } from '../../../packages/embedded/port.ts';
import { waitUntil } from '../../../packages/embedded/wait.ts';
import { statusShape } from '../../../src/domain/wire/status.ts';
import { tidemark } from '../../cli/tidemark.ts';
import { opened } from '../../opened.ts';
import { openWorld } from '../../world.ts';
import { openChildren } from '../harness/child.ts';
import { type Run, scenario } from '../harness/scenario.ts';

const COMPUTING = new URL('./computing.ts', import.meta.url);
/** A heartbeat is too old after 50 s. */
const NEARLY_MS = 45_000;
const WAIT_MS = 180_000;

const world = opened(openWorld);
let origin: string;
const children = openChildren();

beforeAll(async () => {
  const port = String(await freePort());
  origin = `http://127.0.0.1:${port}`;
  await children.start(['serve'], { ...world.env, PORT: port }).until('listens');
});
afterAll(async () => {
  children.killAll();
});

const heartbeats = () => world.mongo.db.collection<{ _id: string; pid: number; at: Date }>('heartbeats');
const statusIs = async (accept: string): Promise<string> =>
  (await fetch(`${origin}/status`, { headers: { accept } })).text();

/** What all three places say of the worker: JSON and HTML of /status, and `tidemark status`. */
async function isShownAlive(pid: number): Promise<boolean[]> {
  const { data } = JSON.parse(await statusIs('application/json')) as { data: unknown };
  const worker = statusShape.parse(data).processes.find(({ role }) => role === 'worker');
  const row = /<th scope="row">worker<.*/.exec(await statusIs('text/html'))?.[0] ?? '';
  const { stdout } = await tidemark(world, 'status');
  const line = new RegExp(`^process \\S+:${pid} worker live: ready`, 'm');
  return [worker?.alive === true, row.includes('>alive<'), line.test(stdout)];
}

/** Seconds until all places say so. Only a long run waits for the heartbeat to grow old by itself. */
async function secondsUntilShown(run: Run, pid: number, alive: boolean): Promise<number> {
  const started = performance.now();
  const last = await heartbeats().findOne({ pid });
  if (!run.isLong && last !== null)
    await heartbeats().updateOne({ pid }, { $set: { at: new Date(last.at.getTime() - NEARLY_MS) } });
  const isShown = async () => (await isShownAlive(pid)).every((shown) => shown === alive);
  expect(await waitUntil(isShown, WAIT_MS)).toBe(true);
  return Math.round((performance.now() - started) / 1_000);
}

scenario(
  'T27',
  'a worker that computes is alive everywhere; one that is stopped or killed is silent within a minute',
  async (run) => {
    const worker = children.startProgram(COMPUTING, world.env);
    await worker.until('computes');
    const since = new Date();
    const beats = async () => ((await heartbeats().findOne({ pid: worker.pid }))?.at ?? 0) > since;
    expect(await waitUntil(beats, WAIT_MS)).toBe(true);
    expect(await isShownAlive(worker.pid)).toEqual([true, true, true]);
    worker.signal('SIGSTOP');
    const stopped = await secondsUntilShown(run, worker.pid, false);
    expect((await tidemark(world, 'status')).stdout).toContain('PROBLEM no worker live is running');
    worker.signal('SIGCONT');
    const back = await waitUntil(async () => (await isShownAlive(worker.pid)).every(Boolean), WAIT_MS);
    expect(back).toBe(true);
    worker.signal('SIGKILL');
    const killed = await secondsUntilShown(run, worker.pid, false);
    run.measured({ 'stopped: silent after s': stopped, 'killed: silent after s': killed });
    expect(Math.max(stopped, killed)).toBeLessThan(run.within(60_000) / 1_000);
  },
);
