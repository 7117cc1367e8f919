import { afterEach, beforeEach, expect, test } from 'vitest';
import { APPLE, GOOGL } from '../../src/domain/filing/filing.sample.ts';
import type { Accession } from '../../src/domain/ids.ts';
import type { Logger } from '../../src/log.ts';
import { observationsOf } from '../../src/read/holders/observations.ts';
import { filingsIn } from '../../src/store/filing/filings.ts';
import { saveSetting } from '../../src/store/filing/settings.ts';
import { migrateStore } from '../../src/store/version/migrate.ts';
import { requireCurrent } from '../../src/store/version/version.ts';
import { apple, EARLIER, google, LATEST, PRIOR, STATE, show } from '../api/stock-corpus.ts';
import { discoveredDoc } from '../filings/doc.ts';
import { openWorld, type World } from '../world.ts';

let world: World;
beforeEach(async () => {
  world = await openWorld();
});
afterEach(() => world.close());

const log = { info: () => undefined, warn: () => undefined } as unknown as Logger;
const OPEN = { ...STATE, filingWindow: 'open' } as const;

test('a home of store version 2 answers as before: its positions and late managers are found', async () => {
  const { db } = world.mongo;
  await show(db, 1, { [PRIOR]: [apple(10n, 2n)], [LATEST]: [apple(25n, 5n), google()] });
  await show(db, 2, { [EARLIER]: [apple(60n, 12n)], [PRIOR]: [google()] });
  await show(db, 3, { [EARLIER]: [apple(60n, 12n)] });
  const answers = () => Promise.all([APPLE, GOOGL].map((cusip) => observationsOf(db, cusip, OPEN)));
  const before = await answers();
  expect(before.map(({ counted }) => counted.length)).toEqual([2, 2]);
  await db.collection('positions').updateMany({}, { $unset: { securities: '' } });
  await db.collection('last_held').drop();
  const filing = discoveredDoc('0001214659-20-002786' as Accession, '4');
  await filingsIn(db).insertOne(filing);
  await filingsIn(db).updateMany({}, { $unset: { lane: '' } });
  await saveSetting(db, 'store_version', '2');
  await expect(requireCurrent(db)).rejects.toMatchObject({ code: 'store_outdated' });
  await migrateStore(db, { log, now: () => new Date('2018-12-01T12:00:00Z') });
  await requireCurrent(db);
  expect(await answers()).toEqual(before);
  expect(await filingsIn(db).findOne({ _id: filing._id })).toMatchObject({ lane: 'backfill' });
});
