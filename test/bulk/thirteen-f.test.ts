import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFile, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Db } from 'mongodb';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ThirteenF } from '../../src/domain/filing/filing.ts';
import { parseFiling } from '../../src/forms/index.ts';
import { filingsIn } from '../../src/store/filing/filings.ts';
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

test('a data set that another process imports is waited for, and what that one did is not repeated', async () => {
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
  const id = 'import|2018q4_form13f';
  const other = underLock(db, { id, isDone: async () => false, work: () => ended });
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
}, 60_000);

test('an import that is killed at ten random points and resumed equals an uninterrupted one', async () => {
  const world = await newWorld();
  const started = (): ChildProcess =>
    spawn(process.execPath, [TIDEMARK, 'backfill', '13f', '--file', dataSet, '--resume'], {
      env: { ...process.env, ...world.env },
      stdio: 'ignore',
    });
  // The process needs a second to start and about two for the import.
  for (let kill = 0; kill < KILLS; kill += 1) {
    const running = started();
    const ended = once(running, 'exit');
    await Promise.race([sleep(900 + Math.random() * 2_000), ended]);
    running.kill('SIGKILL');
    await ended;
  }
  const { code, stdout } = await tidemark(world, 'backfill', '13f', '--file', dataSet, '--resume', '--json');
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject([{ complete: true, failures: [] }]);
  expect(await valuesOf(world.mongo.db)).toEqual(await valuesOf(documents.db));
});
