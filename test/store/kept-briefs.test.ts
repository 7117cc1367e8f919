import { MongoClient } from 'mongodb';
import { beforeAll, beforeEach, expect, test } from 'vitest';
import { briefSource, openBriefLookup } from '../../src/api/cache/brief-lookup.ts';
import { redisKeys } from '../../src/credits/redis-keys.ts';
import type { Ticker } from '../../src/domain/ids.ts';
import { ensureIndexes } from '../../src/store/mongo/indexes.ts';
import { correctExpiry } from '../../src/store/publish/brief-expiry.ts';
import { briefsIn, keepBriefs } from '../../src/store/publish/briefs.ts';
import { currentBriefsIn } from '../../src/store/publish/current-briefs.ts';
import { seedBrief } from '../api/corpus.ts';
import { opened } from '../opened.ts';
import { openWorld } from '../world.ts';
import { boundsOf, indexesOf, recordReads } from './plan.ts';

const [AAPL, GM] = ['AAPL', 'GM'] as [Ticker, Ticker];
/** Of `seedBrief`. */
const LATER = '2018-12-30T00:00:00.000Z';
/** In the future: MongoDB itself removes what has expired. */
const NOW = '2098-12-24T04:00:00.000Z';

const world = opened(openWorld);
beforeAll(async () => {
  await ensureIndexes(world.mongo.db);
  // What `seedBrief` shows expired in 2018: MongoDB would remove it in the middle of a test.
  await briefsIn(world.mongo.db).dropIndex('expiry');
});
beforeEach(async () => {
  for (const collection of [briefsIn, currentBriefsIn]) await collection(world.mongo.db).deleteMany({});
});

const db = () => world.mongo.db;
const show = (text: string, version: number, ticker: Ticker = AAPL) => seedBrief(db(), ticker, text, version);

/** When the brief is removed; `kept` for one that is kept, `shown` for another that stays. */
async function fateOf(_id: string): Promise<string> {
  const brief = await briefsIn(db()).findOne({ _id });
  return brief?.expiresAt?.toISOString() ?? (brief?.kept ? 'kept' : 'shown');
}

/** An API process that counts what it asks of the source. */
async function openApi() {
  const calls: string[] = [];
  const source = briefSource(db(), () => new Date(NOW));
  const counted = {
    ...source,
    keep: (briefId: string) => {
      calls.push(briefId);
      return source.keep(briefId);
    },
  };
  const channel = redisKeys(world.creditsTag).currentBriefs;
  const lookup = await openBriefLookup(world.credits, channel, { source: counted, maxBytes: 1e6 });
  return { lookup, calls };
}

test('a brief that no reader got expires 30 days after its ticker showed it last, and never before (rule 13.8)', async () => {
  const one = await show('one', 1);
  expect(await fateOf(one)).toBe('shown');
  const other = await show('other', 2);
  expect([await fateOf(one), await fateOf(other)]).toEqual([LATER, 'shown']);
  await show('one', 3);
  expect([await fateOf(one), await fateOf(other)]).toEqual(['shown', LATER]);
});

test('a brief that a reader got never expires, and each process notes it once at most', async () => {
  const one = await show('one', 1);
  const [first, second] = [await openApi(), await openApi()];
  for (let n = 0; n < 3; n += 1) await first.lookup.find(AAPL);
  await second.lookup.find(AAPL);
  expect([first.calls, second.calls]).toEqual([[one], []]);
  await show('other', 2);
  expect(await fateOf(one)).toBe('kept');
  for (const { lookup } of [first, second]) await lookup.close();
});

test('a brief that is replaced while a reader gets it is kept', async () => {
  const one = await show('one', 1);
  await show('other', 2);
  expect(await fateOf(one)).toBe(LATER);
  await keepBriefs(db(), [one]);
  expect(await fateOf(one)).toBe('kept');
  await show('one', 3);
  await show('other', 4);
  expect(await fateOf(one)).toBe('kept');
});

test('the nightly correction finds what a crash between two writes left', async () => {
  const lost = { $unset: { expiresAt: '' as const } };
  const early = { $set: { expiresAt: new Date(NOW) } };
  const [unread, kept, shown] = [await show('one', 1), await show('two', 2), await show('three', 3)];
  const stays = await show('four', 1, GM);
  await keepBriefs(db(), [kept]);
  // The ticker showed another brief, and then the process ended.
  await briefsIn(db()).updateOne({ _id: unread }, lost);
  await briefsIn(db()).updateMany({ _id: { $in: [shown, kept] } }, early);
  await correctExpiry(db(), NOW);
  expect(await Promise.all([unread, kept, shown, stays].map(fateOf))).toEqual([
    '2099-01-23T04:00:00.000Z',
    'kept',
    'shown',
    'shown',
  ]);
  await correctExpiry(db(), '2099-01-01T00:00:00.000Z');
  expect(await fateOf(unread)).toBe('2099-01-23T04:00:00.000Z');
});

test('the correction reads more briefs than one list holds, through an index', async () => {
  for (let n = 0; n < 120; n += 1) await show(`brief ${n}`, n + 1, n % 2 === 0 ? AAPL : GM);
  await briefsIn(db()).updateMany({}, { $unset: { expiresAt: '' } });
  const client = new MongoClient(world.env['MONGO_URL'] ?? '', { monitorCommands: true });
  const reads = recordReads(client);
  await correctExpiry(client.db(world.config.mongoDb), NOW);
  const ofBriefs = reads.filter(({ collection }) => collection === 'briefs');
  const bounds = (await Promise.all(ofBriefs.map((read) => boundsOf(db(), read)))).flat();
  const plans = await Promise.all(bounds.map((bound) => indexesOf(db(), bound)));
  await client.close();
  expect(await briefsIn(db()).countDocuments({ expiresAt: { $exists: true } })).toBe(118);
  expect(plans.flat()).toEqual(expect.arrayContaining(['unread', 'by_evidence']));
});
