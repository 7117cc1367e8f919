import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFile, cp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Db } from 'mongodb';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { JOBS } from '../../jobs/index.ts';
import { partOfReport } from '../../jobs/pending/units.ts';
import { type ImportOptions, importDataSet } from '../../src/bulk/import.ts';
import { turnAsOf } from '../../src/derive/corpus/as-of.ts';
import type { ThirteenF } from '../../src/domain/filing/filing.ts';
import type { IsoDate } from '../../src/domain/ids.ts';
import { openArchive } from '../../src/edgar/data-set/archive.ts';
import { parseFiling } from '../../src/forms/index.ts';
import { findDataSet } from '../../src/store/filing/data-sets.ts';
import { filingsIn } from '../../src/store/filing/filings.ts';
import { readRows } from '../../src/store/filing/rows.ts';
import { listPending, pendingVersion } from '../../src/store/invalidation/invalidation.ts';
import { ensureIndexes } from '../../src/store/mongo/indexes.ts';
import { readHoldings } from '../../src/store/report/holdings.ts';
import { reportsIn } from '../../src/store/report/reports.ts';
import { tidemark } from '../cli/tidemark.ts';
import { type Flow, openFlow, openStages } from '../flow/flow.ts';
import { AS_OF, FORM4, ORDER, openSmallCorpus } from '../flow/small-corpus.ts';
import { compareFlow, ingestInOrder } from '../flow/stages.ts';
import { opened } from '../opened.ts';
import type { World } from '../world.ts';
import { writeDataSet } from './data-set-folder.ts';

const THIRTEEN_F = ORDER.filter((accession) => !FORM4.includes(accession));

const folder = opened(openSmallCorpus);
const documents = opened(() => openFlow(folder, AS_OF));
let dataSet: string;
const flows: Flow[] = [];

beforeAll(async () => {
  await ingestInOrder(documents, {
    accessions: THIRTEEN_F,
    reference: 'last',
    settleEvery: 100,
    asFiled: true,
  });
  const filings = await Promise.all(
    THIRTEEN_F.map(async (accession) => parseFiling(await readFile(join(folder.dir, `${accession}.txt`)))),
  );
  dataSet = join(folder.dir, '2018q4_form13f');
  await writeDataSet(
    dataSet,
    filings.filter((filing): filing is ThirteenF => filing.kind === 'thirteen_f'),
  );
});

afterAll(async () => {
  for (const flow of flows) await flow.close();
});

async function newFlow(): Promise<Flow> {
  const flow = await openFlow(folder, AS_OF);
  flows.push(flow);
  return flow;
}

/** Values of every report and row; not the times, versions and digests under which they are stored. */
async function valuesOf(db: Db) {
  const reports = await reportsIn(db).find().sort({ _id: 1 }).toArray();
  return Promise.all(
    reports.map(async (report) => {
      const rows = await readHoldings(db, report, { from: 0, count: 10_000 });
      const { version: _version, edition: _edition, digest: _digest, ...stored } = report;
      const { filed: _filed, previous: _previous, evidence: _evidence, ...values } = stored;
      const { publishedAt: _at, newest: _newest, filings, followersInvalidated: _noted, ...fields } = values;
      const roles = filings.map(({ publishedAt: _time, ...filing }) => filing);
      return { ...fields, filings: roles, rows };
    }),
  );
}

/** What each manager holds by its last table; not the digest under which it is stored. */
function heldIn(db: Db) {
  return db
    .collection('last_held')
    .find({}, { projection: { digest: 0 } })
    .sort({ _id: 1 })
    .toArray();
}

test('the same quarter by documents and by data set gives the same holdings and changes', async () => {
  const flow = await newFlow();
  const { code, stdout } = await tidemark(flow.world, 'backfill', '13f', '--file', dataSet, '--json');
  const [summary] = JSON.parse(stdout) as [Record<string, unknown>];
  expect({ code, summary }).toMatchObject({
    code: 0,
    summary: { complete: true, filings: THIRTEEN_F.length, failures: [], strays: [] },
  });
  await compareFlow(flow);
  const imported = await valuesOf(flow.db);
  expect(imported.length).toBeGreaterThan(3);
  expect(imported).toEqual(await valuesOf(documents.db));
  expect(await heldIn(flow.db)).toEqual(await heldIn(documents.db));
});

