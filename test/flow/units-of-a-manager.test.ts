import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Db } from 'mongodb';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { compareReports, withdrawReport } from '../../src/derive/report/compare-reports.ts';
import { refreshFunds } from '../../src/derive/report/fund-writer.ts';
import type { Cik, Cusip, QuarterEnd } from '../../src/domain/ids.ts';
import { invalidate } from '../../src/store/invalidation/invalidate.ts';
import { invalidationsIn, listPending, versioningOf } from '../../src/store/invalidation/invalidation.ts';
import { partOfSecurity } from '../../src/store/publish/search-index.ts';
import { type PendingReport, reportsIn } from '../../src/store/report/reports.ts';
import { opened } from '../opened.ts';
import { interruptedDb } from '../store/interrupted.ts';
import { type Flow, openFlow } from './flow.ts';
import { openFolder } from './folder.ts';
import { APPLE, addQuarters, GM, JUNE, SEPTEMBER, SYMBOLS } from './peers-quarter.ts';
import { ingestInOrder } from './stages.ts';
import { accessionOf, cikOf } from './synthetic.ts';

/** No report of March 2023 is among those of manager 1… */
const DECEMBER = '2022-12-31';
/** …and that of June of manager 2 is a notice. */
const NOTIFYING = 2;
const apple = { issuer: 'APPLE INC', cusip: APPLE, shares: 1_000, value: 170_000 };
const gm = { issuer: 'GENERAL MTRS CO', cusip: GM, shares: 1_000, value: 35_000 };
const REPORTS = [1, NOTIFYING].flatMap((manager) => [
  { manager, quarterEnd: DECEMBER, filed: '2023-02-14', rows: [apple, gm] },
  { manager, quarterEnd: JUNE, filed: '2023-08-14', rows: [apple] },
  { manager, quarterEnd: SEPTEMBER, filed: '2023-11-14', rows: [apple] },
]);
const OF_GM = partOfSecurity(GM as Cusip);

const folder = opened(() => openFolder({ accessions: [], symbols: SYMBOLS }));
let flow: Flow;

beforeAll(async () => {
  const accessions = await addQuarters(folder, REPORTS);
  await makeNotice(accessionOf({ manager: NOTIFYING, filed: '2023-08-14' }));
  flow = await openFlow(folder, '2023-11-30');
  await ingestInOrder(flow, { accessions, reference: 'first', settleEvery: 100 });
}, 180_000);

afterAll(async () => {
  await flow?.close();
});

async function makeNotice(accession: string): Promise<void> {
  const text = await readFile(join(folder.dir, `${accession}.txt`), 'utf8');
  const notice = text
    .replace(/(CONFORMED SUBMISSION TYPE:\s*)13F-HR/, '$113F-NT')
    .replace('<TYPE>13F-HR', '<TYPE>13F-NT')
    .replace('<submissionType>13F-HR<', '<submissionType>13F-NT<')
    .replace('13F HOLDINGS REPORT', '13F NOTICE')
    .replace(/<infoTable>.*<\/infoTable>/s, '');
  await folder.add(`${accession}.txt`, notice);
}

const cikIn = async (db: Db, manager: number): Promise<Cik> => {
  const ciks: Cik[] = await reportsIn(db).distinct('cik');
  const found = ciks.find((cik) => Number(cik) === Number(cikOf(manager)));
  if (found === undefined) throw new Error(`manager ${manager} has no report`);
  return found;
};

/** As if only its report of December was compared yet; the two later ones are pending. */
async function behind(db: Db, cik: Cik): Promise<PendingReport[]> {
  const later = [SEPTEMBER, JUNE] as QuarterEnd[];
  for (const quarterEnd of later) await withdrawReport(db, { cik, quarterEnd }, Number.MAX_SAFE_INTEGER);
  await refreshFunds(db, [cik]);
  await invalidationsIn(db).updateMany({}, { $set: { pending: false } });
  await invalidate(
    db,
    'report',
    later.map((quarterEnd) => `${cik}|${quarterEnd}`),
  );
  const pending = (await listPending(db, 'report', 10)).map((doc) => {
    const quarterEnd = doc.key.split('|')[1] as QuarterEnd;
    return { ...versioningOf(doc), key: { cik, quarterEnd } };
  });
  return later.flatMap((quarterEnd) => pending.filter(({ key }) => key.quarterEnd === quarterEnd));
}

/** The keys of General Motors that `work` raises. */
async function raisedBy(db: Db, work: () => Promise<unknown>): Promise<string[]> {
  const versions = async () =>
    new Map(
      (
        await invalidationsIn(db)
          .find({ _id: /^(brief\|GM|holders\|)/ })
          .toArray()
      )
        .filter(({ _id }) => _id.startsWith('brief') || _id.startsWith(`holders|${OF_GM}|`))
        .map(({ _id, version }) => [_id, Number(version)]),
    );
  const before = await versions();
  await work();
  return [...(await versions())]
    .filter(([id, now]) => now !== before.get(id))
    .map(([id]) => id)
    .sort();
}

