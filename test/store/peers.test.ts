import { Queue } from 'bullmq';
import { MongoClient } from 'mongodb';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { enqueuePendingPeers } from '../../jobs/pending/settled.ts';
import { bullPrefix } from '../../jobs/worker/producer.ts';
import { peersInputs } from '../../src/derive/peers/input.ts';
import { overFiledQuarters, refreshPeers } from '../../src/derive/peers/writer.ts';
import { withdrawReport } from '../../src/derive/report/compare-reports.ts';
import { diffReports } from '../../src/domain/change/diff.ts';
import { sampleFiling, sampleRows } from '../../src/domain/filing/filing.sample.ts';
import type { Cik, IsoDate, QuarterEnd } from '../../src/domain/ids.ts';
import { quartersOf } from '../../src/domain/peers/peers.sample.ts';
import { peersOf } from '../../src/domain/peers/peers.ts';
import { foldReport } from '../../src/domain/report/fold.ts';
import { publishAsOf } from '../../src/store/filing/settings.ts';
import { invalidate } from '../../src/store/invalidation/invalidate.ts';
import { listPending, settleInvalidation } from '../../src/store/invalidation/invalidation.ts';
import { pack } from '../../src/store/mongo/pack.ts';
import { unpackVerdicts } from '../../src/store/peers/answers.ts';
import { peerVerdictsIn } from '../../src/store/peers/corporate-actions.ts';
import { dropFiled, readFiled } from '../../src/store/report/filed-reports.ts';
import { findReport } from '../../src/store/report/reports.ts';
import { openJobs } from '../jobs.ts';
import { opened } from '../opened.ts';
import { saveReport } from '../save-report.ts';
import { openWorld } from '../world.ts';

const QUARTER = '2024-06-30' as QuarterEnd;
const MINUTE_MS = 60_000;

const world = opened(() => openWorld({ BRIEF_DEBOUNCE_MS: '30000' }));
const pipeline = opened(() => openJobs(world));
let queue: Queue;

beforeAll(async () => {
  queue = new Queue('peers', { connection: world.queue, prefix: bullPrefix(world.config.queuePrefix) });
  await publishAsOf(world.mongo.db, '2024-11-30' as IsoDate);
});
afterAll(() => queue.close());
afterEach(async () => {
  for (const name of ['reports', 'filed_reports', 'peers', 'invalidations']) {
    await world.mongo.db.collection(name).updateMany({}, { $set: { pending: false } });
    if (name !== 'invalidations') await world.mongo.db.collection(name).deleteMany({});
  }
});

/** Six equity rows of a manager, shown as the diff job shows them. */
async function show(number: number, version = 1, quarterEnd: QuarterEnd = QUARTER, like = number) {
  const cik = String(number).padStart(10, '0') as Cik;
  const rows = sampleRows(6, like);
  const report = foldReport([sampleFiling({ cik, quarterEnd, filedDate: '2024-08-14', rows })]);
  if (report === null) throw new Error('no report');
  await saveReport(world.mongo.db, diffReports(report, null), version);
}

it('an incomplete report is written again before peers are computed from it', async () => {
  const { db } = world.mongo;
  await show(1);
  await show(2);
  const report = await findReport(db, { cik: '0000000002' as Cik, quarterEnd: QUARTER });
  const digest = report?.filed.digest ?? '';
  await dropFiled(db, { cik: '0000000002' as Cik, quarterEnd: QUARTER, digest });
  expect(await refreshPeers(db, QUARTER, { version: 1, at: '' })).toEqual({ kind: 'moved_on' });
  expect(await peerVerdictsIn(db).findOne({ _id: QUARTER })).toBeNull();
  expect((await listPending(db, 'report', 10)).map(({ key }) => key)).toEqual([`0000000002|${QUARTER}`]);
  await show(2, 2);
  expect((await refreshPeers(db, QUARTER, { version: 1, at: '' })).kind).toBe('written');
});

it('only reports that changed are read again, and the answer is that of a new process', async () => {
  const client = new MongoClient(world.config.mongoUrl ?? '', { useBigInt64: true, monitorCommands: true });
  await client.connect();
  const db = client.db(world.mongo.db.databaseName);
  let read = 0;
  client.on('commandSucceeded', ({ reply, commandName }) => {
    const { cursor } = reply as { cursor?: { ns: string; firstBatch?: unknown[] } };
    if (commandName === 'find' && cursor?.ns.endsWith('filed_reports'))
      read += cursor.firstBatch?.length ?? 0;
  });
  const readFor = async (): Promise<number> => {
    const before = read;
    const inputs = await peersInputs(db, QUARTER);
    const kept = await overFiledQuarters(db, inputs, peersOf);
    const cost = read - before;
    const keys = [...inputs.seen.current].map(([cik, { digest }]) => ({ cik, quarterEnd: QUARTER, digest }));
    const anew = quartersOf({ prior: [], current: await readFiled(db, keys), next: [] });
    expect(kept).toEqual({ kind: 'computed', answer: peersOf({ ...anew, quarterEnd: QUARTER }) });
    return cost;
  };
  for (const manager of [11, 12, 13, 14]) await show(manager);
  expect(await readFor()).toBe(4);
  expect(await readFor()).toBe(0);
  await show(12, 2, QUARTER, 14);
  expect(await readFor()).toBe(1);
  await withdrawReport(db, { cik: '0000000014' as Cik, quarterEnd: QUARTER }, 2);
  expect(await readFor()).toBe(0);
  await client.close();
});

