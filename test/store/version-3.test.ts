import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Logger } from '../../src/log.ts';
import { saveSetting } from '../../src/store/filing/settings.ts';
import { invalidate, invalidationsIn, listPending } from '../../src/store/invalidation/invalidations.ts';
import { migrateStore } from '../../src/store/version/migrate.ts';
import { requireCurrent } from '../../src/store/version/version.ts';
import { openWorld, type World } from '../world.ts';

let world: World;
beforeEach(async () => {
  world = await openWorld();
});
afterEach(() => world.close());

const log = { info: () => undefined, warn: () => undefined } as unknown as Logger;

/** Migrates the home as one of store version 3. */
async function migrate(): Promise<void> {
  await saveSetting(world.mongo.db, 'store_version', '3');
  await migrateStore(world.mongo.db, { log, now: () => new Date('2018-12-01T12:00:00Z') });
  await requireCurrent(world.mongo.db);
}

test('what is pending in a home of store version 3 is found by its lane', async () => {
  const { db } = world.mongo;
  await invalidate(db, 'report', ['0000000001|2018-09-30']);
  await invalidationsIn(db).updateMany({}, { $unset: { lane: '' } });
  await migrate();
  expect(await listPending(db, { kind: 'report', lane: 'backfill' }, 10)).toHaveLength(1);
});