test.each([
  ['without the quarter in between', 1],
  ['with a notice in between', NOTIFYING],
])(
  'what a manager counted by is followed by a unit that shows two later reports, %s',
  async (_, manager) => {
    const { db } = flow;
    const cik = await cikIn(db, manager);
    const together = await raisedBy(db, async () => compareReports(db, await behind(db, cik)));
    expect(together).toEqual(expect.arrayContaining(['brief|GM', `holders|${OF_GM}|${DECEMBER}`]));
    expect(together).toContain(`holders|${OF_GM}|${SEPTEMBER}`);
    const june = await reportsIn(db).findOne({ cik, quarterEnd: JUNE as QuarterEnd });
    expect(june?.state).toBe(manager === NOTIFYING ? 'notice' : 'holdings');
    // In either order each alone raises no more.
    for (const turned of [false, true]) {
      const alone = await raisedBy(db, async () => {
        const pending = await behind(db, cik);
        for (const one of turned ? pending.reverse() : pending) await compareReports(db, [one]);
      });
      expect(alone).toContain('brief|GM');
      expect(together).toEqual(expect.arrayContaining(alone));
    }
  },
  60_000,
);

test('a crash after the reports were shown loses nothing of what they follow', async () => {
  const { db } = flow;
  const cik = await cikIn(db, 1);
  const pending = await behind(db, cik);
  const dying = interruptedDb(db, {
    before: async ({ collection, name }) => {
      if (collection === 'invalidations' && /update/.test(name)) throw new Error('died');
    },
  });
  const raised = await raisedBy(db, async () => {
    await expect(compareReports(dying, pending)).rejects.toThrow('died');
    for (const one of pending) await compareReports(db, [one]);
  });
  expect(raised).toEqual(
    expect.arrayContaining(['brief|GM', `holders|${OF_GM}|${DECEMBER}`, `holders|${OF_GM}|${SEPTEMBER}`]),
  );
}, 60_000);

/** Another worker shows the report of June with other rows, right before the unit shows its own. */
async function overtaken(db: Db, cik: Cik, version: number): Promise<string[]> {
  const quarterEnd = JUNE as QuarterEnd;
  const pending = (await behind(db, cik)).filter(({ key }) => key.quarterEnd === quarterEnd);
  const december = await reportsIn(db).findOne({ cik, quarterEnd: DECEMBER as QuarterEnd });
  if (december === null) throw new Error('the report of December is not shown');
  let isOver = false;
  const racing = interruptedDb(db, {
    before: async ({ collection, name }) => {
      if (isOver || collection !== 'reports' || name !== 'bulkWrite') return;
      isOver = true;
      const other = { version, digest: 'other', rowTotal: 0, pageCount: 0, previous: [] };
      const shown = { ...december, _id: `${cik}|${quarterEnd}`, quarterEnd, ...other };
      await reportsIn(db).replaceOne(
        { _id: shown._id },
        { ...shown, followersInvalidated: false },
        { upsert: true },
      );
    },
  });
  const raised = await raisedBy(db, () => compareReports(racing, pending));
  expect(isOver).toBe(true);
  return raised;
}

test('what another worker shows first at the same moment is replaced with all that follows, and not forgotten', async () => {
  const { db } = flow;
  const cik = await cikIn(db, 1);
  expect(await overtaken(db, cik, 0)).toContain('brief|GM');
  const june = await reportsIn(db).findOne({ cik, quarterEnd: JUNE as QuarterEnd });
  expect(june?.digest).not.toBe('other');
  expect(june?.previous.map(({ digest }) => digest)).toEqual(['other']);
  expect(june?.followersInvalidated).toBe(true);
  expect(await listPending(db, 'report', 10)).not.toContainEqual(expect.objectContaining({ key: june?._id }));
});

test('a report that another worker shows while it is compared is replaced with the rows of both kept', async () => {
  const { db } = flow;
  const cik = await cikIn(db, 1);
  const [, june] = await behind(db, cik);
  if (june === undefined) throw new Error('June is not pending');
  await compareReports(db, [june]);
  await invalidate(db, 'report', [`${cik}|${JUNE}`]);
  const [again] = (await listPending(db, 'report', 10)).filter(({ key }) => key.endsWith(JUNE));
  if (again === undefined) throw new Error('June is not pending');
  let isOver = false;
  const racing = interruptedDb(db, {
    before: async ({ collection, name }) => {
      if (isOver || collection !== 'reports' || name !== 'bulkWrite') return;
      isOver = true;
      const other = { digest: 'other', rowTotal: 0, pageCount: 0, followersInvalidated: false };
      await reportsIn(db).updateOne({ _id: again.key }, { $set: other });
    },
  });
  await compareReports(racing, [{ ...versioningOf(again), key: june.key }]);
  const shown = await reportsIn(db).findOne({ _id: again.key });
  expect(shown?.digest).not.toBe('other');
  expect(shown?.previous.map(({ digest }) => digest)).toContain('other');
  expect(shown?.followersInvalidated).toBe(true);
});

test('a later version that another worker shows stays', async () => {
  const { db } = flow;
  const cik = await cikIn(db, 1);
  await overtaken(db, cik, 1_000_000);
  const june = await reportsIn(db).findOne({ cik, quarterEnd: JUNE as QuarterEnd });
  expect(june?.digest).toBe('other');
});
