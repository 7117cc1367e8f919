import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createKey, revokeKey } from '../../src/credits/account/key-life.ts';
import { openHighestSeq } from '../../src/credits/notices.ts';
import type { Accession, Cik } from '../../src/domain/ids.ts';
import { startApi } from '../../src/serve.ts';
import { replaceWatchlist } from '../../src/store/account/watchlists.ts';
import { eventsIn } from '../../src/store/filing/events.ts';
import { type Answer, openStage, type Stage } from './stage.ts';

const PER_ORGANIZATION = 3;
const PER_ADDRESS = 4 * PER_ORGANIZATION;

let stage: Stage;
let head = 0;

beforeAll(async () => {
  // Fewer places and turns than calls that wait: one that is held must take none.
  stage = await openStage({
    MAX_IN_FLIGHT: '6',
    MAX_AT_WORK: '2',
    MAX_AT_WORK_PER_ORGANIZATION: '2',
    MAX_WAITING_PER_ORGANIZATION: String(PER_ORGANIZATION),
    ALLOWED_HOSTS: '127.0.0.1',
  });
});
afterAll(() => stage.close());

const TICKERS = ['AAPL', 'MSFT', 'IBM'] as const;

/** Publishes the next event of the ticker, as the sequencer does. */
async function publish(ticker: string, isAnnounced = true): Promise<number> {
  const { world } = stage;
  head += 1;
  await eventsIn(world.mongo.db).insertOne({
    _id: head,
    accession: `0000320193-18-${String(head).padStart(6, '0')}` as Accession,
    form: head % 2 === 0 ? '4' : '4/A',
    ticker,
    issuer: 'An Issuer',
    issuerCik: '0000320193' as Cik,
    reportingOwnerCiks: [],
    filedAt: '2018-11-14T21:05:00Z',
    sourceUrl: 'https://www.sec.gov/Archives/edgar/data/320193/',
  });
  const highest = openHighestSeq(world.credits, world.creditsTag, world.mongo.db.databaseName);
  if (isAnnounced) await highest.raise(head);
  return head;
}

const seqs = ({ body }: Answer): number[] => body.data.events.map((one: { seq: number }) => one.seq);
const credits = async (key: string): Promise<number> => (await ask('/v1/credits', key)).body.data.balance;
const waiting = (key: string, query = '') => ask(`/v1/events?since=${head}&wait=50${query}`, key);

/** As a client does: an answer of 503, as a busy machine gives, costs nothing and is asked for again. */
async function ask(path: string, key: string, headers: Record<string, string> = {}): Promise<Answer> {
  for (;;) {
    const answer = await stage.get(path, key, headers);
    if (answer.status !== 503) return answer;
    await sleep(50);
  }
}

/** The same by hand, for an API of its own or a call that its client ends. */
async function follow(url: string, asked: RequestInit, again: readonly number[] = [503]): Promise<Response> {
  const answer = await fetch(url, asked);
  if (!again.includes(answer.status)) return answer;
  await sleep(50);
  return follow(url, asked, again);
}

/** What is refused because a probe took its place asks again. */
const HELD = [429, 503];

/** Until a further call is refused: then all places are taken. */
async function untilFull(call: () => Promise<number>): Promise<void> {
  await expect.poll(call, { timeout: 100_000 }).toBe(429);
}

