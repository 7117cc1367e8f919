import { afterAll, beforeAll, expect, test } from 'vitest';
import type { SearchEntry } from '../../src/domain/search/entry.ts';
import { readPart } from '../../src/store/publish/search-index.ts';
import { SEARCH_PARTS } from '../../src/store/publish/search-parts.ts';
import { readHoldings } from '../../src/store/report/holdings.ts';
import { reportsIn } from '../../src/store/report/reports.ts';
import { type Flow, openFlow, runPipeline } from './flow.ts';
import { type Folder, openFolder } from './folder.ts';
import { ADDED, AUTUMN, addedAutumn, RESTATED, restatedSummer, SUMMER } from './greenlight.ts';
import { openReader, type Reader } from './reader.ts';

const BERKSHIRE = '0000950123-18-011885';
const GM = '37045V100';
const APPLE = '037833100';

let folder: Folder;
let flow: Flow;
let reader: Reader;

beforeAll(async () => {
  folder = await openFolder({ accessions: [SUMMER, AUTUMN, BERKSHIRE], symbols: ['AAPL', 'GM', 'BRKB'] });
  flow = await openFlow(folder, '2018-11-30');
  await runPipeline(flow);
  reader = await openReader(flow);
}, 300_000);

afterAll(async () => {
  await reader?.close();
  await flow?.close();
  await folder?.remove();
});

const find = async (query: string) => (await reader.get(`/search?${query}`)).body.data.results;
const first = async (query: string) => (await find(query))[0];

async function entries(): Promise<SearchEntry[]> {
  const parts = await Promise.all(SEARCH_PARTS.map((part) => readPart(flow.db, part)));
  return parts.flatMap((part) => part?.entries ?? []);
}

/** By definition, from the rows that `/funds/{cik}/holdings` shows: managers by CUSIP and quarter. */
async function holdersShown(): Promise<Map<string, { quarterEnd: string; holders: number }>> {
  const latest = new Map<string, { quarterEnd: string; holders: number }>();
  for (const report of await reportsIn(flow.db).find().sort({ quarterEnd: 1 }).toArray()) {
    const rows = await readHoldings(flow.db, report, { from: 0, count: Number(report.rowTotal) });
    for (const { cusip, shares, quality } of rows) {
      if (shares === '0' || quality.status === 'excluded') continue;
      const known = latest.get(cusip);
      const isSame = known?.quarterEnd === report.quarterEnd;
      latest.set(cusip, { quarterEnd: report.quarterEnd, holders: isSame ? known.holders + 1 : 1 });
    }
  }
  return latest;
}

async function expectRightHolders(): Promise<void> {
  const securities = (await entries()).flatMap((entry) => (entry.type === 'holding' ? [entry] : []));
  const counted = new Map<string, { quarterEnd: string; holders: number }>(
    securities.map(({ cusip, latestQuarterEnd, holders }) => [
      cusip,
      { quarterEnd: latestQuarterEnd, holders },
    ]),
  );
  expect(counted).toEqual(await holdersShown());
  expect(securities.length).toBeGreaterThan(20);
}

test('funds, managers that reports include, persons and securities are found', async () => {
  expect(await first('q=berkshire+hathaway')).toMatchObject({ type: 'fund', latest_quarter: '2018Q3' });
  expect(await first('q=geico&type=managers')).toMatchObject({ fund: { cik: '0001067983' } });
  expect(await first('q=einhorn')).toMatchObject({ type: 'manager', fund: { cik: '0001079114' } });
  expect(await first('q=AAPL')).toMatchObject({
    cusip: APPLE,
    issuer: 'APPLE INC',
    latest_quarter_end: '2018-09-30',
    holders_count: 1,
    matched_on: 'ticker',
  });
  // The reports say GENERAL MTRS CO.
  expect(await first('q=general+motors')).toMatchObject({ cusip: GM, ticker: 'GM', matched_on: 'name' });
  expect(await first('q=genral+motors')).toMatchObject({ cusip: GM, matched_on: 'spelling' });
});

test('every security held has the holders of the latest quarter in which it is held', expectRightHolders);

test('amendments change what they change, and the index is that of all filings at once', async () => {
  const version = (entry: SearchEntry | undefined) => JSON.stringify(entry);
  const before = new Map((await entries()).map((entry) => [`${entry.type}:${entry.id}`, version(entry)]));
  await folder.add(`${RESTATED}.txt`, await restatedSummer());
  await folder.add(`${ADDED}.txt`, await addedAutumn());
  await flow.edgar.rescan();
  await runPipeline(flow);
  const after = await entries();
  const changed = after.filter((entry) => before.get(`${entry.type}:${entry.id}`) !== version(entry));
  // The supplement of autumn holds Apple too, which adds to what Greenlight manages.
  const [others, ofGreenlight] = [false, true].map((is) =>
    changed.filter((entry) => entry.id.startsWith('0001079114') === is).map((entry) => entry.id),
  );
  expect(others).toEqual([APPLE]);
  expect(ofGreenlight).toContain('0001079114');
  expect(changed.find((entry) => entry.id === APPLE)).toMatchObject({ holders: 2 });
  await expectRightHolders();
  const fresh = await openFlow(folder, '2018-11-30');
  try {
    await runPipeline(fresh);
    for (const part of SEARCH_PARTS) {
      expect((await readPart(fresh.db, part))?.digest).toBe((await readPart(flow.db, part))?.digest);
    }
  } finally {
    await fresh.close();
  }
}, 300_000);

test('a day before the reports of autumn shows summer, and no fund that has no line any more', async () => {
  await runPipeline(flow, { asOf: '2018-09-14' });
  await expectRightHolders();
  expect(await first('q=GM')).toMatchObject({ latest_quarter_end: '2018-06-30', holders_count: 1 });
  await expect.poll(() => find('q=berkshire&type=funds'), { timeout: 5_000 }).toEqual([]);
  expect(await find('q=geico')).toEqual([]);
}, 300_000);
