import { type ChildProcess, spawn } from 'node:child_process';
import { on, once } from 'node:events';
import { copyFileSync, readFileSync, renameSync } from 'node:fs';
import { type IncomingMessage, request } from 'node:http';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createKey } from '../../src/credits/account/key-life.ts';
import { waitUntil } from '../../src/embedded/wait.ts';
import { ensureIndexes } from '../../src/store/mongo/indexes.ts';
import { heartbeats } from '../../src/store/process/heartbeats.ts';
import { seedBrief } from '../api/corpus.ts';
import { openWorld, type World } from '../world.ts';

const TIDEMARK = fileURLToPath(new URL('../../scripts/tidemark.mjs', import.meta.url));
const LIMIT_MS = 60_000;
const CALLS = 20;
const FAILURES = 30;

let world: World;
/** Where its Node is, which a test may take away. */
let node = '';
let said = '';
let primary: ChildProcess;
let origin = '';
let key = '';

beforeAll(async () => {
  world = await openWorld({ PORT: '0' });
  await ensureIndexes(world.mongo.db);
  await seedBrief(world.mongo.db, 'AAPL', 'one');
  key = (await createKey(world.store, { orgName: 'Two', credits: 10_000, label: 'test' })).key;
  node = join(world.config.home, 'node');
  copyFileSync(process.execPath, node);
  primary = spawnServe(node, { FAILED_AUTH_PER_MINUTE: String(FAILURES) });
  origin = await addressOf(primary);
  primary.stderr?.on('data', (text) => {
    said += text;
  });
});
afterAll(async () => {
  endGroup(primary);
  await world.close();
});

function spawnServe(exec: string, settings: Readonly<Record<string, string>>): ChildProcess {
  const env = { PATH: process.env['PATH'], ...world.env, ...settings };
  const stdio = ['ignore', 'ignore', 'pipe'] as const;
  return spawn(exec, [TIDEMARK, 'serve', '--workers', '2'], { env, stdio: [...stdio], detached: true });
}

async function addressOf({ stderr }: ChildProcess): Promise<string> {
  if (stderr === null) throw new Error('the process has no stderr');
  const lines = createInterface({ input: stderr });
  for await (const [line] of on(lines, 'line', { close: ['close'] })) {
    const [, found] = /listens on (http:\S+) in 2 processes/.exec(line) ?? [];
    if (found !== undefined) return found;
  }
  throw new Error('the API did not start');
}

/** Each on a connection of its own: the processes take connections in turn. */
async function call(): Promise<{
  readonly process: string;
  readonly tag: string | null;
  readonly text: string;
}> {
  const headers = { authorization: `Bearer ${key}`, connection: 'close' };
  const answer = await fetch(`${origin}/v1/stocks/AAPL/capital-change-brief`, { headers });
  expect(answer.status).toBe(200);
  const [process = ''] = answer.headers.get('x-request-id')?.split('-') ?? [];
  return { process, tag: answer.headers.get('etag'), text: await answer.text() };
}

async function balance(): Promise<number> {
  const answer = await fetch(`${origin}/v1/credits`, { headers: { authorization: `Bearer ${key}` } });
  const body = (await answer.json()) as { readonly data: { readonly balance: number } };
  return body.data.balance;
}

const pids = async (): Promise<number[]> => (await heartbeats(world.mongo.db)).map(({ pid }) => pid).sort();

/** Once both have a heartbeat. */
async function bothPids(): Promise<readonly [number, number]> {
  expect(await waitUntil(async () => (await pids()).length === 2, LIMIT_MS)).toBe(true);
  const [first, second] = await pids();
  if (first === undefined || second === undefined) throw new Error('two processes have a heartbeat');
  return [first, second];
}

test('two processes share a port, answer the same bytes and charge one balance', async () => {
  const before = await balance();
  const answers = await Promise.all(Array.from({ length: CALLS }, call));
  expect(new Set(answers.map((answer) => answer.process)).size).toBe(2);
  expect(new Set(answers.map(({ tag, text }) => `${tag} ${text}`)).size).toBe(1);
  expect(await balance()).toBe(before - CALLS * 10);
  expect(await pids()).toHaveLength(2);
});

test('a process that is killed is replaced, and its heartbeat removed', async () => {
  const [killed, other] = await bothPids();
  process.kill(killed, 'SIGKILL');
  const isReplaced = async (): Promise<boolean> => {
    const now = await pids();
    return now.length === 2 && now.includes(other) && !now.includes(killed);
  };
  expect(await waitUntil(isReplaced, LIMIT_MS)).toBe(true);
  const answers = await Promise.all(Array.from({ length: CALLS }, call));
  expect(new Set(answers.map((answer) => answer.process)).size).toBe(2);
});

test('a process that cannot be started is tried again, and the others go on', {
  tags: ['long'],
}, async () => {
  const [killed, other] = await bothPids();
  renameSync(node, `${node}.away`);
  process.kill(killed, 'SIGKILL');
  expect(await waitUntil(async () => /ended \(spawn .*ENOENT\)/.test(said), LIMIT_MS)).toBe(true);
  expect((await call()).tag).not.toBe('');
  renameSync(`${node}.away`, node);
  const isReplaced = async (): Promise<boolean> => {
    const now = await pids();
    return now.length === 2 && now.includes(other) && !now.includes(killed);
  };
  expect(await waitUntil(isReplaced, LIMIT_MS)).toBe(true);
});

test('an address may fail to authenticate as often at both as at one', async () => {
  const fail = async (): Promise<number> => {
    const headers = { authorization: 'Bearer wrong', connection: 'close' };
    const answer = await fetch(`${origin}/v1/credits`, { headers });
    await answer.text();
    return answer.status;
  };
  const statuses: number[] = [];
  for (let time = 0; time < 2 * FAILURES; time += 1) statuses.push(await fail());
  expect(statuses.filter((status) => status === 401)).toHaveLength(FAILURES);
});

test('SIGTERM ends all of them after the calls in progress', async () => {
  // The server says that it has the request, which then waits for an event.
  const headers = { authorization: `Bearer ${key}`, expect: '100-continue' };
  const held = request(`${origin}/v1/events?since=0&wait=30`, { headers });
  const answered = once(held, 'response');
  held.flushHeaders();
  await once(held, 'continue');
  held.end();
  const ended = once(primary, 'exit');
  primary.kill('SIGTERM');
  const [answer] = (await answered) as [IncomingMessage];
  expect(answer.resume().statusCode).toBe(200);
  expect(await ended).toEqual([0, null]);
  expect(await pids()).toEqual([]);
});

test.each(['SIGTERM', 'SIGKILL'] as const)(
  '%s before they listen leaves none behind',
  { tags: ['long'] },
  async (signal) => {
    const starting = spawnServe(process.execPath, { LOG_LEVEL: 'warn' });
    try {
      let log = '';
      starting.stderr?.on('data', (text) => {
        log += text;
      });
      const children = `/proc/${starting.pid}/task/${starting.pid}/children`;
      const haveStarted = async () => readFileSync(children, 'utf8').trim().split(' ').length === 2;
      expect(await waitUntil(haveStarted, LIMIT_MS)).toBe(true);
      starting.kill(signal);
      // The last of them closes the pipe.
      let isOver = false;
      starting.once('close', () => {
        isOver = true;
      });
      expect(await waitUntil(async () => isOver, 10_000)).toBe(true);
      expect(log).not.toContain('listens on');
    } finally {
      endGroup(starting);
    }
  },
);

/** With what it left behind. */
function endGroup({ pid }: ChildProcess): void {
  // Zero would be the group of this process.
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // None is left.
  }
}
