import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFile, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Db } from 'mongodb';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { finishImports, type ImportOptions, importDataSet } from '../../src/bulk/import.ts';
import { openUnitPool, type UnitPool } from '../../src/bulk/pool.ts';
import { turnAsOf } from '../../src/derive/corpus/as-of.ts';
import type { ThirteenF } from '../../src/domain/filing/filing.ts';
import type { IsoDate } from '../../src/domain/ids.ts';
import { openArchive } from '../../src/edgar/data-set/archive.ts';
import { parseFiling } from '../../src/forms/index.ts';
import { findDataSet } from '../../src/store/filing/data-sets.ts';
import { filingsIn } from '../../src/store/filing/filings.ts';
import { listPending } from '../../src/store/invalidation/pending.ts';
import { ensureIndexes } from '../../src/store/mongo/indexes.ts';
import { underLock } from '../../src/store/mongo/lock.ts';
import { readHoldings } from '../../src/store/report/holdings.ts';
import { reportsIn } from '../../src/store/report/reports.ts';
import { runProcess, tidemark } from '../cli/tidemark.ts';
import { type Flow, openFlow } from '../flow/flow.ts';
import type { Folder } from '../flow/folder.ts';
import { AS_OF, FORM4, ORDER, openSmallCorpus } from '../flow/small-corpus.ts';
import { ingestInOrder } from '../flow/stages.ts';
import { openWorld, type World } from '../world.ts';
import { writeDataSet } from './data-set-folder.ts';

const THIRTEEN_F = ORDER.filter((accession) => !FORM4.includes(accession));

let folder: Folder;
let documents: Flow;
let dataSet: string;
const worlds: World[] = [];

beforeAll(async () => {
  folder = await openSmallCorpus();
  documents = await openFlow(folder, AS_OF);
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
  for (const world of worlds) await world.close();
  await documents.close();
  await folder.remove();
});

async function newWorld(): Promise<World> {
  const world = await openWorld({ TIDEMARK_AS_OF: AS_OF });
  worlds.push(world);
  return world;
}

