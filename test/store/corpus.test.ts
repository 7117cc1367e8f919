import { MongoClient } from 'mongodb';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { computeCorpus, invalidateCorpusFollowers } from '../../src/derive/corpus/corpus.ts';
import type { IsoDate } from '../../src/domain/ids.ts';
import { countPending, invalidate } from '../../src/store/invalidation/invalidations.ts';
import { publishCorpus, publishedCorpus, republishCorpus } from '../../src/store/publish/corpus.ts';
import { openWorld, type World } from '../world.ts';

const AT = '2018-11-30T12:00:00Z';

let world: World;
let watched: MongoClient;
beforeAll(async () => {
  world = await openWorld();
  watched = new MongoClient(world.env['MONGO_URL'] ?? '', { monitorCommands: true });
  const { db } = world.mongo;
  await publishCorpus(db, await computeCorpus(db, '2018-11-30' as IsoDate), { at: AT, before: null });
});
afterAll(async () => {
  await watched.close();
  await world.close();
});

it('a publication never replaces a later one', async () => {
  const { db } = world.mongo;
  const [slow, fast] = [await publishedCorpus(db), await publishedCorpus(db)];
  const days = ['2018-11-30', '2018-12-03'] as IsoDate[];
  const [older, newer] = await Promise.all(days.map((day) => computeCorpus(db, day)));
  if (older === undefined || newer === undefined) throw new Error('no corpus');
  expect(await publishCorpus(db, newer, { at: AT, before: fast })).toBe(true);
  expect(await publishCorpus(db, older, { at: AT, before: slow })).toBe(false);
  expect(await publishCorpus(db, older, { at: AT, before: null })).toBe(false);
  expect((await publishedCorpus(db))?.corpus.asOf).toBe('2018-12-03');
});

it('an invalidation of all briefs does not count as done when a withdrawal overtakes it', async () => {
  const { db } = world.mongo;
  await invalidate(db, 'brief', ['AAPL']);
  let overtaking: Promise<void> | undefined;
  watched.on('commandSucceeded', ({ commandName }) => {
    if (commandName === 'find') overtaking ??= republishCorpus(db);
  });
  await invalidateCorpusFollowers(watched.db(world.config.mongoDb), AT);
  await overtaking;
  expect((await publishedCorpus(db))?.followersInvalidated).toBe(false);
  await invalidateCorpusFollowers(db, AT);
  expect((await publishedCorpus(db))?.followersInvalidated).toBe(true);
  expect(await countPending(db, 'brief')).toBe(1);
});
