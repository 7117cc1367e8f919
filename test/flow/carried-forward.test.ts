import { afterAll, beforeAll, expect, test } from 'vitest';
import { opened } from '../opened.ts';
import { type Flow, openFlow, runPipeline } from './flow.ts';
import { openFolder } from './folder.ts';
import {
  AMC_NEW,
  APPLE,
  addQuarters,
  EARLY,
  heldIn,
  JUNE,
  LATE,
  MANAGERS,
  REPORTS,
  SEPTEMBER,
  SYMBOLS,
} from './peers-quarter.ts';
import { openReader } from './reader.ts';
import { cikOf } from './synthetic.ts';

const folder = opened(() => openFolder({ accessions: [], symbols: SYMBOLS }));
let flow: Flow;

/** A split needs five votes. */
const FIVE_IN_TIME = REPORTS.map((report) =>
  report.manager === 5 && report.filed === LATE ? { ...report, filed: EARLY } : report,
);

/** Five of eight managers have filed. Apple is split and AMC has a new CUSIP; the others do not show it yet. */
beforeAll(async () => {
  await addQuarters(folder, FIVE_IN_TIME);
  flow = await openFlow(folder, '2023-11-02');
  await runPipeline(flow);
}, 300_000);
const reader = opened(() => openReader(flow));

afterAll(async () => {
  await flow?.close();
});

const sharesOf = (place: number): number =>
  MANAGERS.reduce((sum, manager) => sum + (heldIn(SEPTEMBER, manager)[place]?.shares ?? 0), 0);

test('a manager that has not filed yet is counted in shares after the split (rule 7.2)', async () => {
  const { body } = await reader.get('/stocks/AAPL');
  expect(body.data.counts.stale).toBe(3);
  expect(body.data.totals).toMatchObject({ holders: 8, shares: String(sharesOf(0)) });
});

test('a manager that has not filed yet is found under the former CUSIP (rule 7.2)', async () => {
  const { body } = await reader.get('/stocks/AMC');
  expect(body.data.entity.cusip).toBe(AMC_NEW);
  expect(body.data.counts).toMatchObject({ unchanged: 5, baseline_only: 3, stale: 3 });
  expect(body.data.totals).toMatchObject({ holders: 8 });
  // A fraction of a share is rounded: no later report shows the exact count.
  expect(Math.abs(Number(body.data.totals.shares) - sharesOf(1))).toBeLessThanOrEqual(3);
  const brief = await reader.get('/stocks/AMC/capital-change-brief');
  expect(brief.body.data.institutional.tracked_managers_observed).toBe(8);
  const groups = brief.body.data.quality_artifacts.groups as { reason: string; observation_count: number }[];
  expect(groups.find(({ reason }) => reason === 'cusip_changed')?.observation_count).toBe(8);
});

test('a holding has the ticker of the security under its old CUSIP too (rule 3.9)', async () => {
  const { body } = await reader.get(`/funds/${cikOf(8)}/holdings`);
  expect(body.data.filing.quarter_end).toBe(JUNE);
  const tickers = body.data.holdings.map(({ ticker }: { ticker: string | null }) => ticker).sort();
  expect(tickers).toEqual(['AAPL', 'AMC', 'GM', 'JPM']);
  expect(body.data.holdings.some(({ cusip }: { cusip: string }) => cusip === APPLE)).toBe(true);
});
