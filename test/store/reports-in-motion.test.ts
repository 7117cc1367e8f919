import type { Db } from 'mongodb';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { peersInputs } from '../../src/derive/peers/input.ts';
import { refreshPeers } from '../../src/derive/peers/writer.ts';
import { compareReports } from '../../src/derive/report/compare-reports.ts';
import { holdersInputs } from '../../src/derive/search/holders.ts';
import type { IsoDate, QuarterEnd } from '../../src/domain/ids.ts';
import { STEADY, TEN_QUARTERS, UP_AND_DOWN } from '../../src/domain/leaderboard/rank.sample.ts';
import { reportId, reportKeyOf } from '../../src/store/filing/filings.ts';
import { publishAsOf } from '../../src/store/filing/settings.ts';
import { invalidate } from '../../src/store/invalidation/invalidate.ts';
import {
  invalidationsIn,
  listPending,
  pendingVersion,
  settleInvalidation,
  versioningOf,
} from '../../src/store/invalidation/invalidation.ts';
import { peerVerdictsIn } from '../../src/store/peers/corporate-actions.ts';
import { raiseQuarterStamps } from '../../src/store/report/quarter-reports.ts';
import { reportsIn } from '../../src/store/report/reports.ts';
import { type BoardCorpus, boardFiling, openBoardCorpus } from '../api/board-corpus.ts';
import { opened } from '../opened.ts';
import { openWorld } from '../world.ts';
import { interruptedDb } from './interrupted.ts';

const AT = 3;
const [PRIOR, QUARTER] = [TEN_QUARTERS[AT - 1], TEN_QUARTERS[AT]] as [QuarterEnd, QuarterEnd];
const TODAY = '2019-05-31' as IsoDate;
/** Before any report of the quarter was filed. */
const EARLIER = '2017-10-10' as IsoDate;

const world = opened(openWorld);
let corpus: BoardCorpus;
let db: Db;
let filed = 0;
/** One of its own for each test. */
let manager = '0000000000';
const id = (): string => `${manager}|${QUARTER}`;

beforeAll(async () => {
  db = world.mongo.db;
  corpus = await openBoardCorpus(world);
  await publishAsOf(db, EARLIER);
});
beforeEach(async () => {
  manager = String(Number(manager) + 1).padStart(10, '0');
  await publishAsOf(db, TODAY, EARLIER);
  await corpus.file([boardFiling(manager, STEADY, AT - 1), boardFiling(manager, STEADY, AT)]);
  await corpus.settle();
});
afterAll(async () => {
  await corpus.close();
});

async function pendingReports() {
  const pending = await listPending(db, 'report', 10);
  return pending.map((doc) => ({ ...versioningOf(doc), key: reportKeyOf(doc.key) }));
}

async function compareAll(): Promise<void> {
  for (let left = await pendingReports(); left.length > 0; left = await pendingReports())
    await compareReports(db, left);
}

/** The report is restated with other rows, and waits to be compared. */
async function restate(rows: typeof STEADY) {
  filed += 1;
  const accession = `${manager}-18-${String(900 + filed).padStart(6, '0')}`;
  const filing = { accession, amendmentType: 'restatement', filedDate: `2018-03-${10 + filed}` } as const;
  await corpus.file([boardFiling(manager, rows, AT, filing)]);
  return pendingReports();
}

/** As the job of peers. */
async function computePeers(): Promise<void> {
  const version = await pendingVersion(db, 'peers', QUARTER);
  if (version === null) return;
  await refreshPeers(db, QUARTER, { version, at: '' });
  await settleInvalidation(db, 'peers', QUARTER, version);
}

