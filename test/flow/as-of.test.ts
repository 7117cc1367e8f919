import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Flow, openFlow, runPipeline } from './flow.ts';
import { type Folder, openFolder } from './folder.ts';
import { type Shown, shownIn } from './shown.ts';

const ACCESSIONS = [
  '0000950123-18-005732', // Berkshire 2018-03-31, filed 2018-05-15
  '0000950123-18-008866', // 2018-06-30, filed 2018-08-14
  '0000950123-18-011885', // 2018-09-30, filed 2018-11-14
  '0001079114-18-000009', // Greenlight 2018-06-30, filed 2018-08-14
  '0001079114-18-000013', // 2018-09-30, filed 2018-11-14
  '0001494730-18-000005', // Musk, filed 2018-06-13
  '0001494727-18-000003', // Musk, filed 2018-11-09
  '0001127602-18-024167', // Thiel, filed 2018-07-31
];
const SUMMER = '2018-08-31';
const AUTUMN = '2018-11-30';

let folder: Folder;
const flows: Flow[] = [];

beforeAll(async () => {
  // JPM and ORCL are new in autumn: in summer nothing names them but the reference files.
  folder = await openFolder({ accessions: ACCESSIONS, symbols: ['AAPL', 'GM', 'TSLA', 'FB', 'JPM', 'ORCL'] });
});

afterAll(async () => {
  for (const flow of flows) await flow.close();
  await folder?.remove();
});

async function open(asOf: string): Promise<Flow> {
  const flow = await openFlow(folder, asOf);
  flows.push(flow);
  return flow;
}

async function showing(flow: Flow, asOf: string): Promise<Shown> {
  const status = await runPipeline(flow, { asOf });
  expect(status.as_of).toBe(asOf);
  return shownIn(flow.db);
}

test('history replayed in one database gives the ids of a fresh one, forward and back', async () => {
  const flow = await open(SUMMER);
  const summer = await showing(flow, SUMMER);
  // Berkshire 2018-03-31 and 06-30, Greenlight 06-30: what was filed after the day does not exist yet.
  expect(Object.keys(summer.reports)).toEqual([
    '0001067983|2018-03-31',
    '0001067983|2018-06-30',
    '0001079114|2018-06-30',
  ]);
  const autumn = await showing(flow, AUTUMN);
  const fresh = await showing(await open(AUTUMN), AUTUMN);
  expect(autumn).toEqual(fresh);
  expect(autumn.briefs['AAPL']).not.toBe(summer.briefs['AAPL']);

  const back = await showing(flow, SUMMER);
  expect(back.reports).toEqual(summer.reports);
  expect(back.funds).toEqual(summer.funds);
  expect(back.briefs).toMatchObject(summer.briefs);
}, 300_000);
