import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Pipeline } from '../../jobs/worker/open.ts';
import { startWorkers } from '../../jobs/worker/run.ts';
import { turnAsOf } from '../../src/derive/corpus/as-of.ts';
import type { Ownership } from '../../src/domain/filing/filing.ts';
import { type Accession, requireIsoDate } from '../../src/domain/ids.ts';
import { parseFiling } from '../../src/forms/index.ts';
import { filingsIn } from '../../src/store/filing/filings.ts';
import { tidemark } from '../cli/tidemark.ts';
import { type Flow, openFlow, openStages } from '../flow/flow.ts';
import { AS_OF, FORM4, ORDER, openSmallCorpus } from '../flow/small-corpus.ts';
import { opened } from '../opened.ts';
import { ownFolder } from '../own-folder.ts';
import { writeInsiderDataSet } from './insider-data-set.ts';

const TESLA = '1318605';
const MUSK = FORM4[0] as Accession;
const [, THIEL = ''] = FORM4;
const TIDEMARK = fileURLToPath(new URL('../../scripts/tidemark.mjs', import.meta.url));

const folder = opened(openSmallCorpus);
let flow: Flow;
let pipeline: Pipeline;
const dir = ownFolder('accessions');

beforeAll(async () => {
  // The daily backfill of the worker finds nothing.
  flow = await openFlow(folder, AS_OF, { settings: { BACKFILL_FROM: '2018-11-29' } });
  pipeline = await openStages(flow);
  await turnAsOf(flow.db, requireIsoDate(AS_OF), { mayGoBack: true });
});

afterAll(async () => {
  await pipeline?.close();
  await flow?.close();
});

async function backfill(...options: string[]) {
  const { code, stdout, stderr } = await tidemark(flow.world, 'backfill', 'filings', ...options);
  return { code, stdout, stderr };
}

/** With workers beside it: they have no clock, so the command itself wakes the dispatcher. */
async function worked(...options: string[]) {
  const workers = startWorkers(pipeline.context, pipeline.redis);
  try {
    const { code, stdout } = await backfill(...options, '--json');
    return { code, summary: JSON.parse(stdout) as Record<string, unknown> };
  } finally {
    await workers.close();
  }
}

const stored = (): Promise<string[]> =>
  filingsIn(flow.db)
    .find({ state: 'parsed', dataSet: { $exists: false } })
    .map(({ _id }) => _id as string)
    .toArray();

test('a dry run says how many there are and how long they take, and changes nothing', async () => {
  const { code, stdout } = await backfill('--cik', TESLA, '--dry-run');
  expect({ code, stdout }).toEqual({ code: 0, stdout: '2\t0\t0\t0\t0\t0\t1\n' });
  const json = await backfill('--cik', TESLA, '--dry-run', '--json');
  expect(JSON.parse(json.stdout)).toMatchObject({ dry_run: true, new: 2, stored: 0, about_minutes: 1 });
  expect(await filingsIn(flow.db).countDocuments()).toBe(0);
});

test('Ctrl-C ends the watch and says how to go on; the filings wait for the workers', {
  tags: ['long'],
}, async () => {
  const running = spawn(process.execPath, [TIDEMARK, 'backfill', 'filings', '--cik', TESLA, '--form', '4'], {
    env: { ...process.env, ...flow.world.env },
  });
  let said = '';
  running.stderr.on('data', (bytes: Buffer) => {
    const before = said;
    said += bytes.toString();
    const sign = 'No worker is connected';
    if (said.includes(sign) && !before.includes(sign)) running.kill('SIGINT');
  });
  const [code] = (await once(running, 'exit')) as [number];
  expect(code).toBe(1);
  expect(said).toContain(
    `Watch them again with: tidemark backfill filings --cik ${TESLA.padStart(10, '0')} --form 4`,
  );
  expect(await filingsIn(flow.db).countDocuments({ state: 'discovered', lane: 'backfill' })).toBe(2);
});

test('all filings of a company are fetched, and again there is nothing left to fetch', async () => {
  expect(await worked('--cik', TESLA)).toMatchObject({
    code: 0,
    summary: { complete: true, fetched: 2, stored: 0, left: 0, failures: [] },
  });
  expect(await stored()).toHaveLength(2);
  expect(await worked('--cik', TESLA)).toMatchObject({ code: 0, summary: { fetched: 0, stored: 2 } });
}, 60_000);

test('a CIK that EDGAR does not know is named, and the command exits 1', async () => {
  for (const more of [[], ['--dry-run']])
    expect(await backfill('--cik', '9999999999', ...more)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('9999999999: EDGAR knows no filer or issuer'),
    });
});

test('the document of an imported filing replaces the import', async () => {
  const filing = parseFiling(await readFile(join(folder.dir, `${THIEL}.txt`))) as Ownership;
  const dataSet = join(dir, '2018q3_form345');
  await writeInsiderDataSet(dataSet, [filing]);
  await tidemark(flow.world, 'backfill', 'form4', '--file', dataSet);
  const list = join(dir, 'accessions.txt');
  // Two are stored, the second by its path; a third is in no list of EDGAR.
  await writeFile(list, `${THIEL}\nedgar/data/${TESLA}/${MUSK}.txt\n\n0000000001-18-000001\n`);
  const { stdout } = await backfill('--accessions', list, '--dry-run', '--json');
  expect(JSON.parse(stdout)).toMatchObject({ new: 0, imported: 1, waiting: 0, stored: 1, unknown: 1 });
  expect(await worked('--accessions', list)).toMatchObject({
    code: 1,
    summary: { complete: true, fetched: 1, stored: 1, failures: [], unknown: ['0000000001-18-000001'] },
  });
  expect(await stored()).toContain(THIEL);
  expect(await worked('--accessions', list, '--form', '13F-HR')).toMatchObject({
    summary: { stored: 0, left_out: [THIEL, MUSK] },
  });
}, 60_000);

test('the filings of some days are found in the daily indexes, of one form only if it is named', {
  tags: ['long'],
  timeout: 90_000,
}, async () => {
  const reports = await worked('--from', '2018-11-01', '--to', '2018-11-30', '--form', '13F-HR');
  expect(reports).toMatchObject({ code: 0, summary: { complete: true, fetched: 2, failures: [] } });
  const all = await worked('--from', '2018-01-01');
  expect(all.code).toBe(0);
  expect((await stored()).toSorted()).toEqual(ORDER.toSorted());
});

test('a line that names no filing, and no selection at all, are mistakes', async () => {
  await writeFile(join(dir, 'bad.txt'), 'Berkshire\n');
  const bad = await backfill('--accessions', join(dir, 'bad.txt'));
  expect([bad.code, bad.stderr]).toEqual([1, expect.stringContaining('no accession number: Berkshire')]);
  expect((await backfill()).code).toBe(2);
  expect((await backfill('--from', '2018-11-02', '--to', '2018-11-01')).code).toBe(2);
  const form = await backfill('--from', '2018-11-01', '--form', '10-K');
  expect([form.code, form.stderr]).toEqual([2, expect.stringContaining('Carried forms: 4, 4/A')]);
});