describe('a call that waits', () => {
  let key: string;
  beforeEach(async () => {
    key = (await stage.newKey(100)).key;
  });

  test('is answered by the first event that matches, and charged once', async () => {
    const held = waiting(key, '&tickers=AAPL&form=4/A');
    await publish('MSFT');
    if (head % 2 === 1) await publish('AAPL');
    await publish('IBM');
    if (head % 2 === 1) await publish('IBM');
    const seq = await publish('AAPL');
    const answer = await held;
    expect([answer.status, seqs(answer), answer.headers.get('x-credits-charged')]).toEqual([200, [seq], '1']);
    expect(await credits(key)).toBe(99);
  });

  test('is answered at once where there is something to say', async () => {
    const seq = await publish('AAPL');
    const at = (path: string) => ask(`/v1/${path}wait=50`, key);
    expect(seqs(await at(`events?since=${seq - 1}&`))).toEqual([seq]);
    expect((await at('events?form=8-K&')).body.data.note.code).toBe('unsupported_form');
    expect((await at('watchlist/poll?')).body.data.note.code).toBe('empty_watchlist');
    expect((await at('events?since=x&')).status).toBe(400);
    const long = await ask('/v1/events?wait=51', key);
    expect([long.status, long.body.message]).toEqual([400, 'wait must be 0 to 50, not 51.']);
  });

  test('is answered without an announcement too, only later', async () => {
    const held = waiting(key);
    const seq = await publish('AAPL', false);
    expect(seqs(await held)).toEqual([seq]);
  });

  test('asks again under its Idempotency-Key without waiting, and pays for what came since', async () => {
    const named = { 'idempotency-key': 'a watch' };
    const since = head;
    const watch = () => ask(`/v1/events?since=${since}&wait=4`, key, named);
    const empty = await watch();
    const began = performance.now();
    const again = await watch();
    expect([again.text, again.headers.get('x-credits-charged')]).toEqual([empty.text, '0']);
    expect(performance.now() - began).toBeLessThan(3_000);
    const seq = await publish('AAPL');
    const later = await watch();
    expect([seqs(later), later.headers.get('x-credits-charged')]).toEqual([[seq], '1']);
    expect(await credits(key)).toBe(98);
  });

  test('may wait longer than a read may take; an empty answer is charged', async () => {
    const answer = await ask(`/v1/events?since=${head}&wait=4`, key);
    expect([answer.status, answer.body.data]).toMatchObject([200, { events: [], next_cursor: String(head) }]);
    expect(await credits(key)).toBe(99);
  });

  test('waits for the entries of the watchlist, and through a cursor that is ahead', async () => {
    const watcher = await stage.newKey(10);
    const list = { tickers: ['IBM'], ciks: [] };
    await replaceWatchlist(stage.world.mongo.db, watcher.orgId, list, '2018-11-30T12:00:00Z');
    const held = ask(`/v1/watchlist/poll?since=${head}&wait=50`, watcher.key);
    const ahead = ask(`/v1/events?since=${head + 2}&wait=50`, key);
    await publish('AAPL');
    const seq = await publish('IBM');
    expect((await held).body.data.events).toEqual([
      expect.objectContaining({ seq, matched: { type: 'ticker', value: 'IBM' } }),
    ]);
    const next = await publish('AAPL');
    expect(seqs(await ahead)).toEqual([next]);
  });

  test('is refused when its key is revoked meanwhile', async () => {
    const made = await stage.newKey(10);
    const held = waiting(made.key);
    await revokeKey(stage.store, made.keyId);
    await publish('AAPL');
    expect((await held).status).toBe(401);
  });

  test('keeps its Idempotency-Key for as long as it may be held', async () => {
    const made = await stage.newKey(10);
    const named = { 'Idempotency-Key': 'held' };
    const path = `/v1/events?since=${head}&wait=`;
    const held = ask(`${path}50`, made.key, named);
    const { credits: redis, creditsTag } = stage.world;
    const claims = () => redis.keys(`{${creditsTag}}:r:${made.orgId}:i-*`);
    await expect.poll(claims, { timeout: 30_000 }).toHaveLength(1);
    expect(await redis.ttl((await claims())[0] ?? '')).toBeGreaterThan(20);
    expect((await ask(`${path}50`, made.key, named)).status).toBe(409);
    const seq = await publish('AAPL');
    expect(seqs(await held)).toEqual([seq]);
    expect(await credits(made.key)).toBe(9);
  });

  test('lets the time pass with a test key, where nothing happens', async () => {
    const { key: testKey } = await createKey(stage.store, {
      orgName: 'Test',
      credits: 0,
      label: '',
      mode: 'test',
    });
    const { next_cursor } = (await ask('/v1/events', testKey)).body.data;
    const held = ask(`/v1/events?since=${next_cursor}&wait=1`, testKey);
    await publish('AAPL');
    expect((await held).body.data).toMatchObject({ events: [], next_cursor });
  });

  test('is the same as an agent tool', async () => {
    const params = { name: 'events.latest', arguments: { since: String(head), wait: 50 } };
    const held = fetch(`${stage.origin}/mcp`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }),
    });
    const seq = await publish('AAPL');
    const { result } = (await (await held).json()) as { result: { structuredContent: Answer['body'] } };
    expect(seqs({ body: result.structuredContent } as Answer)).toEqual([seq]);
    expect(await credits(key)).toBe(99);
  });
});

