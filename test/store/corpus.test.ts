import { MongoClient } from 'mongodb';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { computeCorpus, markCorpusFollowers } from '../../src/derive/corpus/corpus.ts';
import type { IsoDate } from '../../src/domain/ids.ts';
import { countDirty, markDirty } from '../../src/store/invalidation/invalidations.ts';
import { publishCorpus, publishedCorpus, unmarkCorpus } from '../../src/store/publish/corpus.ts';
import { openWorld, type World } from '../world.ts';

let world: World;
let watched: MongoClient;
beforeAll(async () => {
  world = await openWorld();
  watched = new MongoClient(world.env['MONGO_URL'] ?? '', { monitorCommands: true });
  const { db } = world.mongo;
  await publishCorpus(db, await computeCorpus(db, '2018-11-30' as IsoDate));
});
afterAll(async () => {
  await watched.close();
  await world.close();
});

it('a marking of all briefs that a withdrawal overtakes does not count as done', async () => {
  const { db } = world.mongo;
  await markDirty(db, 'brief', ['AAPL']);
  let overtaking: Promise<void> | undefined;
  watched.on('commandSucceeded', ({ commandName }) => {
    if (commandName === 'find') overtaking ??= unmarkCorpus(db);
  });
  await markCorpusFollowers(watched.db(world.config.mongoDb));
  await overtaking;
  expect((await publishedCorpus(db))?.marked).toBe(false);
  await markCorpusFollowers(db);
  expect((await publishedCorpus(db))?.marked).toBe(true);
  expect(await countDirty(db, 'brief')).toBe(1);
});
