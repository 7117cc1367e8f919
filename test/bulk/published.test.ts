import { copyFile, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { type LocalEdgar, serveLocalEdgar } from '../../packages/local-edgar/serve.ts';
import type { ThirteenF } from '../../src/domain/filing/filing.ts';
import { parseFiling } from '../../src/forms/index.ts';
import { findDataSet } from '../../src/store/filing/data-sets.ts';
import { filingsIn } from '../../src/store/filing/filings.ts';
import { type Run, tidemark } from '../cli/tidemark.ts';
import { AS_OF, FORM4, ORDER, openSmallCorpus } from '../flow/small-corpus.ts';
import { opened } from '../opened.ts';
import { ownFolder } from '../own-folder.ts';
import { openWorld, type World } from '../world.ts';
import { writeDataSet } from './data-set-folder.ts';
import { zipFolder } from './zip.ts';

const THIRTEEN_F = ORDER.filter((accession) => !FORM4.includes(accession));
const NAME = '2018q4_form13f';
const UNREADABLE = {
  dataSet: '2018q3_form13f',
  complete: false,
  failures: [{ key: '2018q3_form13f', code: 'edgar_malformed' }],
};

const published = ownFolder('published');
const corpus = opened(openSmallCorpus);

beforeAll(async () => {
  const filings = await Promise.all(
    THIRTEEN_F.map(async (accession) => parseFiling(await readFile(join(corpus.dir, `${accession}.txt`)))),
  );
  const tables = join(corpus.dir, NAME);
  await writeDataSet(
    tables,
    filings.filter((filing): filing is ThirteenF => filing.kind === 'thirteen_f'),
  );
  await zipFolder(tables, join(published, `${NAME}.zip`));
});

type Backfill = { readonly world: World; readonly edgar: LocalEdgar; readonly temporary: string };

/** A home of its own in front of an EDGAR that publishes one data set. */
async function openBackfill(dir = published): Promise<Backfill> {
  const edgar = await serveLocalEdgar({ dir });
  const temporary = await mkdtemp(join(tmpdir(), 'tidemark-temporary-'));
  const world = await openWorld({ TIDEMARK_AS_OF: AS_OF, EDGAR_URL: edgar.url, TMPDIR: temporary });
  onTestFinished(async () => {
    await world.close();
    await edgar.close();
    await rm(temporary, { recursive: true, force: true });
  });
  return { world, edgar, temporary };
}

/** What is left of downloads. */
async function downloads({ temporary }: Backfill): Promise<string[]> {
  return (await readdir(temporary)).filter((name) => name.startsWith('tidemark-data-set-'));
}

const backfill = ({ world }: Backfill, ...options: string[]): Promise<Run> =>
  tidemark(world, 'backfill', '13f', '--from', '2018Q3', '--to', '2018Q4', ...options, '--json');

test('published data sets are downloaded and imported; one that is not published is told and skipped', async () => {
  const run = await openBackfill();
  const { code, stdout, stderr } = await backfill(run);
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject([{ dataSet: NAME, complete: true, filings: THIRTEEN_F.length }]);
  expect(stderr).toContain('2018q3_form13f is not published.');
  expect(await filingsIn(run.world.mongo.db).countDocuments({ dataSet: NAME })).toBe(THIRTEEN_F.length);
  expect(await findDataSet(run.world.mongo.db, NAME)).toMatchObject({ state: 'stored' });
  expect(await downloads(run)).toEqual([]);
});

test('a data set that is stored is not downloaded again to resume', { tags: ['long'] }, async () => {
  const run = await openBackfill();
  await backfill(run);
  const before = run.edgar.requests().total;
  const { code, stdout } = await backfill(run, '--resume');
  expect({ code, imported: JSON.parse(stdout) }).toEqual({ code: 0, imported: [] });
  // The one that was not published is asked for again, in both folders.
  expect(run.edgar.requests().total - before).toBe(2);
});

test('a data set that cannot be read fails alone, leaves no file and makes the command exit 1', {
  tags: ['long'],
  timeout: 60_000,
}, async () => {
  const dir = await mkdtemp(join(tmpdir(), 'tidemark-published-'));
  onTestFinished(() => rm(dir, { recursive: true, force: true }));
  await zipFolder(join(corpus.dir, NAME), join(dir, `${NAME}.zip`));
  await writeFile(join(dir, '2018q3_form13f.zip'), 'no zip');
  const run = await openBackfill(dir);
  const { code, stdout } = await backfill(run);
  const imported = [{ dataSet: NAME }, UNREADABLE];
  expect({ code, imported: JSON.parse(stdout) }).toMatchObject({ code: 1, imported });
  expect(await downloads(run)).toEqual([]);
});

test('a file that cannot be read, or breaks halfway, stops no other, and the command exits 1', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'tidemark-published-'));
  onTestFinished(() => rm(dir, { recursive: true, force: true }));
  const zip = join(dir, `${NAME}.zip`);
  await zipFolder(join(corpus.dir, NAME), zip);
  await writeFile(join(dir, '2018q3_form13f.zip'), 'no zip');
  const broken = await readFile(zip);
  await writeFile(join(dir, '2018q2_form13f.zip'), broken.fill(0xff, 60, Math.floor(broken.length / 2)));
  const run = await openBackfill();
  const file = (...more: string[]) => tidemark(run.world, 'backfill', '13f', '--file', dir, ...more);
  const plan = await file('--dry-run');
  expect(plan).toMatchObject({ code: 1, stdout: expect.stringContaining(NAME) });
  const { code, stdout } = await file('--json');
  const halfway = { dataSet: '2018q2_form13f', complete: false, failures: [{ code: 'edgar_malformed' }] };
  const imported = [halfway, UNREADABLE, { dataSet: NAME, complete: true, filings: THIRTEEN_F.length }];
  expect({ code, imported: JSON.parse(stdout) }).toMatchObject({ code: 1, imported });
  expect(await findDataSet(run.world.mongo.db, NAME)).toMatchObject({ state: 'stored' });
}, 60_000);

