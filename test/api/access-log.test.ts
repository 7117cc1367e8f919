import { pino } from 'pino';
import { Registry } from 'prom-client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { waitUntil } from '../../packages/embedded/wait.ts';
import { openCallMeters } from '../../src/metrics/calls.ts';
import { startApi } from '../../src/serve.ts';
import { ledgerIn } from '../../src/store/account/ledger.ts';
import { opened } from '../opened.ts';
import { FUND, seed, seedBrief } from './corpus.ts';
import { openStage } from './stage.ts';

const BRIEF = '/v1/stocks/AAPL/capital-change-brief';
const stage = opened(() => openStage({ ALLOWED_HOSTS: '127.0.0.1' }));
let api: Awaited<ReturnType<typeof startApi>>;
const lines: string[] = [];
const registry = new Registry();

beforeAll(async () => {
  await seed(stage.world.mongo.db);
  await seedBrief(stage.world.mongo.db, 'AAPL', 'x');
  const accessLog = pino({ base: null }, { write: (line: string) => void lines.push(line) });
  api = await startApi({ ...stage.world.context, accessLog, meters: openCallMeters(registry) });
});
afterAll(async () => {
  await api.close();
});

/** Answers the call, with its line. */
async function call(path: string, headers: Record<string, string>, body?: object) {
  const before = lines.length;
  const post = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) };
  const answer = await fetch(`http://127.0.0.1:${api.port}${path}`, { headers, ...post });
  await answer.text();
  expect(await waitUntil(async () => lines.length > before, 30_000)).toBe(true);
  expect(lines).toHaveLength(before + 1);
  return { answer, line: JSON.parse(lines.at(-1) ?? '{}') };
}

test('one line for each call: who, which route, what it cost; the id of its charge is its request’s', async () => {
  const { key, orgId, keyId } = await stage.newKey(100);
  const authorization = `Bearer ${key}`;
  for (const _ of ['the full way', 'the hot path']) {
    const { answer, line } = await call(BRIEF, { authorization });
    const requestId = answer.headers.get('x-request-id');
    expect(line).toMatchObject({
      ...{ requestId, attemptId: requestId, org: orgId, key: keyId, status: 200, credits: 10 },
      route: '/v1/stocks/{ticker}/capital-change-brief',
    });
    expect(line.ms).toBeGreaterThanOrEqual(0);
    const row = { orgId, kind: 'charge' as const, rid: String(requestId) };
    const { db } = stage.world.mongo;
    expect(await waitUntil(async () => (await ledgerIn(db).findOne(row)) !== null, 30_000)).toBe(true);
  }
});

test('an id that the client chose is in the line, and never the id of a charge', async () => {
  const { key } = await stage.newKey(100);
  const headers = { authorization: `Bearer ${key}`, 'x-request-id': 'my-trace-0001' };
  const { line } = await call(BRIEF, headers);
  expect(line).toMatchObject({ requestId: 'my-trace-0001', credits: 10 });
  expect(line.attemptId).not.toBe('my-trace-0001');
  const { line: again } = await call(BRIEF, headers);
  expect(again).toMatchObject({ requestId: 'my-trace-0001', credits: 10 });
  expect(again.attemptId).not.toBe(line.attemptId);
});

test('a tool names itself; refusals cost nothing; no key and nothing of a query is in any line', async () => {
  const { key, orgId } = await stage.newKey(1);
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const params = { name: 'fund.get', arguments: { cik: FUND } };
  const tool = await call('/mcp', headers, { jsonrpc: '2.0', id: 1, method: 'tools/call', params });
  expect(tool.line).toMatchObject({ route: '/mcp', tool: 'fund.get', status: 200, credits: 1, org: orgId });
  const poor = await call(BRIEF, headers);
  expect(poor.line).toMatchObject({ status: 402, credits: 0, org: orgId });
  const secret = await call(`/v1/search?q=${key}&token=hidden`, {});
  expect(secret.line).toMatchObject({ route: '/v1/search', org: '', key: '' });
  await call('/v1/funds/not%2Fa-fund', headers);
  expect(lines.join('')).not.toMatch(/tm_live_|hidden|not%2Fa|a-fund/);
});

test('the same calls are counted by route and status', async () => {
  const text = await registry.metrics();
  const route = 'route="/v1/stocks/{ticker}/capital-change-brief"';
  expect(text).toContain(`tidemark_call_seconds_count{${route},status="200"} 4`);
  expect(text).toContain(`tidemark_call_seconds_count{${route},status="402"} 1`);
  expect(text).toMatch(/tidemark_charge_seconds_count [1-9]/);
});

test('a call that waits for events is counted while it waits', async () => {
  const { key } = await stage.newKey(100);
  const held = async () => /^tidemark_calls_held (\d+)$/m.exec(await registry.metrics())?.[1];
  expect(await held()).toBe('0');
  const headers = { authorization: `Bearer ${key}` };
  const events = `http://127.0.0.1:${api.port}/v1/events`;
  const { data } = (await (await fetch(events, { headers })).json()) as { data: { next_cursor: string } };
  const going = new AbortController();
  const waiting = fetch(`${events}?since=${data.next_cursor}&wait=50`, { headers, signal: going.signal });
  expect(await waitUntil(async () => (await held()) === '1', 30_000)).toBe(true);
  going.abort();
  await expect(waiting).rejects.toThrow('aborted');
  expect(await waitUntil(async () => (await held()) === '0', 30_000)).toBe(true);
});