test('what follows from a report is computed from it, whichever worker saved it and died before its stamp', async () => {
  const own = await restate(UP_AND_DOWN);
  let isFirst = true;
  const slow = interruptedDb(db, {
    after: async ({ collection, name }) => {
      if (!isFirst || collection !== 'invalidations' || !name.startsWith('update')) return;
      isFirst = false;
      // Its own report has its stamp, and the quarter is listed.
      await peersInputs(db, QUARTER);
      const others = await restate(UP_AND_DOWN.slice(1));
      const dying = interruptedDb(db, {
        before: async (command) => {
          if (command.collection === 'invalidations' && command.name.startsWith('update'))
            throw new Error('died');
        },
      });
      await expect(compareReports(dying, others)).rejects.toThrow('died');
    },
  });
  await compareReports(slow, own);
  await computePeers();
  await compareAll();
  await computePeers();
  const computedFrom = (await peerVerdictsIn(db).findOne({ _id: QUARTER }))?.inputsDigest;
  await raiseQuarterStamps(db, [QUARTER]);
  expect(computedFrom).toBe((await peersInputs(db, QUARTER)).digest);
});

/** The day goes back just before a report is shown, and another worker withdraws it. */
function withdrawing(then: () => Promise<unknown>): Db {
  let isFirst = true;
  return interruptedDb(db, {
    before: async ({ collection, name }) => {
      if (!isFirst || collection !== 'reports' || name !== 'bulkWrite') return;
      isFirst = false;
      await publishAsOf(db, EARLIER, TODAY);
      await invalidate(db, 'report', [id()]);
      await compareReports(
        db,
        (await pendingReports()).filter(({ key }) => reportId(key) === id()),
      );
      expect(await reportsIn(db).findOne({ _id: id() })).toBeNull();
      await then();
    },
  });
}

test('a report that is withdrawn while it is compared is not shown again', async () => {
  const own = await restate(UP_AND_DOWN);
  const racing = withdrawing(async () => undefined);
  await expect(compareReports(racing, own)).rejects.toMatchObject({ code: 'report_in_motion' });
  await compareAll();
  expect(await reportsIn(db).findOne({ _id: id() })).toBeNull();
});

test('nor are others of its unit lost, of which some are new', async () => {
  const [second, third] = ['77', '78'].map((digits) => `00000000${digits}`) as [string, string];
  const key = (cik: string): string => `${cik}|${QUARTER}`;
  await corpus.file([boardFiling(second, STEADY, AT)]);
  await corpus.settle();
  await corpus.file([boardFiling(third, STEADY, AT)]);
  await invalidate(db, 'report', [key(second)]);
  await restate(UP_AND_DOWN);
  const unit = (await pendingReports()).sort((a, b) => (a.key.cik > b.key.cik ? -1 : 1));
  expect(unit.map(({ key: { cik } }) => cik)).toEqual([third, second, manager]);
  const racing = withdrawing(async () => undefined);
  await expect(compareReports(racing, unit)).rejects.toMatchObject({ code: 'report_in_motion' });
  const shown = await reportsIn(db)
    .find({ quarterEnd: QUARTER, cik: { $in: [second, third, manager] as never[] } })
    .toArray();
  expect(shown.map(({ cik }) => cik).sort()).toEqual([second, third]);
});

test('one that comes back after it was withdrawn is a first report for the quarter before', async () => {
  const own = await restate(UP_AND_DOWN);
  let counted = '';
  const racing = withdrawing(async () => {
    counted = (await holdersInputs(db, PRIOR)).digest;
    await invalidationsIn(db).updateMany({ kind: 'holders' }, { $set: { pending: false } });
    await publishAsOf(db, TODAY, EARLIER);
    await invalidate(db, 'report', [id()]);
  });
  await expect(compareReports(racing, own)).rejects.toMatchObject({ code: 'report_in_motion' });
  await compareAll();
  expect(await reportsIn(db).findOne({ _id: id() })).not.toBeNull();
  // It is the last one of its manager no more.
  expect((await holdersInputs(db, PRIOR)).digest).not.toBe(counted);
  const due = await listPending(db, 'holders', 100);
  expect(due.map(({ key }) => key.split('|')[1])).toContain(PRIOR);
});