test('an imported filing has the day alone, no bytes and no event', async () => {
  const filings = await filingsIn((flows[0] as Flow).db)
    .find()
    .toArray();
  for (const filing of filings) {
    expect(filing).toMatchObject({ raw: [], parsedRaw: null, event: 'none', dataSet: '2018q4_form13f' });
    expect(filing.publishedAt).toEqual({ value: filing.filedDate, precision: 'day' });
  }
});

test('a filing that is stored from its document stays as it is', async () => {
  const before = await filingsIn(documents.db).find().sort({ _id: 1 }).toArray();
  const { stdout } = await tidemark(documents.world, 'backfill', '13f', '--file', dataSet, '--json');
  expect(JSON.parse(stdout)).toMatchObject([{ filings: 0, known: THIRTEEN_F.length }]);
  expect(await filingsIn(documents.db).find().sort({ _id: 1 }).toArray()).toEqual(before);
});

test('a filing with an unreadable row is quarantined with its reason, and the others are imported', async () => {
  const broken = join(folder.dir, 'broken_form13f');
  const filings = await Promise.all(
    THIRTEEN_F.map(async (accession) => parseFiling(await readFile(join(folder.dir, `${accession}.txt`)))),
  );
  await writeDataSet(
    broken,
    filings.filter((filing): filing is ThirteenF => filing.kind === 'thirteen_f'),
  );
  const last = (await readFile(join(broken, 'INFOTABLE.tsv'), 'utf8')).trimEnd().split('\n').at(-1) ?? '';
  await appendFile(join(broken, 'INFOTABLE.tsv'), `${last.slice(0, 20)}\tnot a row\nno filing\n`);
  const { world } = await newFlow();
  const { code, stdout } = await tidemark(world, 'backfill', '13f', '--file', broken, '--json');
  expect(code).toBe(1);
  expect(JSON.parse(stdout)).toMatchObject([
    {
      filings: THIRTEEN_F.length - 1,
      failures: [{ key: last.slice(0, 20), code: 'schema_invalid' }],
      strays: [{ table: 'INFOTABLE' }],
    },
  ]);
});

const TIDEMARK = fileURLToPath(new URL('../../scripts/tidemark.mjs', import.meta.url));
const KILLS = 10;
const NAME = '2018q4_form13f';

/** An import in this process. */
async function importHere({ mongo: { db } }: World, options: Partial<ImportOptions> = {}, path = dataSet) {
  await ensureIndexes(db);
  await turnAsOf(db, AS_OF as IsoDate, { mayGoBack: true });
  const archive = await openArchive(path);
  const silent = { onProgress: () => undefined, isStopped: () => false, now: () => new Date() };
  return importDataSet({ ...silent, db, resume: false, ...options }, '13f', archive).finally(archive.close);
}

test('three imports of a data set at once store each filing once, and say the same', async () => {
  const flow = await newFlow();
  const whole = { complete: true, filings: THIRTEEN_F.length, known: 0, failures: [] };
  const imported = await Promise.all([1, 2, 3].map(() => importHere(flow.world)));
  expect(imported).toMatchObject([whole, whole, whole]);
  expect(await filingsIn(flow.db).countDocuments()).toBe(THIRTEEN_F.length);
  await compareFlow(flow);
  expect(await valuesOf(flow.db)).toEqual(await valuesOf(documents.db));
  expect(await heldIn(flow.db)).toEqual(await heldIn(documents.db));
});

test('an import that died behind its filings leaves what follows from them to the dispatcher', async () => {
  const flow = await newFlow();
  const { db } = flow;
  await expect(importHere(flow.world, { db: dyingAt(db, 'invalidations', 1) })).rejects.toThrow('dead');
  expect(await filingsIn(db).countDocuments({ derive: 'pending' })).toBe(THIRTEEN_F.length);
  // What is stored is not stored again, and dispatch goes on with it.
  expect(await importHere(flow.world)).toMatchObject({ complete: true, filings: THIRTEEN_F.length });
  const { context, close } = await openStages(flow);
  await JOBS.dispatch(context, { slot: 1 });
  await context.producer.clear(['diff', 'backfill', 'reference']);
  await close();
  expect(await filingsIn(db).countDocuments({ derive: 'pending' })).toBe(0);
  await compareFlow(flow);
  expect(await valuesOf(db)).toEqual(await valuesOf(documents.db));
});

