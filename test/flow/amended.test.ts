import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { verifyEvidence } from '../../src/domain/brief/verify.ts';
import type { SearchEntry } from '../../src/domain/search/entry.ts';
import { readHoldings } from '../../src/store/report/holdings.ts';
import { reportsIn } from '../../src/store/report/reports.ts';
import { opened } from '../opened.ts';
import { type Flow, openFlow, runPipeline } from './flow.ts';
import { openFolder } from './folder.ts';
import { ADDED, AUTUMN, addedAutumn, RESTATED, restatedSummer, SPRING, SUMMER } from './greenlight.ts';
import { openReader } from './reader.ts';
import { type Shown, shownIn } from './shown.ts';

const BERKSHIRE = '0000950123-18-011885'; // 2018-09-30
const GREENLIGHT_CIK = '0001079114';
const APPLE = '037833100';
const GM = '37045V100';
const AS_OF = '2018-11-30';
/** Before the reports of autumn, after the restatement of summer. */
const SEPTEMBER = '2018-09-14';

const folder = opened(() =>
  openFolder({
    accessions: [SPRING, SUMMER, AUTUMN, BERKSHIRE],
    symbols: ['AAPL', 'GM', 'BRKB'],
  }),
);
const flow = opened(() => openFlow(folder, AS_OF));
let before: State;
let amended: State;
/** The as-of date of the flow. */
let day: string;

beforeAll(async () => {
  await runPipeline(flow);
  before = await stateOf(flow);
  await folder.add(`${RESTATED}.txt`, await restatedSummer());
  await folder.add(`${ADDED}.txt`, await addedAutumn());
  await flow.edgar.rescan();
  await turnTo(AS_OF);
  amended = await stateOf(flow);
}, 300_000);
const reader = opened(() => openReader(flow));

// A test may turn the as-of date back.
beforeEach(() => turnTo(AS_OF), 120_000);

async function turnTo(asOf: string): Promise<void> {
  if (day === asOf) return;
  await runPipeline(flow, { asOf });
  day = asOf;
}

type Listed = {
  readonly brief_id: string;
  readonly superseded_reason: string | null;
  readonly superseded_evidence_ids: readonly string[];
};

type Held = Map<string, { readonly quarterEnd: string; readonly holders: number }>;
type State = { readonly shown: Shown; readonly held: Held };

async function stateOf({ db }: Flow): Promise<State> {
  return { shown: await shownIn(db), held: await heldIn(db) };
}

/** By definition, from the rows that `/funds/{cik}/holdings` shows: managers by CUSIP, in its latest quarter. */
async function heldIn(db: Flow['db']): Promise<Held> {
  const latest: Held = new Map();
  for (const report of await reportsIn(db).find().sort({ quarterEnd: 1 }).toArray()) {
    const rows = await readHoldings(db, report, { from: 0, count: Number(report.rowTotal) });
    for (const { cusip, shares, quality } of rows) {
      if (shares === '0' || quality.status === 'excluded') continue;
      const known = latest.get(cusip);
      const isSame = known?.quarterEnd === report.quarterEnd;
      latest.set(cusip, { quarterEnd: report.quarterEnd, holders: isSame ? known.holders + 1 : 1 });
    }
  }
  return latest;
}

const entriesOf = ({ shown }: State): SearchEntry[] =>
  Object.values(shown.search).flatMap(({ entries }) => entries);
const find = async (query: string) => (await reader.get(`/search?${query}`)).body.data.results;
const first = async (query: string) => (await find(query))[0];

function expectRightHolders(state: State): void {
  const securities = entriesOf(state).flatMap((entry) => (entry.type === 'holding' ? [entry] : []));
  const counted: Held = new Map(
    securities.map(({ cusip, latestQuarterEnd, holders }) => [
      cusip,
      { quarterEnd: latestQuarterEnd, holders },
    ]),
  );
  expect(counted).toEqual(state.held);
  expect(securities.length).toBeGreaterThan(20);
}

