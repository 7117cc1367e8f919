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
  await publishCorpus(db, await computeCorpus(db, '2018-11-30' as IsoDate), AT);
});
afterAll(async () => {
  await watched.close();
  await world.close();
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
