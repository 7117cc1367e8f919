import type { Db } from 'mongodb';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { APPLE, GOOGL } from '../../src/domain/filing/filing.sample.ts';
import { groupBy } from '../../src/domain/group.ts';
import type { Accession } from '../../src/domain/ids.ts';
import { NAMES_NOBODY } from '../../src/domain/report/other-manager.ts';
import type { Logger } from '../../src/log.ts';
import { observationsOf } from '../../src/read/holders/observations.ts';
import { filingsIn } from '../../src/store/filing/filings.ts';
import { saveSetting } from '../../src/store/filing/settings.ts';
import { listPending } from '../../src/store/invalidation/pending.ts';
import { insertNew } from '../../src/store/mongo/write.ts';
import { readFiled } from '../../src/store/report/filed-reports.ts';
import { type ReportDoc, reportsIn } from '../../src/store/report/reports.ts';
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

test('a home of store version 2 keeps its reports as filed, in one document each', async () => {
  const { db } = world.mongo;
  await show(db, 1, { [PRIOR]: [apple(10n, 2n)], [LATEST]: [apple(25n, 5n), google()] });
  await show(db, 2, { [LATEST]: [google()] });
  const reports = () => reportsIn(db).find().sort({ _id: 1 }).toArray();
  const stored = async () => {
    const keys = (await reports()).map(({ cik, quarterEnd, filed: { digest } }) => ({
      cik,
      quarterEnd,
      digest,
    }));
    return readFiled(db, keys);
  };
  const unfiled = ({ filed, ...report }: ReportDoc) => ({ ...report, isNoted: filed.followersInvalidated });
  const [shown, before] = [await reports(), await stored()];
  for (const report of shown) await asInVersion2(db, report);
  await db.collection('filed_reports').drop();
  // The rows of one report are lost: it is compared again.
  const [, , lost] = shown;
  await db.collection('filed_positions').deleteMany({ _id: new RegExp(`${lost?.cik}`) as never });
  await saveSetting(db, 'store_version', '2');
  await migrateStore(db, { log, now: () => new Date('2018-12-01T12:00:00Z') });
  // Version 2 stored no names; the comparison that is pending adds them.
  const kept = before.filter(({ cik }) => cik !== lost?.cik).map((one) => ({ ...one, named: NAMES_NOBODY }));
  expect(await stored()).toEqual(kept);
  expect((await reports()).slice(0, 2).map(unfiled)).toEqual(shown.slice(0, 2).map(unfiled));
  expect((await listPending(db, 'report', 10)).map(({ key }) => key)).toContain(lost?._id);
  expect(await db.listCollections({ name: 'filed_positions' }).toArray()).toEqual([]);
});

/** The rows as filed by parts of the CUSIPs, under another digest, and the summary of them. */
async function asInVersion2(db: Db, { _id, cik, quarterEnd, filed, followersInvalidated }: ReportDoc) {
  const [report] = await readFiled(db, [{ cik, quarterEnd, digest: filed.digest }]);
  if (report === undefined) throw new Error('no report as filed');
  const parts = groupBy(report.positions, ({ cusip }) => String(Number.parseInt(cusip.slice(0, 2), 36) % 32));
  for (const [part, positions] of parts) {
    const rows = positions.map(({ cusip, issuer, amount, valueCents, accession, reasons }) => [
      cusip,
      issuer,
      amount.toString(),
      valueCents.toString(),
      accession,
      reasons,
    ]);
    const doc = { _id: `${part}|${quarterEnd}|${cik}|v2`, rows: JSON.stringify(rows) };
    await insertNew(db.collection<typeof doc>('filed_positions'), [doc]);
  }
  const summary = { digest: 'v2', isComparable: report.isComparable, positions: report.positions.length };
  await db.collection<{ _id: string }>('reports').updateOne({ _id }, { $set: { filed: summary } });
  expect(filed.followersInvalidated).toBe(followersInvalidated);
}