test('of any events and pauses, each follower gets all of its own once, and pays for its answers', async () => {
  const pause = fc.integer({ min: 0, max: 12 });
  const published = fc.array(fc.tuple(fc.constantFrom(...TICKERS), pause), { minLength: 1, maxLength: 12 });
  await fc.assert(
    fc.asyncProperty(published, fc.array(pause, { minLength: 3, maxLength: 3 }), async (events, pauses) => {
      const from = head;
      // What each waits for comes once more at the end, so that no follower waits for nothing.
      const all = [...events, ...TICKERS.map((ticker) => [ticker, 0] as const)];
      const tickers = all.map(([ticker]) => ticker);
      const followers = TICKERS.map(async (ticker, at) => {
        const { key } = await stage.newKey(100);
        const expected = tickers.flatMap((one, n) => (one === ticker ? [from + 1 + n] : []));
        const seen: number[] = [];
        let [cursor, calls] = [String(from), 0];
        while (seen.length < expected.length) {
          const answer = await ask(`/v1/events?tickers=${ticker}&since=${cursor}&wait=50`, key);
          seen.push(...seqs(answer));
          cursor = answer.body.data.next_cursor;
          calls += 1;
          await sleep(pauses[at]);
        }
        expect(seen).toEqual(expected);
        expect(await credits(key)).toBe(100 - calls);
      });
      for (const [ticker, ms] of all) {
        await publish(ticker);
        await sleep(ms);
      }
      await Promise.all(followers);
    }),
    { numRuns: 6 },
  );
});

describe('calls that are held', () => {
  const probe = (key: string) => async () => (await ask(`/v1/events?since=${head}&wait=1`, key)).status;

  test('take no place from others, and one event answers all of them, each charged once', async () => {
    const made = Array.from({ length: PER_ADDRESS / PER_ORGANIZATION }, () => stage.newKey(1_000));
    const keys = (await Promise.all(made)).map(({ key }) => key);
    const url = `${stage.origin}/v1/events?since=${head}&wait=50`;
    const held = keys.flatMap((key) => {
      const asked = { headers: { authorization: `Bearer ${key}` } };
      return Array.from({ length: PER_ORGANIZATION }, () => follow(url, asked, HELD));
    });
    await Promise.all(keys.map((key) => untilFull(probe(key))));
    const balances = await Promise.all(keys.map(credits));
    // The address has as many as it may have, far more than may be at work, and the service answers.
    const { key: other } = await stage.newKey(10);
    const refused = await waiting(other);
    const charged = refused.headers.get('x-credits-charged');
    expect([refused.status, charged, refused.headers.get('retry-after')]).toEqual([429, '0', '5']);
    expect((await ask('/v1/search?q=apple', other)).status).toBe(200);
    const seq = await publish('AAPL');
    for (const answer of await Promise.all(held)) {
      expect(answer.status).toBe(200);
      expect(seqs({ body: await answer.json() } as Answer)).toEqual([seq]);
    }
    const paid = balances.map((before) => before - PER_ORGANIZATION);
    expect(await Promise.all(keys.map(credits))).toEqual(paid);
  });

  test('leave their place when their client goes, and are not charged', async () => {
    const { key } = await stage.newKey(1_000);
    const leaving = new AbortController();
    const asked = { headers: { authorization: `Bearer ${key}` }, signal: leaving.signal };
    const url = `${stage.origin}/v1/events?since=${head}&wait=50`;
    const held = Array.from({ length: PER_ORGANIZATION }, () => follow(url, asked, HELD));
    await untilFull(probe(key));
    const before = await credits(key);
    leaving.abort();
    const gone = await Promise.allSettled(held);
    expect(new Set(gone.map(({ status }) => status))).toEqual(new Set(['rejected']));
    // This one is held until its time is over.
    await expect.poll(probe(key), { timeout: 60_000 }).toBe(200);
    expect(await credits(key)).toBe(before - 1);
  });

  test('are answered free when the process stops', async () => {
    const api = await startApi(stage.world.context);
    const { key } = await stage.newKey(1_000);
    const url = `http://127.0.0.1:${api.port}/v1/events?since=${head}&wait=`;
    const asked = { headers: { authorization: `Bearer ${key}` } };
    const held = Array.from({ length: PER_ORGANIZATION }, () => follow(`${url}50`, asked, HELD));
    await untilFull(async () => (await follow(`${url}1`, asked)).status);
    const before = await credits(key);
    await api.close();
    const answers = await Promise.all(held);
    const seen = new Set(
      answers.map(({ status, headers }) => `${status} ${headers.get('x-credits-charged')}`),
    );
    expect(seen).toEqual(new Set(['200 0']));
    expect(await credits(key)).toBe(before);
  });
});
