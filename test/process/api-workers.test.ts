import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
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

let world: World;
let primary: ChildProcess;
let origin = '';
let key = '';

beforeAll(async () => {
  world = await openWorld({ PORT: '0' });
  await ensureIndexes(world.mongo.db);
  await seedBrief(world.mongo.db, 'AAPL', 'one');
  key = (await createKey(world.store, { orgName: 'Two', credits: 10_000, label: 'test' })).key;
  const env = { PATH: process.env['PATH'], ...world.env };
  primary = spawn(process.execPath, [TIDEMARK, 'serve', '--workers', '2'], {
    env,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  origin = await addressOf(primary);
});
afterAll(async () => {
  primary.kill('SIGKILL');
  await world.close();
});

async function addressOf({ stderr }: ChildProcess): Promise<string> {
  if (stderr === null) throw new Error('the process has no stderr');
  for await (const line of createInterface({ input: stderr })) {
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

test('two processes share a port, answer the same bytes and charge one balance', async () => {
  const before = await balance();
  const answers = await Promise.all(Array.from({ length: CALLS }, call));
  expect(new Set(answers.map((answer) => answer.process)).size).toBe(2);
  expect(new Set(answers.map(({ tag, text }) => `${tag} ${text}`)).size).toBe(1);
  expect(await balance()).toBe(before - CALLS * 10);
  expect(await pids()).toHaveLength(2);
});

test('a process that is killed is replaced, and its heartbeat removed', async () => {
  const [killed = 0, other = 0] = await pids();
  process.kill(killed, 'SIGKILL');
  const isReplaced = async (): Promise<boolean> => {
    const now = await pids();
    return now.length === 2 && now.includes(other) && !now.includes(killed);
  };
  expect(await waitUntil(isReplaced, LIMIT_MS)).toBe(true);
  const answers = await Promise.all(Array.from({ length: CALLS }, call));
  expect(new Set(answers.map((answer) => answer.process)).size).toBe(2);
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
