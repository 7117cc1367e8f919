import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { JOBS } from '../../jobs/index.ts';
import { indexStatus } from '../../src/derive/corpus/status.ts';
import type { Ownership, ParsedFiling, ThirteenF } from '../../src/domain/filing/filing.ts';
import { parseFiling } from '../../src/forms/index.ts';
import { dataSetsNamed, noteUnpublished } from '../../src/store/filing/data-sets.ts';
import { filingsIn } from '../../src/store/filing/filings.ts';
import { backfillState } from '../../src/store/filing/index-days.ts';
import { publishedCorpus } from '../../src/store/publish/corpus.ts';
import { tidemark } from '../cli/tidemark.ts';
import { type Flow, openFlow, openStages, runPipeline } from '../flow/flow.ts';
import { AS_OF, ORDER, openSmallCorpus } from '../flow/small-corpus.ts';
import { opened } from '../opened.ts';
import { writeDataSet } from './data-set-folder.ts';
import { writeInsiderDataSet } from './insider-data-set.ts';
import { zipFolder } from './zip.ts';

const SETS = ['2018q3_form13f', '2018q3_form345'];
const INSIDER_ZIP = '2018q3_form345.zip';

const folder = opened(openSmallCorpus);
let summer: readonly ParsedFiling[];

/** An EDGAR with the documents of the small corpus, and both data sets of its third quarter. */
beforeAll(async () => {
  const filings = await Promise.all(
    ORDER.map(async (accession) => parseFiling(await readFile(join(folder.dir, `${accession}.txt`)))),
  );
  summer = filings.filter(
    ({ header: { filedDate } }) => filedDate >= '2018-07-01' && filedDate <= '2018-09-30',
  );
  const tables = await mkdtemp(join(tmpdir(), 'tidemark-tables-'));
  const paths = SETS.map((name) => join(tables, name));
  const [thirteenF = '', insider = ''] = paths;
  await writeDataSet(
    thirteenF,
    summer.filter((filing): filing is ThirteenF => filing.kind === 'thirteen_f'),
  );
  await writeInsiderDataSet(
    insider,
    summer.filter((filing): filing is Ownership => filing.kind === 'ownership'),
  );
  for (const [n, name] of SETS.entries()) {
    await zipFolder(paths[n] ?? '', join(folder.dir, `${name}.zip`));
  }
  await rm(tables, { recursive: true });
}, 60_000);

async function statesOf({ db }: Flow): Promise<unknown[]> {
  const docs = await dataSetsNamed(db, SETS);
  return SETS.map((name) => docs.get(name)?.state);
}

test('the first start imports what data sets bring; only the other documents are fetched, and every day is read', {
  tags: ['long'],
  timeout: 120_000,
}, async () => {
  const flow = await openFlow(folder, AS_OF);
  try {
    const status = await runPipeline(flow);
    expect(status).toMatchObject({ parsed: ORDER.length, index_days_held: 0, done: true });
    expect(await statesOf(flow)).toEqual(['done', 'done']);
    const imported = await filingsIn(flow.db).distinct('_id', { dataSet: { $exists: true } });
    expect(imported.sort()).toEqual(summer.map(({ header }) => header.accession).sort());
    expect(flow.edgar.requests().byKind.submission).toBe(ORDER.length - summer.length);
    expect(await indexStatus(flow.db)).toMatchObject({ index_alarms: [] });
  } finally {
    await flow.close();
  }
});

test('days wait for their data sets through a stop and a damaged download, which the status explains', {
  tags: ['long'],
  timeout: 120_000,
}, async () => {
  const flow = await openFlow(folder, AS_OF);
  const { context, close } = await openStages(flow);
  const zip = join(folder.dir, INSIDER_ZIP);
  const whole = await readFile(zip);
  try {
    await JOBS.backfill(context, { slot: 1 });
    const { left = [], held = [] } = (await backfillState(flow.db)) ?? {};
    expect(held.every((day) => day >= '2018-07-01' && day <= '2018-09-30')).toBe(true);
    expect(left.some((day) => held.includes(day))).toBe(false);
    expect(await context.producer.load(['bulk'])).toBe(1);
    expect((await indexStatus(flow.db)).index_alarms).toEqual([]);
    // However long the import takes, no brief rests on half of what it brings.
    const later = (hours: number) => ({ ...context, now: () => new Date(Date.now() + hours * 3_600_000) });
    await JOBS.dispatch(later(1), { slot: 1 });
    expect(await publishedCorpus(flow.db)).toBeNull();

    const stopped = { ...context, stopping: AbortSignal.abort() };
    await expect(JOBS.bulk(stopped, { slot: 1 })).rejects.toMatchObject({ code: 'stopped', retry: true });
    const waiting = await tidemark(flow.world, 'status');
    expect(waiting.stdout).toContain('data set 2018q3_form13f: waiting');
    expect(waiting.stdout).toContain('tidemark work --queues bulk');
    expect(waiting.stdout).toContain('no worker of the group bulk is running');

    // What fails by no fault of EDGAR is noted too, and tried again with the job.
    const full = () => Promise.reject(new Error('no space left on device'));
    const crowded = { ...context, edgar: { ...context.edgar, saveDataSet: full } };
    await expect(JOBS.bulk(crowded, { slot: 1 })).rejects.toMatchObject({ retry: true });
    expect(await statesOf(flow)).toEqual(['importing', 'importing']);
    const failures = await tidemark(flow.world, 'failures', 'list');
    expect(failures.stderr).toMatch(/data set 2018q3_form13f: \w+: .+/);

    await writeFile(zip, Buffer.from(whole).fill(0xff, 60, Math.floor(whole.length / 2)));
    await expect(JOBS.bulk(context, { slot: 1 })).rejects.toMatchObject({ code: 'data_sets_failed' });
    expect(await statesOf(flow)).toEqual(['stored', 'importing']);
    expect((await backfillState(flow.db))?.held).toEqual(held);
    // Nobody waits for a set that cannot be had.
    await JOBS.dispatch(later(1), { slot: 2 });
    // What follows has as long to settle as everything else.
    expect([await publishedCorpus(flow.db), await statesOf(flow)]).toEqual([null, ['done', 'importing']]);
    await JOBS.dispatch(later(2), { slot: 3 });
    expect(await publishedCorpus(flow.db)).not.toBeNull();
    const alarmed = await tidemark(flow.world, 'status');
    expect(alarmed.stdout).toMatch(/ALARM data set 2018q3_form345 edgar_malformed: .+/);
    expect(alarmed.stdout).toContain('tidemark backfill form4 --from 2018Q3 --to 2018Q3 --resume');

    await writeFile(zip, whole);
    await JOBS.bulk(context, { slot: 1 });
    expect(await statesOf(flow)).toEqual(['done', 'stored']);
    await JOBS.backfill(context, { slot: 2 });
    expect(await backfillState(flow.db)).toMatchObject({ held: [], dataSets: [] });
    expect((await tidemark(flow.world, 'status')).stdout).not.toContain('data set');
  } finally {
    await writeFile(zip, whole);
    await close();
    await flow.close();
  }
});

test('days of a data set that is not published are read one by one', async () => {
  const flow = await openFlow(folder, AS_OF);
  const { context, close } = await openStages(flow);
  try {
    for (const name of SETS) await noteUnpublished(flow.db, name, context.now().toISOString());
    await JOBS.backfill(context, { slot: 1 });
    expect(await backfillState(flow.db)).toMatchObject({ held: [], dataSets: [] });
  } finally {
    await close();
    await flow.close();
  }
}, 60_000);
