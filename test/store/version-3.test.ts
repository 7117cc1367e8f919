import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Accession } from '../../src/domain/ids.ts';
import type { Logger } from '../../src/log.ts';
import { filingsIn } from '../../src/store/filing/filings.ts';
import { saveSetting } from '../../src/store/filing/settings.ts';
import { invalidate, invalidationsIn, listPending } from '../../src/store/invalidation/invalidations.ts';
import { migrateStore } from '../../src/store/version/migrate.ts';
import { requireCurrent } from '../../src/store/version/version.ts';
import { discoveredDoc, parsedDoc } from '../filings/doc.ts';
import { ownershipOf } from '../filings/read.ts';
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

test('the trades of every issuer in a home of store version 3 are computed again, once', async () => {
  const { db } = world.mongo;
  const form = parsedDoc(ownershipOf('form-4/0001214659-20-002786.txt'));
  await filingsIn(db).insertMany([form, discoveredDoc('0001214659-20-002787' as Accession, '4')]);
  await migrate();
  await migrate();
  const pending = await listPending(db, { kind: 'insider', lane: 'backfill' }, 10);
  expect(pending.map(({ key }) => key)).toEqual([form.issuerCik]);
});
