import { MongoClient } from 'mongodb';
import { beforeAll, expect, test } from 'vitest';
import { refreshFunds } from '../../src/derive/report/fund-writer.ts';
import { diffReports } from '../../src/domain/change/diff.ts';
import { APPLE, SPY, sampleFiling, sampleRow } from '../../src/domain/filing/filing.sample.ts';
import type { Cik, Ticker } from '../../src/domain/ids.ts';
import { foldReport } from '../../src/domain/report/fold.ts';
import { readHolders } from '../../src/read/holders/holders.ts';
import { invalidate } from '../../src/store/invalidation/invalidate.ts';
import { ensureIndexes } from '../../src/store/mongo/indexes.ts';
import { publishedCorpus } from '../../src/store/publish/corpus.ts';
import { fundsIn } from '../../src/store/report/funds.ts';
import { positions } from '../../src/store/report/positions.ts';
import { reportsIn } from '../../src/store/report/reports.ts';
import { apple, cik, google, LATEST, PRIOR, publish, show } from '../api/stock-corpus.ts';
import { opened } from '../opened.ts';
import { saveReport } from '../save-report.ts';
import { openWorld } from '../world.ts';

const world = opened(openWorld);
beforeAll(async () => {
  await ensureIndexes(world.mongo.db);
});

async function holdersOf(db = world.mongo.db, quarterEnd: typeof LATEST | null = null) {
  const publication = await publishedCorpus(db);
  if (publication === null) throw new Error('nothing is published');
  return readHolders(db, { ticker: 'AAPL' as Ticker, cusip: APPLE, publication, quarterEnd });
}

/** Managers `from` and up, each with the reports and positions of `model` under its own CIK. */
async function clone(model: Cik, from: number, count: number): Promise<void> {
  const { db } = world.mongo;
  const lastHeld = db.collection<{ _id: Cik }>('last_held');
  const [fund, last, reports, slices] = await Promise.all([
    fundsIn(db).findOne({ _id: model }),
    lastHeld.findOne({ _id: model }),
    reportsIn(db).find({ cik: model }).toArray(),
    positions
      .collection(db)
      .find({ _id: new RegExp(model) })
      .toArray(),
  ]);
  if (fund === null || last === null) throw new Error('no model');
  const all = Array.from({ length: count }, (_, at) => cik(from + at));
  await fundsIn(db).insertMany(all.map((_id) => ({ ...fund, _id, slug: `m-${_id}` })));
  await lastHeld.insertMany(all.map((_id) => ({ ...last, _id })));
  await reportsIn(db).insertMany(
    all.flatMap((own) => reports.map((doc) => ({ ...doc, _id: doc._id.replace(model, own), cik: own }))),
  );
  await positions
    .collection(db)
    .insertMany(all.flatMap((own) => slices.map((doc) => ({ ...doc, _id: doc._id.replace(model, own) }))));
}

test('hundreds of holders, carried forward or not, are read as a few are, each in the version shown', async () => {
  const { db } = world.mongo;
  await publish(db, { filingWindow: 'open' });
  await show(db, 1, { [PRIOR]: [apple(10_000n, 2_000n)], [LATEST]: [apple(25_000n, 5_000n)] });
  await show(db, 2, { [PRIOR]: [apple(40_000n, 8_000n)] });
  await show(db, 3, { [PRIOR]: [google()] });
  const few = await holdersOf();
  expect(few.rows.map(({ observation, isStale }) => [observation.cik, isStale])).toEqual([
    [cik(2), true],
    [cik(1), false],
  ]);
  await clone(cik(1), 1_000, 250);
  await clone(cik(2), 2_000, 250);
  await clone(cik(3), 3_000, 250);
  const many = await holdersOf();
  expect(many.totals).toEqual({
    holders: 502,
    shares: 251n * (25_000n + 40_000n),
    valueCents: 251n * (5_000n + 8_000n) * 100_000n,
  });
  expect(many.counts).toMatchObject({ added: 251, baseline_only: 251, stale: 251 });
  // A version that is not shown is no owner's, nor are the rows of one that is gone.
  await reportsIn(db).updateOne({ _id: `${cik(1_001)}|${LATEST}` }, { $set: { digest: 'another' } });
  await reportsIn(db).updateOne({ _id: `${cik(2_001)}|${PRIOR}` }, { $set: { digest: 'another' } });
  expect((await holdersOf()).totals.holders).toBe(500);
}, 60_000);

