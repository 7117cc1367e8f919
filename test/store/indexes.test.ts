import { expect, test } from 'vitest';
import { insertOrganization, newOrgId } from '../../src/store/account/organizations.ts';
import { ensureIndexes } from '../../src/store/mongo/indexes.ts';
import { opened } from '../opened.ts';
import { openWorld } from '../world.ts';

const world = opened(openWorld);

test('missing indexes are built, also by several processes at once', async () => {
  const { db } = world.mongo;
  await ensureIndexes(db);
  await db.collection('events').dropIndex('one_event_per_filing');
  await Promise.all([ensureIndexes(db), ensureIndexes(db), ensureIndexes(db)]);
  expect(await db.collection('events').indexExists('one_event_per_filing')).toBe(true);
});

test('a name stays of one organisation when the database was dropped under a running process', async () => {
  const { db } = world.mongo;
  await ensureIndexes(db);
  await db.collection('organizations').drop();
  const named = () => ({ _id: newOrgId(), name: 'Twice', epoch: 1, createdAt: '2018-12-03T12:00:00.000Z' });
  const added = await Promise.all([insertOrganization(db, named()), insertOrganization(db, named())]);
  expect(added.sort()).toEqual([false, true]);
});
