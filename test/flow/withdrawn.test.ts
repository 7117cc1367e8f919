import { afterAll, beforeAll, expect, test } from 'vitest';
import { JOBS } from '../../jobs/index.ts';
import type { JobContext } from '../../jobs/worker/context.ts';
import { pipelineStatus } from '../../src/derive/corpus/status.ts';
import { withdrawReport } from '../../src/derive/report/writer.ts';
import type { Cik, QuarterEnd, Ticker } from '../../src/domain/ids.ts';
import { listPending } from '../../src/store/invalidation/invalidations.ts';
import { briefsIn, currentBriefsIn } from '../../src/store/publish/briefs.ts';
import { publishedCorpus } from '../../src/store/publish/corpus.ts';
import { reportsIn } from '../../src/store/report/reports.ts';
import { type Flow, openFlow, openStages, runPipeline } from './flow.ts';
import { corpusText, type Folder, openFolder } from './folder.ts';
import { AUTUMN, SUMMER } from './greenlight.ts';

const EARLY = '0000999999-18-000001';
const HOUR_MS = 3_600_000;

let folder: Folder;

beforeAll(async () => {
  folder = await openFolder({ accessions: [SUMMER, AUTUMN], symbols: 'all' });
  await folder.add(`${EARLY}.txt`, await earlyReport());
});

afterAll(() => folder?.remove());

/** Greenlight's autumn report as of another manager, of GM only and four weeks earlier. */
async function earlyReport(): Promise<string> {
  return (await corpusText(AUTUMN))
    .replaceAll(AUTUMN, EARLY)
    .replaceAll('1079114', '0999999')
    .replaceAll('GREENLIGHT CAPITAL INC', 'EARLY BIRD CAPITAL INC')
    .replace(/<ACCEPTANCE-DATETIME>\d+/, '<ACCEPTANCE-DATETIME>20181019120000')
    .replace(/(FILED AS OF DATE:\s*)\d+/, '$120181019')
    .replaceAll(/<infoTable>.*?<\/infoTable>/gs, (row) => (row.includes('37045V100') ? row : ''));
}

/** Tickers whose brief names the report of autumn. */
async function tickersOfAutumn({ db }: Flow): Promise<string[]> {
  const heads = await currentBriefsIn(db).find().toArray();
  const naming: string[] = [];
  for (const { _id, briefId } of heads) {
    const brief = await briefsIn(db).findOne({ _id: briefId });
    if (Buffer.from(brief?.body.buffer ?? []).includes(AUTUMN)) naming.push(_id);
  }
  return naming;
}

async function runBriefs(context: JobContext): Promise<void> {
  for (const { key, version } of await listPending(context.db, 'brief', 1_000)) {
    await JOBS.brief(context, { ticker: key as Ticker, version: Number(version) });
  }
}

async function runReports(context: JobContext): Promise<void> {
  for (const { key, version } of await listPending(context.db, 'report', 1_000)) {
    const [cik, quarterEnd] = key.split('|') as [Cik, QuarterEnd];
    await JOBS.diff(context, { cik, quarterEnd, version: Number(version) });
  }
}

/** A worker whose day goes back to before the report of autumn, hours after the last publication. */
async function goingBack(flow: Flow, beforeReports: () => Promise<void>): Promise<void> {
  await runPipeline(flow);
  expect((await tickersOfAutumn(flow)).length).toBeGreaterThan(5);
  const at = new Date(Date.now() - HOUR_MS).toISOString();
  await flow.db.collection('corpus').updateOne({}, { $set: { at } });
  const pipeline = await openStages(flow, { asOf: '2018-11-01' });
  try {
    // Published while the report is still there, and every brief is built with it.
    await JOBS.dispatch(pipeline.context, { slot: 1 });
    expect((await publishedCorpus(flow.db))?.corpus.asOf).toBe('2018-11-01');
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
    const flow = await openFlow(folder, '2018-11-30');
    try {
      await goingBack(flow, async () => {
        if (!crashed) return;
        const report = await reportsIn(flow.db).findOne({ 'newest.accession': AUTUMN });
        if (report === null) throw new Error('no report of autumn');
        await withdrawReport(flow.db, report, 1_000);
      });
      expect((await pipelineStatus(flow.db)).done).toBe(false);
      // Without a crash the securities of the report are known, and nothing waits for the corpus.
      const marked = (await listPending(flow.db, 'brief', 1_000)).map(({ key }) => key);
      if (!crashed) expect(marked).toEqual(expect.arrayContaining(await tickersOfAutumn(flow)));
      expect((await runPipeline(flow, { asOf: '2018-11-01' })).done).toBe(true);
      expect(await tickersOfAutumn(flow)).toEqual([]);
    } finally {
      await flow.close();
    }
  },
  300_000,
);