test('a list that is kept is read once, also by callers at once, and again after an invalidation or a new corpus', async () => {
  const client = new MongoClient(world.config.mongoUrl ?? '', { useBigInt64: true, monitorCommands: true });
  await client.connect();
  const db = client.db(world.mongo.db.databaseName);
  let reads = 0;
  client.on('commandStarted', ({ command }) => {
    const { securities } = command['filter'] ?? {};
    if (command['find'] === 'positions' && securities?.endsWith(LATEST)) reads += 1;
  });
  const costOf = async (work: () => Promise<unknown>): Promise<number> => {
    const before = reads;
    await work();
    return reads - before;
  };
  expect(await costOf(() => holdersOf(db))).toBe(1);
  expect(await costOf(() => holdersOf(db))).toBe(1);
  await invalidate(db, 'brief', ['AAPL']);
  expect(await costOf(() => Promise.all([holdersOf(db), holdersOf(db), holdersOf(db)]))).toBe(1);
  expect(await costOf(() => holdersOf(db))).toBe(0);
  // Another quarter is another list.
  expect(await costOf(() => holdersOf(db, LATEST))).toBe(1);
  expect(await costOf(() => holdersOf(db, LATEST))).toBe(0);
  await invalidate(db, 'brief', ['AAPL']);
  expect(await costOf(() => holdersOf(db))).toBe(1);
  await publish(db, { filingWindow: 'closed' });
  expect(await costOf(() => holdersOf(db))).toBe(1);
  expect(await costOf(() => holdersOf(db))).toBe(0);
  await client.close();
});

test('a report that is shown a moment before its manager is listed counts under its own name', async () => {
  const { db } = world.mongo;
  await show(db, 8, { [LATEST]: [apple(70_000n, 9_000n)] });
  await publish(db, { filingWindow: 'closed' });
  const ofManager = async () =>
    (await holdersOf(db, LATEST)).rows.find(({ observation }) => observation.cik === cik(8))?.observation;
  const listed = await ofManager();
  await fundsIn(db).deleteOne({ _id: cik(8) });
  await publish(db, { filingWindow: 'open' });
  expect(await ofManager()).toMatchObject({ name: listed?.name, slug: listed?.slug, currentShares: 70_000n });
  await refreshFunds(db, [cik(8)]);
}, 30_000);

test('a position is weighed against assets that an addition in doubtful scale does not inflate (rule 2.10)', async () => {
  const { db } = world.mongo;
  const filed = {
    cik: cik(9),
    managerName: 'Manager 9',
    quarterEnd: LATEST,
    filedDate: '2018-11-14',
  } as const;
  const base = sampleFiling({ ...filed, rows: [apple(10_000n, 2_000n), google(6_000n)] });
  const addition = sampleFiling({
    ...filed,
    accession: '0000000009-18-000002',
    amendmentType: 'new_holdings',
    rows: [sampleRow({ cusip: SPY, amount: 50_000n, value: 5_000_000n })],
  });
  const doubt = { scaleCents: 100_000n, reasons: ['value_unit_unverified'] as const };
  const report = foldReport([base, addition], { scales: new Map([[addition.header.accession, doubt]]) });
  if (report === null) throw new Error('two filings fold to a report');
  await saveReport(db, diffReports(report, null), 1);
  await refreshFunds(db, [cik(9)]);
  await publish(db, { filingWindow: 'closed' });
  const own = (await holdersOf(db, LATEST)).rows.find(({ observation }) => observation.cik === cik(9));
  expect(own).toMatchObject({
    observation: { reportAumCents: 800_000_000n },
    quality: { status: 'clear' },
  });
}, 30_000);
