import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Flow, openFlow, runPipeline } from './flow.ts';
import { corpusText, type Folder, openFolder } from './folder.ts';
import { ADDED, AUTUMN, addedAutumn, SPRING, SUMMER } from './greenlight.ts';
import { openReader, type Reader } from './reader.ts';

/** Of Berkshire's, one not filed before the last day of the filing window, 2018-11-14. */
const BERKSHIRE = ['0000950123-18-005732', '0000950123-18-008866', '0000950123-18-011885'];
const SYMBOLS = ['AAPL', 'GM', 'GS', 'KO', 'WFC', 'AXP', 'DAL', 'PSX', 'VRSN', 'BHF', 'TWTR', 'MYL', 'CC'];

let folder: Folder;
let flow: Flow;
let reader: Reader;

beforeAll(async () => {
  folder = await openFolder({ accessions: [...BERKSHIRE, SPRING, SUMMER], symbols: SYMBOLS });
  flow = await openFlow(folder, '2018-11-14');
  await runPipeline(flow);
  reader = await openReader(flow);
}, 300_000);

afterAll(async () => {
  await reader?.close();
  await flow?.close();
  await folder?.remove();
});

type Counted = { ticker: string; holders_count: number; latest_quarter_end: string };

/** Undefined of a security that nobody held in any quarter. */
async function searched(ticker: string): Promise<Counted | undefined> {
  const { results } = (await reader.get(`/search?q=${ticker}&type=holdings`)).body.data;
  return results.find((found: Counted) => found.ticker === ticker);
}

const stocked = async (path: string) => (await reader.get(`/stocks/${path}`)).body.data;

/** As `/stocks` counts now; a security that nobody holds any more, in the quarter that search names. */
async function countedByStocks(ticker: string, found: Counted | undefined): Promise<number> {
  const { holders } = (await stocked(ticker)).totals;
  if (holders > 0 || found === undefined) return holders;
  const [year, month] = found.latest_quarter_end.split('-').map(Number);
  return (await stocked(`${ticker}?year=${year}&quarter=${(month ?? 0) / 3}`)).totals.holders;
}

async function expectCountsOfStocks(): Promise<void> {
  for (const ticker of SYMBOLS) {
    const both = async () => {
      const found = await searched(ticker);
      const [search, stocks] = [found?.holders_count ?? 0, await countedByStocks(ticker, found)];
      return search === stocks ? 'equal' : { ticker, search, stocks };
    };
    await expect.poll(both, { timeout: 5_000 }).toBe('equal');
  }
}

test('while the window is open holders are those of /stocks, carried forward where it carries', async () => {
  expect(await stocked('AAPL')).toMatchObject({ latest_quarter_filing_window: 'open', counts: { stale: 1 } });
  await expectCountsOfStocks();
  expect(await searched('AAPL')).toMatchObject({ holders_count: 2, latest_quarter_end: '2018-09-30' });
  expect(await searched('GM')).toMatchObject({ holders_count: 2, latest_quarter_end: '2018-09-30' });
  // Greenlight alone holds it.
  expect(await searched('TWTR')).toMatchObject({ holders_count: 1, latest_quarter_end: '2018-06-30' });
});

test('once it is closed who has not reported the quarter holds nothing in it', async () => {
  await runPipeline(flow, { asOf: '2018-11-15' });
  expect(await stocked('AAPL')).toMatchObject({ latest_quarter_filing_window: 'closed' });
  await expectCountsOfStocks();
  expect(await searched('AAPL')).toMatchObject({ holders_count: 1, latest_quarter_end: '2018-09-30' });
}, 300_000);

test('a manager that reports is carried forward no more', async () => {
  await runPipeline(flow, { asOf: '2018-11-14' });
  await expectCountsOfStocks();
  await folder.add(`${AUTUMN}.txt`, await corpusText(AUTUMN));
  await flow.edgar.rescan();
  await runPipeline(flow, { asOf: '2018-11-14' });
  // Greenlight has sold its Apple.
  expect(await stocked('AAPL')).toMatchObject({ totals: { holders: 1 }, counts: { stale: 0, exited: 1 } });
  await expectCountsOfStocks();
}, 300_000);

test('a supplement without the report that it adds to makes no holder, as in /stocks', async () => {
  const alone = await openFolder({ accessions: BERKSHIRE.slice(2), symbols: ['AAPL'] });
  await alone.add(`${ADDED}.txt`, await addedAutumn());
  const other = await openFlow(alone, '2018-11-30');
  await runPipeline(other);
  const open = await openReader(other);
  try {
    const { totals, owners } = (await open.get('/stocks/AAPL')).body.data;
    expect(owners).toHaveLength(2);
    expect(totals.holders).toBe(1);
    const [apple] = (await open.get('/search?q=AAPL&type=holdings')).body.data.results;
    expect(apple).toMatchObject({ holders_count: 1 });
  } finally {
    await open.close();
    await other.close();
    await alone.remove();
  }
}, 300_000);
