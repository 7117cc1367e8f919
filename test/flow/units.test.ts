// @module-tag long

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Db } from 'mongodb';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { JOBS } from '../../jobs/index.ts';
import type { JobContext } from '../../jobs/worker/context.ts';
import { compareReports } from '../../src/derive/report/compare-reports.ts';
import type { Cik, Cusip, QuarterEnd } from '../../src/domain/ids.ts';
import { invalidate } from '../../src/store/invalidation/invalidate.ts';
import { countPending, listPending, versioningOf } from '../../src/store/invalidation/invalidation.ts';
import { readFiled } from '../../src/store/report/filed-reports.ts';
import { ALL_OPTION_BUCKETS, options, positions } from '../../src/store/report/positions.ts';
import { type PendingReport, reportsIn } from '../../src/store/report/reports.ts';
import { opened } from '../opened.ts';
import { interruptedDb } from '../store/interrupted.ts';
import { type Flow, openFlow, openStages } from './flow.ts';
import { openFolder } from './folder.ts';
import {
  AMC_NEW,
  AMC_OLD,
  APPLE,
  addQuarters,
  GM,
  heldIn,
  JPM,
  JUNE,
  LATE,
  SEPTEMBER,
  SYMBOLS,
} from './peers-quarter.ts';
import { shownIn } from './shown.ts';
import { ingestInOrder } from './stages.ts';
import { accessionOf, type SyntheticReport } from './synthetic.ts';

const MANAGERS = 20;
/** Restates its report of September without General Motors. */
const RESTATING = 3;
const RESTATED_ON = '2023-11-20';
const CUSIPS = [APPLE, AMC_OLD, AMC_NEW, GM, JPM] as Cusip[];
const QUARTERS = [JUNE, SEPTEMBER] as QuarterEnd[];

const REPORTS: readonly SyntheticReport[] = QUARTERS.flatMap((quarterEnd) =>
  Array.from({ length: MANAGERS }, (_, at) => ({
    manager: at + 1,
    quarterEnd,
    filed: quarterEnd === JUNE ? '2023-08-14' : LATE,
    rows: heldIn(quarterEnd, at + 1).map(({ price, ...held }) => ({ ...held, value: held.shares * price })),
  })),
);

const folder = opened(() => openFolder({ accessions: [], symbols: SYMBOLS }));
let accessions: string[];
let alone: Flow;
const flows: Flow[] = [];

beforeAll(async () => {
  accessions = [...(await addQuarters(folder, REPORTS)), await addRestated()];
  alone = await filedOnly();
  await settleEach(alone, async ({ db }, one) => void (await compareReports(db, [one])));
}, 300_000);

afterAll(async () => {
  for (const flow of flows) await flow.close();
});

async function addRestated(): Promise<string> {
  const [of, accession] = [LATE, RESTATED_ON].map((filed) => accessionOf({ manager: RESTATING, filed }));
  const text = await readFile(join(folder.dir, `${of}.txt`), 'utf8');
  const cover =
    '<isAmendment>true</isAmendment><amendmentNo>1</amendmentNo><amendmentInfo><amendmentType>RESTATEMENT</amendmentType></amendmentInfo>';
  const rows = (text.match(/<infoTable>.*?<\/infoTable>/gs) ?? []).filter((row) => !row.includes(GM));
  const total = rows.reduce((sum, row) => sum + Number(/<value>(\d+)</.exec(row)?.[1]), 0);
  const restated = text
    .replaceAll(of ?? '', accession ?? '')
    .replace(/<ACCEPTANCE-DATETIME>\d+/, `<ACCEPTANCE-DATETIME>${RESTATED_ON.replaceAll('-', '')}120000`)
    .replace(/(FILED AS OF DATE:\s*)\d+/, `$1${RESTATED_ON.replaceAll('-', '')}`)
    .replace(/(CONFORMED SUBMISSION TYPE:\s*)13F-HR/, '$113F-HR/A')
    .replace('<TYPE>13F-HR', '<TYPE>13F-HR/A')
    .replace('<submissionType>13F-HR<', '<submissionType>13F-HR/A<')
    .replace(/(<reportCalendarOrQuarter>[^<]*<\/reportCalendarOrQuarter>)/, `$1${cover}`)
    .replace(/<tableEntryTotal>\d+/, `<tableEntryTotal>${rows.length}`)
    .replace(/<tableValueTotal>\d+/, `<tableValueTotal>${total}`)
    .replace(/<infoTable>.*<\/infoTable>/s, rows.join(''));
  await folder.add(`${accession}.txt`, restated);
  return accession ?? '';
}

/** Everything is compared once, each report alone and without peers. */
async function filedOnly(): Promise<Flow> {
  const flow = await openFlow(folder, '2023-11-30');
  flows.push(flow);
  await ingestInOrder(flow, { accessions, reference: 'first', settleEvery: 100, asFiled: true });
  return flow;
}

type Compare = (context: JobContext, one: PendingReport) => Promise<void>;

async function settleEach(flow: Flow, compare: Compare): Promise<void> {
  await settled(flow, async (context, pending) => {
    for (const one of pending) await compare(context, one);
  });
}

/** Peers and reports in turns, until nothing is pending. `compare` gets all pending reports. */
async function settled(
  flow: Flow,
  compare: (context: JobContext, pending: readonly PendingReport[]) => Promise<void>,
): Promise<void> {
  const { context, close } = await openStages(flow);
  const { db } = context;
  while ((await countPending(db, 'peers')) + (await countPending(db, 'report')) > 0) {
    for (const { key, version } of await listPending(db, 'peers', 10))
      await JOBS.peers(context, { quarterEnd: key as QuarterEnd, version: Number(version) });
    await compare(context, await pendingIn(db));
  }
  await close();
}

