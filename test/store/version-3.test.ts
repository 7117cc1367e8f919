import { Binary } from 'mongodb';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { finishImports } from '../../src/bulk/import.ts';
import type { UnitPool } from '../../src/bulk/pool.ts';
import { NO_RESULT } from '../../src/bulk/unit.ts';
import { builtFrom, observation } from '../../src/domain/brief/brief.sample.ts';
import { evidenceItem } from '../../src/domain/brief/evidence.ts';
import { verifyEvidence } from '../../src/domain/brief/verify-evidence.ts';
import type { Accession, QuarterEnd, Ticker } from '../../src/domain/ids.ts';
import type { Logger } from '../../src/log.ts';
import { beginDataSet, type Followers, noteUnit, setDataSetState } from '../../src/store/filing/data-sets.ts';
import { type FilingDoc, filingsIn } from '../../src/store/filing/filings.ts';
import { saveSetting } from '../../src/store/filing/settings.ts';
import { invalidate } from '../../src/store/invalidation/invalidate.ts';
import { invalidationsIn } from '../../src/store/invalidation/invalidation.ts';
import { listPending } from '../../src/store/invalidation/pending.ts';
import { pack, unpack } from '../../src/store/mongo/pack.ts';
import { peerVerdictsIn } from '../../src/store/peers/corporate-actions.ts';
import { allEvidence } from '../../src/store/publish/evidence.ts';
import { briefsIn, saveBrief } from '../../src/store/publish/kept-briefs.ts';
import { evidenceOfBrief } from '../../src/store/publish/stored-briefs.ts';
import { type ReportDoc, reportsIn } from '../../src/store/report/reports.ts';
import { migrateBriefs } from '../../src/store/version/briefs-from-3.ts';
import { migrateStore } from '../../src/store/version/migrate.ts';
import { requireCurrent } from '../../src/store/version/version.ts';
import { SUMMARY } from '../api/corpus.ts';
import { discoveredDoc, parsedDoc } from '../filings/doc.ts';
import { ownershipOf } from '../filings/read.ts';
import { openWorld, type World } from '../world.ts';
import { peersDoc } from './peers-doc.ts';

let world: World;
beforeEach(async () => {
  world = await openWorld();
});
afterEach(() => world.close());

const log = { info: () => undefined, warn: () => undefined } as unknown as Logger;

/** Migrates the home as one of that store version. */
async function migrate(version = '3'): Promise<void> {
  await saveSetting(world.mongo.db, 'store_version', version);
  await migrateStore(world.mongo.db, { log, now: () => new Date('2018-12-01T12:00:00Z') });
  await requireCurrent(world.mongo.db);
}

test('a stored brief has its evidence in pages, as it says itself', async () => {
  const { db } = world.mongo;
  const { input, brief, evidence } = builtFrom({ observations: [observation()] });
  const body = new Binary(Buffer.from(JSON.stringify({ data: brief })));
  const rows = { packed: pack(evidence), in_manifest: undefined };
  for (const [_id, own] of Object.entries(rows)) {
    const old = { _id, ticker: 'AAPL', body, gzip: body, generatedAt: '', evidence: own };
    await db.collection<{ _id: string }>('briefs').insertOne(old, { ignoreUndefined: true });
  }
  const read = [...input.evidence.values()].map(({ accession, cik, formType, publishedAt }) => ({
    ...{ _id: accession, form: formType, leg: 'thirteen_f', cik, publishedAt },
    ...{ retrievedAt: '', parserVersion: 'later', parsedRaw: null },
  }));
  await filingsIn(db).insertMany(read as FilingDoc[]);
  await migrate();
  for (const id of Object.keys(rows)) {
    const records = await allEvidence(db, (await evidenceOfBrief(db, id))?.evidence ?? []);
    const pages = records.map((record) => ({ ...evidenceItem(record), rows: record.rows }));
    expect(verifyEvidence(brief, [pages])).toEqual({ ok: true, problems: [] });
  }
});