test('imported reports are not compared while a live filing is at work in the process', async () => {
  const flow = await newFlow();
  const { db } = flow;
  await importHere(flow.world);
  const { context, close } = await openStages(flow);
  const [pending] = await listPending(db, 'report', 1);
  const isPending = async () => (await pendingVersion(db, 'report', pending?.key ?? '')) !== null;
  try {
    const live = context.precedence.during('live', async () => {
      await sleep(1_000);
      expect(await isPending()).toBe(true);
    });
    const part = partOfReport(pending?.key ?? '');
    await Promise.all([live, JOBS.diff(context, { part, at: Date.now() })]);
    expect(await isPending()).toBe(false);
    await context.producer.clear(['diff']);
  } finally {
    await close();
  }
});

/** The database of a process that dies when it opens the collection for the nth time. */
function dyingAt(db: Db, collection: string, nth: number): Db {
  let opened = 0;
  return new Proxy(db, {
    get: (target, key) =>
      key !== 'collection'
        ? Reflect.get(target, key)
        : (name: string) => {
            if (name === collection) opened += 1;
            if (opened >= nth) throw new Error('dead');
            return target.collection(name);
          },
  });
}

test('another edition of a set takes no rows of one whose import died ahead of its filings', async () => {
  const flow = await newFlow();
  const { db } = flow;
  // The first time it asks which filings are stored.
  await expect(importHere(flow.world, { db: dyingAt(db, 'filings', 2) })).rejects.toThrow('dead');
  expect([await filingsIn(db).countDocuments(), await db.collection('filing_rows').countDocuments()]).toEqual(
    [0, expect.any(Number)],
  );
  const edition = join(folder.dir, 'again', NAME);
  await cp(dataSet, edition, { recursive: true });
  const table = join(edition, 'INFOTABLE.tsv');
  await writeFile(table, (await readFile(table, 'utf8')).replaceAll('APPLE INC', 'APPLE AGAIN'));
  await importHere(flow.world, {}, edition);
  const rows = await Promise.all(
    (await filingsIn(db).find().toArray()).map((one) =>
      one.rows === null ? [] : readRows(db, one._id, one.rows),
    ),
  );
  expect(rows.flat().map(({ issuer }) => issuer)).toContain('APPLE AGAIN');
});

test('an import that is killed at ten random points and resumed equals an uninterrupted one', {
  tags: ['long'],
}, async () => {
  const flow = await newFlow();
  const { db, world } = flow;
  const stored = () => filingsIn(db).countDocuments();
  const done: number[] = [];
  for (let kill = 0; kill < KILLS; kill += 1) {
    const running = spawn(process.execPath, [TIDEMARK, 'backfill', '13f', '--file', dataSet, '--resume'], {
      env: { ...process.env, ...world.env },
      stdio: 'ignore',
    });
    const ended = once(running, 'exit').then(() => true);
    const isAtWork = async (): Promise<boolean> => (await findDataSet(db, NAME)) !== null;
    while (!(await Promise.race([isAtWork(), ended]))) await sleep(5);
    await Promise.race([sleep(Math.random() * 300), ended]);
    running.kill('SIGKILL');
    await ended;
    done.push(await stored());
  }
  expect(done).toEqual([...done].sort((a, b) => a - b));
  const { code, stdout } = await tidemark(world, 'backfill', '13f', '--file', dataSet, '--json');
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject([{ complete: true, filings: THIRTEEN_F.length, failures: [] }]);
  const { context, close } = await openStages(flow);
  await JOBS.dispatch(context, { slot: 1 });
  await close();
  await compareFlow(flow);
  expect(await valuesOf(db)).toEqual(await valuesOf(documents.db));
});