async function pendingIn(db: Db): Promise<PendingReport[]> {
  return (await listPending(db, 'report', 1_000)).map((doc) => {
    const [cik, quarterEnd] = doc.key.split('|') as [Cik, QuarterEnd];
    return { ...versioningOf(doc), key: { cik, quarterEnd } };
  });
}

/** All that is stored of the reports, whatever documents it stands in, and all keys that were invalidated. */
async function storedIn({ db }: Flow) {
  const keys = (await reportsIn(db).find().sort({ _id: 1 }).toArray()).map(
    ({ cik, quarterEnd, digest, filed }) => ({
      shown: { cik, quarterEnd, digest },
      filed: { cik, quarterEnd, digest: filed.digest },
    }),
  );
  const rows = await Promise.all(
    CUSIPS.map(async (cusip) => [
      cusip,
      (
        await positions.ofReports(
          db,
          cusip,
          keys.map(({ shown }) => shown),
        )
      ).sort((a, b) => (`${a.cik}${a.quarterEnd}` < `${b.cik}${b.quarterEnd}` ? -1 : 1)),
    ]),
  );
  const all = (name: string) =>
    db
      .collection(name)
      .find()
      .sort({ _id: 1 } as never)
      .toArray();
  return {
    shown: await shownIn(db),
    rows,
    options: await options.ofKeys(
      db,
      keys.map(({ shown }) => shown),
      ALL_OPTION_BUCKETS,
    ),
    filed: (
      await readFiled(
        db,
        keys.map(({ filed }) => filed),
      )
    ).sort((a, b) => (a.cik < b.cik ? -1 : 1)).length,
    lastHeld: await all('last_held'),
    held: await all('held_cusips'),
    invalidated: (await all('invalidations')).map(({ _id, pending }) => `${_id} ${pending}`),
    followed: (await reportsIn(db).find({ followersInvalidated: true }).toArray()).length,
  };
}

test('the market has a split, a new CUSIP and a restated report', async () => {
  const { shown } = await storedIn(alone);
  const kinds = shown.peers[SEPTEMBER]?.corporateActions.map(({ kind, cusip }) => `${kind} ${cusip}`);
  expect(kinds).toEqual(expect.arrayContaining([`split ${APPLE}`, `cusip_change ${AMC_NEW}`]));
  const restated = await reportsIn(alone.db).findOne({ isAmended: true });
  expect(restated?.rowTotal).toBe(4);
});

test('reports that are compared together are stored as if each was compared alone, and so is what follows', async () => {
  const flow = await filedOnly();
  await settled(flow, async ({ db }, pending) => void (await compareReports(db, pending)));
  expect(await storedIn(flow)).toEqual(await storedIn(alone));
}, 180_000);

test('a crash between any two writes loses nothing: what is repeated ends as if there was none', {
  timeout: 300_000,
}, async () => {
  const flow = await filedOnly();
  let crashes = 0;
  await settled(flow, async ({ db }, pending) => {
    for (let at = 1, isDone = pending.length === 0; !isDone; at += 1) {
      try {
        await compareReports(crashingAt(db, at), await pendingIn(db));
        isDone = true;
      } catch (error) {
        if (!(error instanceof Crash)) throw error;
        crashes += 1;
      }
    }
  });
  expect(crashes).toBeGreaterThan(10);
  expect(await storedIn(flow)).toEqual(await storedIn(alone));
});

test('where nothing changed nothing follows, and nothing is inserted', async () => {
  const { db } = alone;
  const before = await storedIn(alone);
  const keys = (await reportsIn(db).find().toArray()).map(({ _id }) => _id);
  await invalidate(db, { kind: 'report', lane: 'backfill', unmoved: true }, keys);
  const commands: string[] = [];
  const counting = interruptedDb(db, {
    before: async ({ collection, name }) => void commands.push(`${collection} ${name}`),
  });
  expect(await compareReports(counting, await pendingIn(db))).toEqual({ reports: [], tickers: [] });
  expect(commands.filter((name) => /insert|update|bulkWrite|replace/.test(name))).toEqual([
    'reports bulkWrite',
    // The stamps of their quarters, for the leaderboard (rule 9.5).
    'invalidations updateMany',
    'invalidations bulkWrite',
  ]);
  expect(await storedIn(alone)).toEqual(before);
  // Another cause than peers: its briefs are built again, whatever the report shows.
  const [key = ''] = keys;
  await invalidate(db, 'report', [key]);
  expect((await compareReports(db, await pendingIn(db))).tickers).toContain('AAPL');
}, 60_000);

test('rows that were lost are written again, although the report shows the same', async () => {
  const { db } = alone;
  const report = await reportsIn(db).findOne({ quarterEnd: SEPTEMBER as QuarterEnd });
  const before = await storedIn(alone);
  await db
    .collection('holdings')
    .deleteMany({ _id: { $regex: `^${report?._id.replace('|', '\\|')}` } } as never);
  await invalidate(db, { kind: 'report', lane: 'backfill', unmoved: true }, [report?._id ?? '']);
  await compareReports(db, await pendingIn(db));
  expect((await storedIn(alone)).rows).toEqual(before.rows);
});

class Crash extends Error {}

/** A database whose process dies before its nth write: between that and the one before. */
function crashingAt(db: Db, nth: number): Db {
  let writes = 0;
  const before = async ({ name }: { readonly name: string }): Promise<void> => {
    if (!/insert|update|bulkWrite|replace|delete/.test(name)) return;
    writes += 1;
    if (writes === nth) throw new Crash();
  };
  return interruptedDb(db, { before });
}