test('an interrupted pass over stored briefs goes on where it was', async () => {
  const { db } = world.mongo;
  const { brief } = builtFrom({ observations: [] });
  const body = new Binary(Buffer.from(JSON.stringify({ data: brief })));
  const old = Array.from({ length: 120 }, (_, at) => ({
    _id: `ccm_${1_000 + at}`,
    body,
    evidence: pack([]),
  }));
  await db.collection<{ _id: string }>('briefs').insertMany(old);
  const lost = () => Promise.reject(new Error('migration_lost'));
  await expect(migrateBriefs(db, lost)).rejects.toThrow('migration_lost');
  expect(await briefsIn(db).countDocuments({ summary: { $exists: true } })).toBe(50);
  expect(await migrateBriefs(db, async () => undefined)).toBe(70);
  expect(await migrateBriefs(db, async () => undefined)).toBe(0);
});

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

test('every brief of a home of store version 3 is kept, because readers may have got it (rule 13.8)', async () => {
  const { db } = world.mongo;
  const brief = {
    _id: 'one',
    ticker: 'AAPL' as Ticker,
    body: Buffer.from('{}'),
    evidence: [],
    summary: SUMMARY,
  };
  await saveBrief(db, { ...brief, generatedAt: '2018-11-30T12:00:00.000Z' });
  await briefsIn(db).updateMany({}, { $unset: { kept: '' } });
  await migrate();
  const [kept] = await briefsIn(db).find().toArray();
  expect([kept?.kept, kept?.expiresAt]).toEqual([true, undefined]);
});

test.each(['3', '4'])('every report in a home of store version %s is compared again', async (version) => {
  const { db } = world.mongo;
  const keys = Array.from({ length: 1_001 }, (_, at) => `${String(at).padStart(10, '0')}|2018-09-30`);
  await reportsIn(db).insertMany(keys.map((_id) => ({ _id }) as ReportDoc));
  await migrate(version);
  expect(await listPending(db, { kind: 'report', lane: 'backfill' }, 2_000)).toHaveLength(keys.length);
});

test('a home of store version 5 computes nothing again', async () => {
  const { db } = world.mongo;
  await reportsIn(db).insertOne({ _id: '0000000001|2018-09-30' } as ReportDoc);
  await migrate('5');
  expect(await listPending(db, { kind: 'report', lane: 'backfill' }, 2_000)).toEqual([]);
});

test('what filers implied in a home of store version 3 is in the present shape', async () => {
  const { db } = world.mongo;
  const refuted = { kind: 'refuted', cusip: '037833100', compared: 20, unchanged: 18, pricePermille: 1000 };
  const exit = { kind: 'mass_exit', cusip: '037833100', votes: 9, compared: 9 };
  const common = { kind: 'common_ratio', cusip: '37045V100', votes: 6, compared: 9 };
  const doc = peersDoc('2018-09-30' as QuarterEnd, []);
  await peerVerdictsIn(db).insertOne({ ...doc, corporateActions: pack([refuted, common, exit]) });
  await migrate();
  const stored = await peerVerdictsIn(db).findOne();
  expect(unpack(stored?.corporateActions as Binary)).toEqual([exit]);
});

test('an import that a release of store version 3 began is finished', async () => {
  const { db } = world.mongo;
  const set = { name: '2013q2_form13f', digest: 'one' };
  await beginDataSet(db, set, { at: '', resume: false });
  await setDataSetState(db, set.name, { from: 'importing', to: 'stored' }, 0);
  const followers = { peers: ['2013-06-30'], holders: ['2013-06-30'], reports: [], tickers: [] };
  const result = { ...NO_RESULT, followers: followers as unknown as Followers };
  await noteUnit(db, { ...set, stage: 'reports', number: 0 }, { result, at: '' });
  await migrate();
  const reconciled: unknown[] = [];
  const pool: UnitPool = {
    threads: 1,
    run: () => Promise.resolve(NO_RESULT),
    reconcile: async (issuers) => void reconciled.push(...issuers),
    refreshHeld: () => Promise.resolve(),
    close: () => Promise.resolve(),
  };
  await finishImports({ db, pool, isStopped: () => false, onProgress: () => undefined });
  expect([reconciled, await listPending(db, 'insider', 10)]).toEqual([[], []]);
  expect(await listPending(db, 'peers', 10)).toMatchObject([{ key: '2013-06-30' }]);
});
