import { type Db, MongoClient } from 'mongodb';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { Ticker } from '../../src/domain/ids.ts';
import { loadBriefInput } from '../../src/read/brief/brief.ts';
import { invalidate } from '../../src/store/invalidation/invalidate.ts';
import { listPending } from '../../src/store/invalidation/invalidation.ts';
import { ensureIndexes } from '../../src/store/mongo/indexes.ts';
import { MAX_LIST } from '../../src/store/mongo/lists.ts';
import { symbolsOfCusips } from '../../src/store/security/securities.ts';
import { apple, google, LATEST, publish, seedSymbols, showFiled } from '../api/stock-corpus.ts';
import { opened } from '../opened.ts';
import { openWorld } from '../world.ts';

const HOLDERS = MAX_LIST + 10;

const world = opened(openWorld);
let client: MongoClient;
let db: Db;
let longest = 0;

beforeAll(async () => {
  const own = world.mongo.db;
  await ensureIndexes(own);
  await seedSymbols(own);
  await publish(own);
  for (let n = 1; n <= HOLDERS; n += 1)
    await showFiled(own, n, { [LATEST]: [apple(1_000n, 200n), google()] });
  client = new MongoClient(world.env['MONGO_URL'] ?? '', { monitorCommands: true });
  client.on('commandStarted', ({ command }) => {
    longest = Math.max(longest, longestListIn(command));
  });
  db = client.db(world.config.mongoDb);
});
afterAll(async () => {
  await client.close();
});
beforeEach(() => {
  longest = 0;
});

/** The length of the longest `$in` of a command. */
function longestListIn(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  const nested = Object.entries(value).map(([key, inner]) =>
    key === '$in' && Array.isArray(inner) ? inner.length : longestListIn(inner),
  );
  return Math.max(0, ...nested);
}

test('no command of the brief of some hundred holders has a longer list than MAX_LIST', {
  tags: ['long'],
}, async () => {
  const input = await loadBriefInput(db, 'AAPL' as Ticker, '');
  expect(input.holders.leg.tracked_managers_observed).toBe(HOLDERS);
  expect(longest).toBe(MAX_LIST);
});

test('many keys are invalidated in lists of MAX_LIST, each raised once', { tags: ['long'] }, async () => {
  const keys = Array.from({ length: HOLDERS }, (_, n) => `T${n}`);
  await invalidate(db, 'brief', [...keys, ...keys]);
  expect(longest).toBe(MAX_LIST);
  const pending = await listPending(db, 'brief', 2 * HOLDERS);
  expect(pending.filter(({ key }) => keys.includes(key)).map(({ version }) => Number(version))).toEqual(
    keys.map(() => 1),
  );
});

test('the symbols of many CUSIPs are looked up in lists of MAX_LIST', { tags: ['long'] }, async () => {
  const cusips = Array.from({ length: HOLDERS }, (_, n) => String(100_000_000 + n * 1_000));
  expect(await symbolsOfCusips(db, [...(cusips as never[]), '037833100' as never])).toEqual(['AAPL']);
  expect(longest).toBe(MAX_LIST);
});
