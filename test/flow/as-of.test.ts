// @module-tag long

import { afterAll, beforeAll, expect, test } from 'vitest';
import { JOBS } from '../../jobs/index.ts';
import { partOfReport } from '../../jobs/pending/units.ts';
import type { JobContext } from '../../jobs/worker/context.ts';
import { pipelineStatus } from '../../src/derive/corpus/status.ts';
import { withdrawReport } from '../../src/derive/report/compare-reports.ts';
import type { Ticker } from '../../src/domain/ids.ts';
import { currentBrief } from '../../src/read/brief/brief.ts';
import { listPending } from '../../src/store/invalidation/invalidation.ts';
import { publishedCorpus } from '../../src/store/publish/corpus.ts';
import { currentBriefsIn } from '../../src/store/publish/current-briefs.ts';
import { reportsIn } from '../../src/store/report/reports.ts';
import { opened } from '../opened.ts';
import { type Flow, openFlow, openStages, runPipeline } from './flow.ts';
import { corpusText, openFolder } from './folder.ts';
import { AUTUMN as GREENLIGHT_AUTUMN } from './greenlight.ts';
import { type Shown, shownIn } from './shown.ts';

const ACCESSIONS = [
  '0000950123-18-005732', // Berkshire 2018-03-31, filed 2018-05-15
  '0000950123-18-008866', // 2018-06-30, filed 2018-08-14
  '0000950123-18-011885', // 2018-09-30, filed 2018-11-14
  '0001079114-18-000009', // Greenlight 2018-06-30, filed 2018-08-14
  GREENLIGHT_AUTUMN, // 2018-09-30, filed 2018-11-14
  '0001494730-18-000005', // Musk, filed 2018-06-13
  '0001494727-18-000003', // Musk, filed 2018-11-09
  '0001127602-18-024167', // Thiel, filed 2018-07-31
];
const EARLY_BIRD = '0000999999-18-000001'; // constructed: 2018-09-30, filed 2018-10-19
const SYMBOLS = [
  // JPM and ORCL are new in autumn: in summer nothing names them but the reference files.
  ...['AAPL', 'GM', 'TSLA', 'FB', 'JPM', 'ORCL'],
  // Held by Greenlight in autumn.
  ...['BHF', 'GRBK', 'AABA', 'CNX', 'VOYA', 'TPX'],
];
const SUMMER = '2018-08-31';
const BEFORE_REPORTS = '2018-11-01';
const AUTUMN = '2018-11-30';
const HOUR_MS = 3_600_000;

const folder = opened(() => openFolder({ accessions: ACCESSIONS, symbols: SYMBOLS }));
let flow: Flow;
let fresh: Shown;

beforeAll(async () => {
  await folder.add(`${EARLY_BIRD}.txt`, await earlyReport());
  flow = await openFlow(folder, AUTUMN);
  fresh = await showing(flow, AUTUMN);
}, 300_000);

afterAll(async () => {
  await flow?.close();
});

/** Greenlight's autumn report as of another manager, of GM only and four weeks earlier. */
async function earlyReport(): Promise<string> {
  return (await corpusText(GREENLIGHT_AUTUMN))
    .replaceAll(GREENLIGHT_AUTUMN, EARLY_BIRD)
    .replaceAll('1079114', '0999999')
    .replaceAll('GREENLIGHT CAPITAL INC', 'EARLY BIRD CAPITAL INC')
    .replace(/<ACCEPTANCE-DATETIME>\d+/, '<ACCEPTANCE-DATETIME>20181019120000')
    .replace(/(FILED AS OF DATE:\s*)\d+/, '$120181019')
    .replaceAll(/<infoTable>.*?<\/infoTable>/gs, (row) => (row.includes('37045V100') ? row : ''));
}

async function showing(of: Flow, asOf: string): Promise<Shown> {
  const status = await runPipeline(of, { asOf });
  expect(status.as_of).toBe(asOf);
  return shownIn(of.db);
}

test('history replayed in one database gives the ids of a fresh one, forward and back', async () => {
  const replayed = await openFlow(folder, SUMMER);
  try {
    const summer = await showing(replayed, SUMMER);
    // Berkshire 2018-03-31 and 06-30, Greenlight 06-30: what was filed after the day does not exist yet.
    expect(Object.keys(summer.reports)).toEqual([
      '0001067983|2018-03-31',
      '0001067983|2018-06-30',
      '0001079114|2018-06-30',
    ]);
    const autumn = await showing(replayed, AUTUMN);
    expect(autumn).toEqual(fresh);
    expect(autumn.briefs['AAPL']).not.toBe(summer.briefs['AAPL']);

    const back = await showing(replayed, SUMMER);
    expect(back.reports).toEqual(summer.reports);
    expect(back.funds).toEqual(summer.funds);
    expect(back.briefs).toMatchObject(summer.briefs);
  } finally {
    await replayed.close();
  }
}, 300_000);

/** Tickers whose brief names Greenlight's report of autumn. */
async function tickersOfAutumn(): Promise<string[]> {
  const naming: string[] = [];
  for (const { _id } of await currentBriefsIn(flow.db).find().toArray()) {
    const { body } = await currentBrief(flow.db, _id, () => new Date());
    if (body.includes(GREENLIGHT_AUTUMN)) naming.push(_id);
  }
  return naming;
}

async function runBriefs(context: JobContext): Promise<void> {
  for (const { key, version } of await listPending(context.db, 'brief', 1_000)) {
    await JOBS.brief(context, { ticker: key as Ticker, version: Number(version) });
  }
}

async function runReports(context: JobContext): Promise<void> {
  for (const { key } of await listPending(context.db, 'report', 1_000)) {
    await JOBS.diff(context, { part: partOfReport(key), at: 0 });
  }
}

/** A worker whose day goes back to before the reports of autumn, hours after the last publication. */
async function goBack(beforeReports: () => Promise<void>): Promise<void> {
  await runPipeline(flow, { asOf: AUTUMN });
  expect((await tickersOfAutumn()).length).toBeGreaterThan(5);
  const at = new Date(Date.now() - HOUR_MS).toISOString();
  await flow.db.collection('corpus').updateOne({}, { $set: { at } });
  const pipeline = await openStages(flow, { asOf: BEFORE_REPORTS });
  try {
    // Published while the report is still there, and every brief is built with it.
    await JOBS.dispatch(pipeline.context, { slot: 1 });
    expect((await publishedCorpus(flow.db))?.corpus.asOf).toBe(BEFORE_REPORTS);
    await runBriefs(pipeline.context);
    await beforeReports();
    await runReports(pipeline.context);
  } finally {
    await pipeline.close();
  }
}

test.each([
  ['withdrawn by the comparison', false],
  ['that a comparison withdrew before it crashed', true],
])(
  'no brief names a report %s, although the corpus was published before',
  async (_, crashed) => {
    await goBack(async () => {
      if (!crashed) return;
      const report = await reportsIn(flow.db).findOne({ 'newest.accession': GREENLIGHT_AUTUMN });
      if (report === null) throw new Error('no report of autumn');
      await withdrawReport(flow.db, report, 1_000);
    });
    expect((await pipelineStatus(flow.db)).done).toBe(false);
    // Without a crash the securities of the report are known, and nothing waits for the corpus.
    const marked = (await listPending(flow.db, 'brief', 1_000)).map(({ key }) => key);
    if (!crashed) expect(marked).toEqual(expect.arrayContaining(await tickersOfAutumn()));
    expect((await runPipeline(flow, { asOf: BEFORE_REPORTS })).done).toBe(true);
    expect(await tickersOfAutumn()).toEqual([]);
  },
  300_000,
);