it('an answer of an older version never replaces a newer one', async () => {
  const { db } = world.mongo;
  await show(1);
  expect((await refreshPeers(db, QUARTER, { version: 7, at: '' })).kind).toBe('written');
  const newer = await peerVerdictsIn(db).findOne({ _id: QUARTER });
  await show(2);
  expect(await refreshPeers(db, QUARTER, { version: 5, at: '' })).toEqual({ kind: 'moved_on' });
  expect(await peerVerdictsIn(db).findOne({ _id: QUARTER })).toEqual(newer);
});

it('two at once write one answer, and neither loses what follows from it', async () => {
  const { db } = world.mongo;
  await show(1);
  await Promise.all([
    refreshPeers(db, QUARTER, { version: 1, at: '' }),
    refreshPeers(db, QUARTER, { version: 1, at: '' }),
  ]);
  for (
    let round = 0;
    (await refreshPeers(db, QUARTER, { version: 1, at: '' })).kind !== 'unchanged';
    round += 1
  ) {
    expect(round).toBeLessThan(3);
  }
  const doc = await peerVerdictsIn(db).findOne({ _id: QUARTER });
  expect(doc?.pendingChanges).toBeNull();
  expect(doc?.inputsDigest).not.toBe('');
});

it('an equal answer keeps the stored one, and what an interrupted run left over is followed', async () => {
  const { db } = world.mongo;
  const refreshed = (version: number) => refreshPeers(db, QUARTER, { version, at: '' });
  const twins = async () =>
    [...unpackVerdicts((await peerVerdictsIn(db).findOne({ _id: QUARTER }))?.verdicts ?? {}).keys()].sort();
  await show(1);
  await show(2, 1, QUARTER, 1);
  expect((await refreshed(1)).kind).toBe('written');
  const before = await peerVerdictsIn(db).findOne({ _id: QUARTER });
  const pendingChanges = pack({ ciks: ['0000000001'], cusips: [], moved: [] });
  await peerVerdictsIn(db).updateOne({ _id: QUARTER }, { $set: { pendingChanges } });
  await show(3);
  expect(await refreshed(2)).toMatchObject({ kind: 'written', reports: [`0000000001|${QUARTER}`] });
  const after = await peerVerdictsIn(db).findOne({ _id: QUARTER });
  expect(after?.inputsDigest).not.toBe(before?.inputsDigest);
  const { version, digest, verdicts, corporateActions } = before ?? {};
  const kept = { version: Number(version) + 1, digest, verdicts, corporateActions, pendingChanges: null };
  expect({ ...after, version: Number(after?.version) }).toMatchObject(kept);
  expect(await twins()).toEqual(['0000000001', '0000000002']);
  await show(3, 2, QUARTER, 1);
  expect(await refreshed(3)).toMatchObject({ kind: 'written', reports: [`0000000003|${QUARTER}`] });
  expect(await twins()).toEqual(['0000000001', '0000000002', '0000000003']);
});

it('a quarter that nobody reported says nothing and stores nothing', async () => {
  expect(await refreshPeers(world.mongo.db, QUARTER, { version: 1, at: '' })).toEqual({ kind: 'unchanged' });
  expect(await peerVerdictsIn(world.mongo.db).countDocuments()).toBe(0);
});

it('while reports still arrive a quarter is asked every ten minutes, and afterwards at once', async () => {
  const { db } = world.mongo;
  const isWoken = async (): Promise<boolean> => {
    await queue.drain(true);
    await enqueuePendingPeers(pipeline.context, ['diff']);
    return (await queue.count()) === 1;
  };
  const computedAgo = (ms: number) =>
    peerVerdictsIn(db).updateOne({ _id: QUARTER }, { $set: { at: new Date(Date.now() - ms).toISOString() } });
  await show(1);
  await invalidate(db, 'report', ['0000000009|2024-06-30']);
  await invalidate(db, 'peers', [QUARTER]);
  expect(await isWoken()).toBe(true);
  await refreshPeers(db, QUARTER, { version: 1, at: '' });
  await computedAgo(9 * MINUTE_MS);
  expect(await isWoken()).toBe(false);
  await computedAgo(11 * MINUTE_MS);
  expect(await isWoken()).toBe(true);
  await computedAgo(MINUTE_MS);
  const [left] = await listPending(db, 'report', 10);
  await settleInvalidation(db, 'report', left?.key ?? '', Number(left?.version));
  expect(await isWoken()).toBe(true);
  await computedAgo(0);
  expect(await isWoken()).toBe(false);
});