test('a data set that the database refuses fails alone; what is stored is finished and in the summary', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'tidemark-published-'));
  onTestFinished(() => rm(dir, { recursive: true, force: true }));
  const zip = join(dir, `${NAME}.zip`);
  await zipFolder(join(corpus.dir, NAME), zip);
  await copyFile(zip, join(dir, '2018q3_form13f.zip'));
  const run = await openBackfill(dir);
  const { db } = run.world.mongo;
  // The second one has the bytes of the first.
  await db.collection('data_sets').createIndex({ digest: 1 }, { unique: true });
  const { code, stdout, stderr } = await backfill(run);
  const failed = { dataSet: '2018q3_form13f', complete: false, failures: [{ code: 'import_failed' }] };
  const imported = [{ dataSet: NAME, complete: true, filings: THIRTEEN_F.length }, failed];
  expect({ code, imported: JSON.parse(stdout) }).toMatchObject({ code: 1, imported });
  expect(stderr).not.toMatch(/\n\s+at /);
  expect(await findDataSet(db, NAME)).toMatchObject({ state: 'stored' });
  expect(await downloads(run)).toEqual([]);
});

test('a dry run asks EDGAR nothing, names the addresses and estimates how long it takes', async () => {
  const run = await openBackfill();
  const { code, stdout, stderr } = await backfill(run, '--dry-run');
  const source = `/files/structureddata/data/form-13f-data-sets/${NAME}.zip`;
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject([
    { dataSet: NAME, state: 'new', seconds: 429, estimatedFrom: 'a usual size', source },
    { dataSet: '2018q3_form13f' },
  ]);
  expect(stderr).toContain('An estimate for two cores: about 15 min in all. Downloads come on top.');
  expect(run.edgar.requests().total).toBe(0);
});

test('either files or quarters are named', async () => {
  const run = await openBackfill();
  expect((await tidemark(run.world, 'backfill', '13f')).code).toBe(2);
  const both = await tidemark(run.world, 'backfill', '13f', '--file', published, '--to', '2018Q4');
  expect([both.code, both.stderr]).toEqual([2, expect.stringContaining('--to narrows --from')]);
  const early = await tidemark(run.world, 'backfill', '13f', '--from', '2012Q1');
  expect(early.code).toBe(2);
  expect(early.stderr).toContain('since 2013Q2');
  const dry = await tidemark(
    run.world,
    'backfill',
    'form4',
    '--from',
    '2006Q1',
    '--to',
    '2006Q1',
    '--dry-run',
  );
  expect(dry.stdout).toContain('/insider-transactions-data-sets/2006q1_form345.zip');
});