async function holdingsOf(year: number, quarter: number) {
  const { body } = await reader.get(`/funds/1079114/holdings?year=${year}&quarter=${quarter}&limit=500`);
  return body.data;
}

const rowIn = (data: { holdings: { cusip: string }[] }, cusip: string) =>
  data.holdings.find((row) => row.cusip === cusip);

describe('a restatement', () => {
  test('replaces the original in the diff of its own quarter (rule 2.8)', async () => {
    const data = await holdingsOf(2018, 2);
    expect(data.filing).toMatchObject({ accession_number: RESTATED, form_type: '13F-HR/A' });
    // Spring 22,614,400; the original had 21,160,843, the restatement has a million more.
    expect(rowIn(data, GM)).toMatchObject({
      shares: '22160843',
      share_delta: '-453557',
      change_type: 'REDUCED',
    });
    // Spring 628,100 Apple; the restatement has none.
    expect(rowIn(data, APPLE)).toMatchObject({ change_type: 'EXITED', share_delta: '-628100' });
    expect(rowIn(data, GM)).toMatchObject({ evidence_ids: [`sec:13f:${RESTATED}`, `sec:13f:${SPRING}`] });
  });

  test('changes the diff of the quarter after it (rule 2.8)', async () => {
    // 14,881,043 - 22,160,843; against the original it was -6,279,800.
    expect(rowIn(await holdingsOf(2018, 3), GM)).toMatchObject({ share_delta: '-7279800' });
  });

  test('is named by the filing that it replaces', async () => {
    const { body } = await reader.get('/funds/1079114');
    const named = Object.fromEntries(
      body.data.filings.map((filing: { accession_number: string; superseded_by: string | null }) => [
        filing.accession_number,
        filing.superseded_by,
      ]),
    );
    expect(named).toEqual({
      [ADDED]: null,
      [AUTUMN]: null,
      [RESTATED]: null,
      [SUMMER]: RESTATED,
      [SPRING]: null,
    });
  });
});

type Change = { readonly fund: { readonly cik: string }; readonly evidence_ids: string[] };
const greenlightsIn = (brief: { institutional: { changes: Change[] } }) =>
  brief.institutional.changes.find(({ fund }) => fund.cik === GREENLIGHT_CIK);

describe('new holdings', () => {
  test('are added to the rows of the original (rule 2.8)', async () => {
    const data = await holdingsOf(2018, 3);
    // 20 positions of the original and the one that was added.
    expect(data.filing).toMatchObject({ holdings_count: 21, accession_number: ADDED });
    expect(rowIn(data, APPLE)).toMatchObject({
      change_type: 'NEW',
      shares: '500000',
      value_cents: '11287000000',
      prior_shares: '0',
    });
  });

  test('change the brief, its evidence, its time of publication and its id (rule 2.8)', async () => {
    const { body } = await reader.get('/stocks/AAPL/capital-change-brief');
    const change = greenlightsIn(body.data);
    expect(change).toMatchObject({
      action: 'initiated',
      current_shares: '500000',
      published_at: { value: '2018-11-20T14:30:00Z', precision: 'second' },
      amendment: { is_amendment: true, amendment_type: 'new_holdings' },
    });
    expect(change?.evidence_ids).toEqual(expect.arrayContaining([`sec:13f:${ADDED}`, `sec:13f:${AUTUMN}`]));
    expect(body.data.brief_id).not.toBe(before.shown.briefs['AAPL']);
    const gm = (await reader.get('/stocks/GM/capital-change-brief')).body.data;
    expect(greenlightsIn(gm)).toMatchObject({ action: 'reduced', share_delta: '-7279800' });
    expect(gm.brief_id).not.toBe(before.shown.briefs['GM']);
  });

  test('name the brief that they replaced, the amendment, and its whole evidence (rules 8.10 and 11.11)', async () => {
    const { data: shown } = (await reader.get('/stocks/AAPL/capital-change-brief')).body;
    const { briefs } = (await reader.get('/stocks/AAPL/briefs')).body.data;
    expect(briefs.find((one: { superseded: boolean }) => !one.superseded)).toMatchObject({
      ...{ facts_id: shown.facts_id, outcome: shown.outcome, as_of: shown.insiders.window_end },
      ...{ brief_id: null, superseded_reason: null },
    });
    // Each of the two amendments may have had a brief of its own, in either order.
    const replaced: Listed[] = briefs.filter((one: Listed) => one.superseded_reason === 'amendment');
    expect(replaced.flatMap((one) => one.superseded_evidence_ids)).toContain(`sec:13f:${ADDED}`);
    for (const { brief_id } of [shown, ...replaced]) {
      const { body: stored } = await reader.get(`/briefs/${brief_id}`);
      const { body: page } = await reader.get(`/briefs/${brief_id}/evidence?limit=500`);
      expect(verifyEvidence(stored, [page])).toEqual({ ok: true, problems: [] });
    }
  });
});