/** Values of every report and row; not the times, versions and digests under which they are stored. */
async function valuesOf(db: Db) {
  const reports = await reportsIn(db).find().sort({ _id: 1 }).toArray();
  return Promise.all(
    reports.map(async (report) => {
      const rows = await readHoldings(db, report, { from: 0, count: 10_000 });
      const { version: _version, edition: _edition, digest: _digest, ...stored } = report;
      const { filed: _filed, previous: _previous, ...values } = stored;
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
  const world = await newWorld();
  const { code, stdout } = await tidemark(world, 'backfill', '13f', '--file', dataSet, '--json');
  const [summary] = JSON.parse(stdout) as [Record<string, unknown>];
  expect({ code, summary }).toMatchObject({
    code: 0,
    summary: { complete: true, filings: THIRTEEN_F.length, failures: [], strays: [] },
  });
  const imported = await valuesOf(world.mongo.db);
  expect(imported.length).toBeGreaterThan(3);
  expect(imported).toEqual(await valuesOf(documents.db));
  expect(await heldIn(world.mongo.db)).toEqual(await heldIn(documents.db));
});

test('an imported filing has the day alone, no bytes and no event', async () => {
  const [world] = worlds;
  const filings = await filingsIn((world as World).mongo.db)
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
  const world = await newWorld();
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
const LOCK = 'import|2018q4_form13f';

test('a data set that another process imports is waited for, and what that one did is not repeated', {
  tags: ['long'],
  timeout: 60_000,
}, async () => {
  const world = await newWorld();
  const { db } = world.mongo;
  const first = await runProcess(world, 'backfill', '13f', '--file', dataSet, '--json');
  const stored = await filingsIn(db)
    .find({}, { projection: { retrievedAt: 1 } })
    .toArray();
  let end = (): void => undefined;
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  const other = underLock(db, { id: LOCK, isOver: async () => false, work: () => ended });
  await expect.poll(() => db.collection('settings').countDocuments({ value: /\|/, beat: 0 })).toBe(1);
  const second = spawn(process.execPath, [TIDEMARK, 'backfill', '13f', '--file', dataSet, '--json'], {
    env: { ...process.env, ...world.env },
  });
  const [said, printed] = [text(second.stderr), text(second.stdout)];
  await once(second.stderr, 'data');
  expect(second.exitCode).toBeNull();
  end();
  await other;
  expect(await said).toContain('2018q4_form13f is being imported by another process');
  const [{ seconds: _seconds, ...summary }] = JSON.parse(first.stdout) as [Record<string, unknown>];
  expect(JSON.parse(await printed)).toMatchObject([summary]);
  expect(
    await filingsIn(db)
      .find({}, { projection: { retrievedAt: 1 } })
      .toArray(),
  ).toEqual(stored);
});

/** An import in this process, for which a holder that is silent for a moment is dead. */
async function importHere(world: World, options: Partial<ImportOptions> = {}) {
  const { MONGO_URL: mongoUrl = '', MONGO_DB: mongoDb = '' } = world.env;
  const { db } = world.mongo;
  await ensureIndexes(db);
  await turnAsOf(db, AS_OF as IsoDate, { mayGoBack: true });
  const pool = openUnitPool({ mongoUrl, mongoDb }, 1);
  const archive = await openArchive(dataSet);
  const silent = { onProgress: () => undefined, isStopped: () => false, now: () => new Date() };
  const importing = { ...silent, db, pool, resume: false, timing: { lookMs: 10, staleMs: 300 }, ...options };
  const end = async (): Promise<void> => {
    await archive.close();
    await pool.close();
  };
  return { importing, run: () => importDataSet(importing, '13f', archive), end };
}

test('an import that is not to resume begins anew after a process of which it saw only the lock', {
  tags: ['long'],
}, async () => {
  const world = await newWorld();
  const { db } = world.mongo;
  const { run, end } = await importHere(world);
  try {
    expect(await run()).toMatchObject({ complete: true, filings: THIRTEEN_F.length, known: 0 });
    await db.collection('settings').insertOne({ _id: LOCK as never, value: 'elsewhere|1|one', beat: 3 });
    expect(await run()).toMatchObject({ complete: true, filings: 0, known: THIRTEEN_F.length });
  } finally {
    await end();
  }
});

test('what managers hold by their last tables is written once, when the data sets are finished', async () => {
  const world = await newWorld();
  const { db } = world.mongo;
  const { importing, run, end } = await importHere(world);
  const holders = () => db.collection('last_held').distinct('_id');
  const state = async () => (await findDataSet(db, '2018q4_form13f'))?.state;
  try {
    await run();
    await finishImports({ ...importing, isStopped: () => true });
    // Stopped before: nothing of it is invalidated, and the next run goes on here.
    expect([await holders(), await state()]).toEqual([[], 'stored']);
    expect(await listPending(db, 'peers', 10)).toEqual([]);
    await finishImports(importing);
    const funds = await db.collection('funds').distinct('_id');
    expect(funds.length).toBeGreaterThan(0);
    expect([await holders(), await state()]).toEqual([funds, 'done']);
    expect(await listPending(db, 'peers', 10)).not.toEqual([]);
  } finally {
    await end();
  }
});

test('a process that wakes after its last unit changes nothing of what another one finished', {
  tags: ['long'],
}, async () => {
  const world = await newWorld();
  const { db } = world.mongo;
  const stateOf = async () => (await findDataSet(db, '2018q4_form13f'))?.state;
  const other = await importHere(world, { resume: true });
  const { pool } = other.importing;
  const sleeping: UnitPool = {
    ...pool,
    run: async (unit, at) => {
      const result = await pool.run(unit, at);
      if (unit.key.stage === 'filings') return result;
      await other.run();
      await finishImports(other.importing);
      return result;
    },
  };
  // It beats so seldom that the other one takes it for dead.
  const timing = { lookMs: 10, staleMs: 3_600_000 };
  const one = await importHere(world, { pool: sleeping, timing });
  try {
    expect(await one.run()).toMatchObject({ complete: true, filings: THIRTEEN_F.length });
    expect(await stateOf()).toBe('done');
    // One that waited finds nothing to do, and says nothing of the state.
    expect(await other.run()).toMatchObject({ complete: true });
    expect(await stateOf()).toBe('done');
  } finally {
    await one.end();
    await other.end();
  }
});

test('a process that was taken for dead goes on after the one that took over and stopped halfway', {
  tags: ['long'],
}, async () => {
  const world = await newWorld();
  const { db } = world.mongo;
  let isStopped = false;
  // It begins anew, so that what the first one noted as done is noted no more.
  const other = await importHere(world, {
    isStopped: () => isStopped,
    onProgress: () => {
      isStopped = true;
    },
  });
  let taken = 0;
  const { pool } = other.importing;
  const sleeping: UnitPool = {
    ...pool,
    run: async (unit, at) => {
      const result = await pool.run(unit, at);
      taken += 1;
      if (taken === 1) expect(await other.run()).toMatchObject({ complete: false });
      return result;
    },
  };
  const one = await importHere(world, { pool: sleeping, timing: { lookMs: 10, staleMs: 3_600_000 } });
  try {
    expect(await one.run()).toMatchObject({ complete: true, known: THIRTEEN_F.length, failures: [] });
    await finishImports(one.importing);
    expect(await valuesOf(db)).toEqual(await valuesOf(documents.db));
    expect(await heldIn(db)).toEqual(await heldIn(documents.db));
  } finally {
    await one.end();
    await other.end();
  }
});

test('an import that is killed at ten random points and resumed equals an uninterrupted one', {
  tags: ['long'],
}, async () => {
  const world = await newWorld();
  const started = (): ChildProcess =>
    spawn(process.execPath, [TIDEMARK, 'backfill', '13f', '--file', dataSet, '--resume'], {
      env: { ...process.env, ...world.env },
      stdio: 'ignore',
    });
  const { db } = world.mongo;
  const unitsDone = () => db.collection('data_set_units').countDocuments();
  const done: number[] = [];
  for (let kill = 0; kill < KILLS; kill += 1) {
    const before = await unitsDone();
    const running = started();
    const ended = once(running, 'exit').then(() => true);
    const holds = { _id: LOCK as never, value: { $regex: `\\|${running.pid}\\|` } };
    // Every other one is killed when it did a unit more, at the earliest; unless none was left.
    const isAtWork = async (): Promise<boolean> =>
      kill % 2 === 0
        ? (await unitsDone()) > before
        : (await db.collection('settings').findOne(holds)) !== null;
    while (!(await Promise.race([isAtWork(), ended]))) await sleep(5);
    await Promise.race([sleep(Math.random() * 300), ended]);
    running.kill('SIGKILL');
    await ended;
    done.push(await unitsDone());
  }
  expect(done[0]).toBeGreaterThan(0);
  expect(done).toEqual([...done].sort((a, b) => a - b));
  const { code, stdout } = await tidemark(world, 'backfill', '13f', '--file', dataSet, '--resume', '--json');
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject([{ complete: true, failures: [] }]);
  expect(await valuesOf(world.mongo.db)).toEqual(await valuesOf(documents.db));
});
