import { afterAll, beforeAll, expect, test } from 'vitest';
import { listLine } from '../../src/edgar/reference/security-list.sample.ts';
import { opened } from '../opened.ts';
import { type Flow, openFlow, runPipeline } from './flow.ts';
import { openFolder } from './folder.ts';
import { AMC_NEW, AMC_OLD, MANAGERS, REPORTS, SEPTEMBER } from './peers-quarter.ts';
import { openReader, type Reader } from './reader.ts';
import { addSynthetic, cikOf, type SyntheticReport } from './synthetic.ts';

/** Manager 20 files calls under the class's own CUSIP without saying so, and one CUSIP with a wrong digit. */
const HOLDER = 20;
const CALLS = '037833900';
const WRONG_DIGIT = '594918105';
const LIST = [
  listLine('037833100', ['APPLE INC', 'COM'], { mark: '*' }),
  listLine(CALLS, ['APPLE INC', 'CALL']),
  listLine('037833950', ['APPLE INC', 'PUT']),
  ...Array.from({ length: 120 }, () => listLine('46625H100', ['JPMORGAN CHASE & CO', 'COM'])),
  listLine(WRONG_DIGIT, ['MICROSOFT CORP', 'COM']),
].join('\n');

const folder = opened(() => openFolder({ accessions: [], symbols: ['AAPL'] }));
let flow: Flow;
let reader: Reader;

type Row = { readonly cusip: string; readonly quality: { readonly reasons: string[] } };
const holdings = async (manager: number) => {
  const { body } = await reader.get(`/funds/${cikOf(manager)}/holdings?year=2023&quarter=3&limit=500`);
  return body.data.holdings as Row[];
};

/** The new CUSIP with the counts of the old one: no fails file names it. */
const renamedOnly = (report: SyntheticReport): SyntheticReport => ({
  ...report,
  rows: report.rows.map((row) => (row.cusip === AMC_NEW ? { ...row, shares: 50_005 + report.manager } : row)),
});

const FAILS = ['SETTLEMENT DATE|CUSIP|SYMBOL|QUANTITY (FAILS)|DESCRIPTION|PRICE'];

beforeAll(async () => {
  const rows = [...FAILS, `20230801|${AMC_OLD}|AMC|1000|AMC ENTERTAINMENT HLDGS CL A|4.00`];
  await folder.add('fails/cnsfails202308a.txt', [...rows, 'Trailer record count 1', ''].join('\n'));
  const row = (issuer: string, cusip: string) => ({ issuer, cusip, shares: 1_000, value: 100_000 });
  await addSynthetic(folder, [
    ...REPORTS.map(renamedOnly),
    {
      manager: HOLDER,
      quarterEnd: SEPTEMBER,
      filed: '2023-11-14',
      rows: [
        row('APPLE INC', CALLS),
        row('MICROSOFT CORP', WRONG_DIGIT),
        row('GENERAL MTRS CO', '37045V100'),
      ],
    },
  ]);
  flow = await openFlow(folder, '2023-11-30');
  await runPipeline(flow);
  reader = await openReader(flow);
}, 240_000);

afterAll(async () => {
  await reader?.close();
  await flow?.close();
});

test('a ticker whose sources name the old CUSIP is judged by the new one that its holders have (rules 3.9 and 4.8)', {
  tags: ['long'],
}, async () => {
  const { body } = await reader.get('/stocks/AMC/capital-change-brief');
  const { institutional } = body.data;
  expect(JSON.stringify(body.data)).toContain(AMC_NEW);
  expect(institutional.counts).toMatchObject({ unchanged: MANAGERS.length, exited: 0, initiated: 0 });
});

test('a list that comes after the reports makes an option of a class and a share of a listed CUSIP (rule 3.2)', {
  tags: ['long'],
  timeout: 240_000,
}, async () => {
  const before = await holdings(HOLDER);
  expect(before.map(({ cusip }) => cusip).sort()).toEqual([CALLS, '37045V100', WRONG_DIGIT].sort());
  expect(before.find(({ cusip }) => cusip === WRONG_DIGIT)?.quality.reasons).toContain(
    'cusip_checksum_failed',
  );
  await reader.close();
  await folder.add('lists/13flist2023q3.txt', LIST);
  await folder.add('lists/13flist2023q2.txt', 'cut');
  // Answered as a page, so it is no document: neither this nor the cut one holds up the others.
  await folder.add('lists/13flist2023q1.txt', '<!DOCTYPE html><html>Moved</html>');
  await flow.edgar.rescan();
  await runPipeline(flow);
  reader = await openReader(flow);
  const after = await holdings(HOLDER);
  expect(after.map(({ cusip }) => cusip).sort()).toEqual(['37045V100', WRONG_DIGIT].sort());
  expect(after.find(({ cusip }) => cusip === WRONG_DIGIT)?.quality.reasons).not.toContain(
    'cusip_checksum_failed',
  );
});