describe('the search index', () => {
  test('finds funds, managers that reports include, persons and securities', async () => {
    expect(await first('q=berkshire+hathaway')).toMatchObject({ type: 'fund', latest_quarter: '2018Q3' });
    expect(await first('q=geico&type=managers')).toMatchObject({ fund: { cik: '0001067983' } });
    expect(await first('q=einhorn')).toMatchObject({ type: 'manager', fund: { cik: GREENLIGHT_CIK } });
    expect(await first('q=AAPL')).toMatchObject({
      cusip: APPLE,
      issuer: 'APPLE INC',
      latest_quarter_end: '2018-09-30',
      holders_count: 2,
      matched_on: 'ticker',
    });
    // The reports say GENERAL MTRS CO.
    expect(await first('q=general+motors')).toMatchObject({ cusip: GM, ticker: 'GM', matched_on: 'name' });
    expect(await first('q=genral+motors')).toMatchObject({ cusip: GM, matched_on: 'spelling' });
  });

  test('every security held has the holders of the latest quarter in which it is held', () => {
    expectRightHolders(before);
    expectRightHolders(amended);
  });

  test('amendments change what they change', () => {
    const text = (entry: SearchEntry) => JSON.stringify(entry);
    const known = new Set(entriesOf(before).map(text));
    const changed = entriesOf(amended).filter((entry) => !known.has(text(entry)));
    const isGreenlights = ({ id }: SearchEntry) => id.startsWith(GREENLIGHT_CIK);
    // The supplement of autumn holds Apple too, which adds to what Greenlight manages.
    expect(changed.filter((entry) => !isGreenlights(entry)).map(({ id }) => id)).toEqual([APPLE]);
    expect(changed.filter(isGreenlights).map(({ id }) => id)).toContain(GREENLIGHT_CIK);
    expect(changed.find(({ id }) => id === APPLE)).toMatchObject({ holders: 2 });
  });

  test('on a day before the reports of autumn it shows summer, and no fund without a line', {
    tags: ['long'],
    timeout: 120_000,
  }, async () => {
    await turnTo(SEPTEMBER);
    expectRightHolders(await stateOf(flow));
    const gm = { latest_quarter_end: '2018-06-30', holders_count: 1 };
    await expect.poll(() => first('q=GM')).toMatchObject(gm);
    await expect.poll(() => find('q=berkshire&type=funds')).toEqual([]);
    expect(await find('q=geico')).toEqual([]);
  });
});

test('amendments that are there from the start give the same ids, bytes and search index (rule 2.8)', {
  tags: ['long'],
  timeout: 300_000,
}, async () => {
  const fresh = await openFlow(folder, AS_OF);
  try {
    await runPipeline(fresh);
    const once = await shownIn(fresh.db);
    expect(amended.shown.reports).toEqual(once.reports);
    expect(amended.shown).toEqual(once);
  } finally {
    await fresh.close();
  }
});
