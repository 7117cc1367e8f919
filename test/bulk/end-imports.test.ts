import { join } from 'node:path';
import type { Db } from 'mongodb';
import { afterAll, expect, test } from 'vitest';
import { withTemporaryFolder } from '../../scripts/temporary-folder.ts';
import { dump } from '../../src/backup/dump.ts';
import { load } from '../../src/backup/load.ts';
import { recentImport } from '../../src/bulk/recent.ts';
import type { IsoDate } from '../../src/domain/ids.ts';
import {
  beginDataSet,
  findDataSet,
  noteDataSetProgress,
  noteStored,
} from '../../src/store/filing/data-sets.ts';
import { invalidate } from '../../src/store/invalidation/invalidate.ts';
import {
  invalidationsIn,
  postponeInvalidations,
  settleInvalidations,
} from '../../src/store/invalidation/invalidation.ts';
import { interruptedDb } from '../store/interrupted.ts';
import { openWorld, type World } from '../world.ts';

const NAME = '2018q4_form13f';
const AS_OF = '2018-11-30';

const worlds: World[] = [];

afterAll(async () => {
  for (const world of worlds) await world.close();
});

async function newDb(): Promise<Db> {
  const world = await openWorld();
  worlds.push(world);
  return world.mongo.db;
}

const noteBegun = (db: Db) => beginDataSet(db, NAME, { digest: 'digest', at: new Date().toISOString() });

const reports = (quarterEnd: string, count: number): string[] =>
  Array.from({ length: count }, (_, cik) => `${String(cik).padStart(10, '0')}|${quarterEnd}`);

/** Whether an import is open once those are ended that are done, and the state of the data set. */
async function openedOn(db: Db, asOf: string) {
  const { isOpen } = await recentImport(db, asOf as IsoDate, new Date());
  return [isOpen, (await findDataSet(db, NAME))?.state];
}

test('an import is done when its reports are compared; one that briefs rest on keeps the corpus waiting', async () => {
  const db = await newDb();
  await noteBegun(db);
  await invalidate(db, 'report', reports('2018-09-30', 65));
  await noteStored(db, NAME, 'digest');
  expect(await openedOn(db, AS_OF)).toEqual([true, 'stored']);
  // Those of years ago are in no brief.
  expect(await openedOn(db, '2020-11-30')).toEqual([false, 'done']);
  expect(await recentImport(db, '2020-11-30' as IsoDate, new Date())).toEqual({ isOpen: false, at: null });
});

test('one that a command begins again at that moment is open', async () => {
  const db = await newDb();
  await noteBegun(db);
  await noteStored(db, NAME, 'digest');
  const begins = interruptedDb(db, {
    before: async ({ collection, name }) => {
      if (collection === 'data_sets' && name === 'updateOne') {
        await noteBegun(db);
        await noteDataSetProgress(db, NAME, { share: 0, at: new Date().toISOString() });
      }
    },
  });
  expect(await openedOn(begins, AS_OF)).toEqual([true, 'importing']);
});

test('reports that cannot be compared, however many, hold up no import', async () => {
  const db = await newDb();
  await noteBegun(db);
  const broken = reports('2018-09-30', 65);
  await invalidate(db, 'report', broken);
  await noteStored(db, NAME, 'digest');
  expect(await openedOn(db, AS_OF)).toEqual([true, 'stored']);
  await postponeInvalidations(db, 'report', broken);
  expect(await openedOn(db, AS_OF)).toEqual([false, 'done']);
});

test('in a copy an import is open while what was compared during the copy is to be compared again', async () => {
  const db = await newDb();
  await noteBegun(db);
  const compared = reports('2018-09-30', 65);
  await invalidate(db, 'report', compared);
  await noteStored(db, NAME, 'digest');
  const settle = () => settleInvalidations(db, 'report', new Map(compared.map((key) => [key, 1])));
  const settling: Promise<void>[] = [];
  await withTemporaryFolder('copy', async (folder) => {
    const copy = join(folder, 'copy');
    await dump(db, copy, {
      now: () => new Date(),
      report: ({ name }) => name === 'data_sets' && settling.push(settle()),
    });
    await Promise.all(settling);
    expect(await openedOn(db, AS_OF)).toEqual([false, 'done']);
    const restored = await newDb();
    await load(restored, copy, { report: () => undefined, beforeOpen: async () => undefined });
    expect(await openedOn(restored, AS_OF)).toEqual([true, 'stored']);
  });
});

test('an import is not done while the forms of many issuers wait to be reconciled', async () => {
  const db = await newDb();
  await noteBegun(db);
  const issuers = reports('', 65).map((key) => key.replace('|', ''));
  await invalidate(db, 'insider', issuers);
  await noteStored(db, NAME, 'digest');
  expect(await openedOn(db, AS_OF)).toEqual([true, 'stored']);
  await postponeInvalidations(db, 'insider', issuers);
  expect(await openedOn(db, AS_OF)).toEqual([false, 'done']);
});

test('reports of years ago that have waited longer hide none that briefs rest on', async () => {
  const db = await newDb();
  await noteBegun(db);
  await invalidate(db, 'report', reports('2013-06-30', 1_100));
  await invalidate(db, 'report', reports('2018-09-30', 65));
  await noteStored(db, NAME, 'digest');
  expect(await openedOn(db, AS_OF)).toEqual([true, 'stored']);
  await invalidationsIn(db).updateOne({ _id: 'report|0000000000|2018-09-30' }, { $set: { pending: false } });
  expect(await openedOn(db, AS_OF)).toEqual([false, 'done']);
});

test('a command that imports what briefs rest on keeps the corpus waiting, and for ten minutes after it stopped', async () => {
  const db = await newDb();
  await noteBegun(db);
  const now = new Date();
  const opened = async (minutes: number) =>
    (await recentImport(db, AS_OF as IsoDate, new Date(now.getTime() + minutes * 60_000))).isOpen;
  expect(await opened(0)).toBe(false);
  await noteDataSetProgress(db, NAME, { share: 0.5, at: now.toISOString() });
  expect([await opened(9), await opened(11)]).toEqual([true, false]);
});
