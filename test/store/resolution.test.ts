import type { Db } from 'mongodb';
import { afterEach, beforeAll, expect, test } from 'vitest';
import { APPLE, sampleRow } from '../../src/domain/filing/filing.sample.ts';
import type { Cik, Cusip, Ticker } from '../../src/domain/ids.ts';
import { fails, form4 } from '../../src/domain/security/mapping.sample.ts';
import { resolvePublished } from '../../src/read/holders/resolution.ts';
import { ensureIndexes } from '../../src/store/mongo/indexes.ts';
import { saveMappings, symbolsOfCik } from '../../src/store/security/securities.ts';
import { google, LATEST, PRIOR, publish, show } from '../api/stock-corpus.ts';
import { opened } from '../opened.ts';
import { openWorld } from '../world.ts';

const [OLD, NEW] = [APPLE, '037833209'] as [Cusip, Cusip];

const world = opened(openWorld);

/** The old CUSIP was seen before the end of the quarter, the new one only after it. */
beforeAll(async () => {
  const { db } = world.mongo;
  await ensureIndexes(db);
  await publish(db);
  const name = 'ONE AND THE SAME INC';
  const mappings = [
    fails('ONE', OLD, { on: '2018-09-20', from: '2018-07-02', to: '2018-09-20', name }),
    fails('ONE', NEW, { on: '2018-11-15', from: '2018-10-12', to: '2018-11-15', name }),
  ];
  await saveMappings(db, mappings);
});
afterEach(async () => {
  for (const name of ['reports', 'holdings', 'positions', 'funds']) {
    await world.mongo.db.collection(name).deleteMany({});
  }
});

async function cusipNow(db: Db = world.mongo.db): Promise<string | null> {
  const { resolution } = await resolvePublished(db, 'ONE' as Ticker);
  return resolution.kind === 'resolved' ? resolution.cusip : null;
}

test('a new CUSIP stands when it alone is in the reports of the quarter, whenever it was seen first (rule 3.9)', async () => {
  const { db } = world.mongo;
  expect(await cusipNow()).toBe(OLD);
  for (const manager of [1, 2]) {
    await show(db, manager, { [PRIOR]: [sampleRow({ cusip: OLD })], [LATEST]: [sampleRow({ cusip: NEW })] });
  }
  expect(await cusipNow()).toBe(NEW);
});

test('a new CUSIP gives way to the old one where as many still held that (rule 3.9)', async () => {
  const { db } = world.mongo;
  await show(db, 1, { [LATEST]: [sampleRow({ cusip: NEW })] });
  await show(db, 2, { [LATEST]: [sampleRow({ cusip: OLD })] });
  expect(await cusipNow()).toBe(OLD);
  // One who was early with the new one, among those who held the old one before and now.
  await show(db, 3, { [PRIOR]: [sampleRow({ cusip: OLD })], [LATEST]: [sampleRow({ cusip: OLD })] });
  expect(await cusipNow()).toBe(OLD);
});

test('one report that still names the old CUSIP hides none of those that hold the new one (rule 3.9)', async () => {
  const { db } = world.mongo;
  for (const manager of [1, 2, 3]) {
    await show(db, manager, { [PRIOR]: [sampleRow({ cusip: NEW })], [LATEST]: [sampleRow({ cusip: NEW })] });
  }
  await show(db, 9, { [PRIOR]: [sampleRow({ cusip: OLD })], [LATEST]: [sampleRow({ cusip: OLD })] });
  expect(await cusipNow()).toBe(NEW);
});

test('its holders are counted again after one of their positions changed', async () => {
  const { db } = world.mongo;
  const hold = (manager: number, cusip: Cusip) =>
    show(db, manager, { [PRIOR]: [sampleRow({ cusip: OLD })], [LATEST]: [sampleRow({ cusip })] });
  await hold(1, NEW);
  expect(await cusipNow()).toBe(NEW);
  for (const manager of [2, 3, 4]) await hold(manager, OLD);
  expect(await cusipNow()).toBe(OLD);
});

test('nor those that held it a quarter earlier and have left it (rule 3.9)', async () => {
  const { db } = world.mongo;
  for (const manager of [1, 2]) {
    await show(db, manager, { [PRIOR]: [sampleRow({ cusip: NEW })], [LATEST]: [google()] });
  }
  await show(db, 9, { [PRIOR]: [sampleRow({ cusip: OLD })], [LATEST]: [sampleRow({ cusip: OLD })] });
  expect(await cusipNow()).toBe(NEW);
});

test('a form of one class finds the issuer of the other, and whom it concerns (rule 3.5)', async () => {
  const { db } = world.mongo;
  const issuer = '0001652044' as Cik;
  await saveMappings(db, [
    fails('GOOG', '02079K107', { on: '2018-11-15', name: 'ALPHABET INC CAP STK CL C' }),
    fails('GOOGL', '02079K305', { on: '2018-11-15', name: 'ALPHABET INC CAP STK CL A' }),
    form4('GOOG', issuer, { on: '2018-11-01', name: 'Alphabet Inc.' }),
  ]);
  const { resolution } = await resolvePublished(db, 'GOOGL' as Ticker);
  expect(resolution).toMatchObject({ kind: 'resolved', issuerCik: issuer, shareClass: 'A' });
  expect((await symbolsOfCik(db, issuer)).sort()).toEqual(['GOOG', 'GOOGL']);
});
