import { afterAll, beforeAll, expect, test } from 'vitest';
import { answerOf, TidemarkError, tidemark } from '../../packages/client/src/index.ts';
import { FUND, seed } from '../api/corpus.ts';
import { openStage, type Stage } from '../api/stage.ts';

let stage: Stage;

beforeAll(async () => {
  // A pace that a client which reads as fast as it can runs into.
  stage = await openStage({ RATE_LIMIT_PER_SECOND: '5', RATE_LIMIT_BURST: '3' });
  await seed(stage.world.mongo.db);
});
afterAll(() => stage.close());

async function newClient(credits: number) {
  const { key } = await stage.newKey(credits);
  const client = tidemark({ baseUrl: stage.origin, key });
  const balance = async () => answerOf(await client.get('/credits')).data.balance;
  return { client, balance };
}

test('an answer has the type of its path', async () => {
  const { client } = await newClient(10);
  const { data, pagination } = answerOf(await client.get('/funds', { params: { query: { limit: 1 } } }));
  expect([data[0]?.cik, pagination.total]).toEqual([FUND, 4]);
});

test('an error is thrown with its code, its details and its request id', async () => {
  const { client } = await newClient(0);
  const asked = client.get('/funds/{cik}', { params: { path: { cik: '1' } } }).then(answerOf);
  const error = await asked.catch((cause: unknown) => cause);
  expect(error).toBeInstanceOf(TidemarkError);
  expect(error).toMatchObject({
    status: 402,
    body: { error: 'insufficient_credits', needed: 1, balance: 0, request_id: expect.any(String) },
  });
});

test('lists of tickers arrive as one parameter', async () => {
  const { client } = await newClient(10);
  const query = { since: '95', tickers: ['BRK.B', 'AAPL'] };
  const { data } = answerOf(await client.get('/events', { params: { query } }));
  expect(data.events.map((event) => event.seq)).toEqual([97, 99, 100]);
});

test('events follow without a gap through 429, each page is charged once, and the iteration continues from the last', async () => {
  const { client, balance } = await newClient(100);
  const ending = new AbortController();
  const seen: number[] = [];
  for await (const event of client.events('0', { limit: 10, signal: ending.signal })) {
    seen.push(event.seq);
    if (event.seq === 100) ending.abort();
  }
  expect(seen).toEqual(Array.from({ length: 100 }, (_, at) => at + 1));
  const onward = new AbortController();
  const rest: number[] = [];
  for await (const event of client.events('97', { signal: onward.signal })) {
    rest.push(event.seq);
    if (event.seq === 100) onward.abort();
  }
  expect(rest).toEqual([98, 99, 100]);
  await expect.poll(balance, { interval: 500 }).toBe(100 - 11);
});

test('an iteration that waits for events ends at once when it is aborted', async () => {
  const { client } = await newClient(10);
  const ending = new AbortController();
  const waiting = client.events('100', { idleMs: 3_600_000, signal: ending.signal }).next();
  ending.abort();
  expect(await waiting).toEqual({ done: true, value: undefined });
});

test('an error that waiting does not resolve ends the iteration', async () => {
  const stranger = tidemark({ baseUrl: stage.origin, key: 'tm_live_none' });
  await expect(stranger.events('0').next()).rejects.toMatchObject({ status: 401 });
});
