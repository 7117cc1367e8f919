import { beforeAll, describe, expect, test } from 'vitest';
import type { PipelineStatus } from '../../src/derive/corpus/status.ts';
import { verifyBrief } from '../../src/domain/brief/verify.ts';
import { opened } from '../opened.ts';
import { openFlow, runPipeline } from './flow.ts';
import { openFolder } from './folder.ts';
import { openReader } from './reader.ts';

const BERKSHIRE = '/funds/1067983';
const GREENLIGHT = '/funds/1079114';
const APPLE = '037833100';
const GM = '37045V100';

/** Berkshire's reports by period, then Greenlight's, then Form 4 of Tesla and Facebook. */
const ACCESSIONS = [
  '0000950123-16-015025', // 2015-12-31
  '0000950123-16-017295', // 2016-03-31
  '0000950123-16-020120', // 2016-06-30
  '0000950123-16-022377', // 2016-09-30
  '0000950123-17-002417', // 2016-12-31
  '0000950123-17-005259', // 2017-03-31
  '0000950123-18-008866', // 2018-06-30
  '0000950123-18-011885', // 2018-09-30
  '0001140361-14-007900', // 2013-12-31
  '0001140361-14-021646', // 2014-03-31
  '0001079114-18-000009', // 2018-06-30
  '0001079114-18-000013', // 2018-09-30
  '0001494730-18-000005', // Musk buys Tesla
  '0001127602-18-024167', // Thiel sells Facebook
];

const folder = opened(() => openFolder({ accessions: ACCESSIONS, symbols: ['AAPL', 'GM', 'TSLA', 'FB'] }));
const flow = opened(() => openFlow(folder, '2018-11-30'));
let status: PipelineStatus;

beforeAll(async () => {
  status = await runPipeline(flow);
}, 300_000);
const reader = opened(() => openReader(flow));

const briefOf = async (ticker: string) =>
  (await reader.get(`/stocks/${ticker}/capital-change-brief`)).body.data;

async function rowOf(fund: string, [year, quarter]: readonly [number, number], cusip: string) {
  const { body } = await reader.get(`${fund}/holdings?year=${year}&quarter=${quarter}&limit=500`);
  return body.data.holdings.find((row: { cusip: string }) => row.cusip === cusip);
}

describe('a folder of real filings of both forms', () => {
  test('is ingested whole: every filing, every row, one event for each Form 4', () => {
    expect(status).toMatchObject({ filings_13f: 12, filings_form4: 2, quarantined: 0, events: 2 });
    // <tableEntryTotal> of the twelve covers, all of them right: Berkshire 154 + 148 + 158 + 144 +
    // 148 + 142 + 150 + 168, Greenlight 119 + 127 + 92 + 63.
    expect(status.holdings_rows).toBe(1_212 + 401);
  });

  test('answers the institutional leg of a brief with both managers and their evidence', async () => {
    const { institutional, insiders, outcome, evidence } = await briefOf('AAPL');
    expect(institutional.changes).toMatchObject([
      {
        fund: { cik: '0001067983' },
        action: 'added',
        current_shares: '252478779',
        previous_shares: '251955877',
        share_delta: '522902',
        pct_delta: 0.2075,
        // Line 395 and ten more: 56,994,561 thousand dollars.
        current_value_usd: 56_994_561_000,
        evidence_ids: ['sec:13f:0000950123-18-011885', 'sec:13f:0000950123-18-008866'],
      },
      { fund: { cik: '0001079114' }, action: 'exited', current_shares: '0', share_delta: '-142100' },
    ]);
    expect(institutional.counts).toEqual({
      initiated: 0,
      added: 1,
      reduced: 0,
      exited: 1,
      unchanged: 0,
      baseline_only: 0,
    });
    // 522,902 up and 142,100 down: the net is 57 % of the gross.
    expect(institutional.stance).toBe('net_increases');
    expect(insiders.stance).toBe('none_found');
    expect(outcome).toBe('partial');
    expect(evidence).toHaveLength(4);
    expect(evidence.map((item: { raw_hash: string }) => item.raw_hash)).toContain(
      // SHA-256 of the file 0000950123-18-011885.txt, as its provenance has it.
      'sha256:ffaa83576d5d0bff372666a3a5a9859ae33ff950988cc46ead4dc36b2f93e647',
    );
  });

  test('weighs two opposite changes of one quarter', async () => {
    const { institutional } = await briefOf('GM');
    // Greenlight 21,160,843 → 14,881,043; Berkshire 51,393,611 → 52,461,411.
    expect(institutional.changes).toMatchObject([
      { fund: { cik: '0001079114' }, action: 'reduced', share_delta: '-6279800', pct_delta: -29.6765 },
      { fund: { cik: '0001067983' }, action: 'added', share_delta: '1067800', pct_delta: 2.0777 },
    ]);
    expect(institutional.stance).toBe('net_decreases');
  });

  test('answers the insider leg of a purchase in eight rows with footnoted prices', async () => {
    const { insiders, institutional } = await briefOf('TSLA');
    expect(insiders).toMatchObject({ stance: 'net_buying', window_start: '2018-06-03' });
    expect(insiders.counts).toEqual({
      buys: 8,
      sells: 0,
      distinct_buyers: 1,
      distinct_sellers: 0,
      priced: 8,
      unpriced: 0,
    });
    const shares = insiders.transactions.map((item: { shares: string }) => Number(item.shares));
    expect(shares.reduce((sum: number, n: number) => sum + n, 0)).toBe(72_500);
    const first = insiders.transactions.find((item: { shares: string }) => item.shares === '37023');
    // 37,023 at 342.775 is 12,690,558.825, half-even; footnote F1 says that it is an average.
    expect(first).toMatchObject({ price_per_share: '342.775', value_usd: 12_690_558.82, side: 'buy' });
    expect(JSON.stringify(first.footnotes)).toContain('weighted average price');
    expect(first.quality).toEqual({ status: 'clear', reasons: ['weighted_average_price'] });
    expect(institutional.stance).toBe('none_found');
  });

  test('shows eight of seventeen sales and counts all of them', async () => {
    const { insiders, manifest } = await briefOf('FB');
    expect(insiders.counts).toMatchObject({ buys: 0, sells: 17, distinct_sellers: 1 });
    expect(insiders).toMatchObject({ stance: 'net_selling' });
    expect(insiders.transactions).toHaveLength(8);
    expect(manifest.quality.form4_truncated).toBe(true);
  });

  test('serves briefs whose ids hold when they are recomputed offline', async () => {
    for (const ticker of ['AAPL', 'GM', 'TSLA', 'FB']) {
      expect(verifyBrief(await briefOf(ticker))).toMatchObject({ ok: true });
    }
  });
});

describe("Berkshire's Apple position, rows of one CUSIP summed", () => {
  // Each row of cusip 037833100 in the filings, <sshPrnamt> and <value> in thousands.
  test.each([
    // Line 346: one row, 9,811,747 shares; line 344: 1,069,382. None at 2015-12-31.
    [
      2016,
      1,
      { change_type: 'NEW', shares: '9811747', share_delta: '9811747', pct_delta: 100 },
      '106938200000',
    ],
    // Lines 346, 363, 380, 397: 82,500 + 10,193,747 + 4,644,105 + 307,350.
    [2016, 2, { change_type: 'ADDED', shares: '15227702', share_delta: '5415955' }, '145576800000'],
    // Lines 380 to 431: 1,084,300 + 10,193,747 + 3,642,305 + 307,350, spread otherwise, the same sum.
    [2016, 3, { change_type: 'HELD', shares: '15227702', share_delta: '0', pct_delta: 0 }, '172149200000'],
    // Ten rows from line 377.
    [2016, 4, { change_type: 'ADDED', shares: '57359652', share_delta: '42131950' }, '664339400000'],
    // Ten rows from line 394.
    [2017, 1, { change_type: 'ADDED', shares: '129357106', share_delta: '71997454' }, '1858344100000'],
    // Eleven rows from line 394.
    [2018, 3, { change_type: 'ADDED', shares: '252478779', share_delta: '522902' }, '5699456100000'],
  ])('%i Q%i', async (year, quarter, row, valueCents) => {
    expect(await rowOf(BERKSHIRE, [year, quarter], APPLE)).toMatchObject({ ...row, value_cents: valueCents });
  });

  test('is a baseline where the quarter before is missing', async () => {
    const { body } = await reader.get(`${BERKSHIRE}/holdings?year=2018&quarter=2&limit=500`);
    expect(body.data.filing).toMatchObject({ comparison_available: false, prior_quarter_end: null });
    expect(body.data.filing.quality.reasons).toContain('no_prior_comparable_filing');
    // 44 different CUSIPs in 150 rows; nothing is exited without a comparison.
    expect(body.data.holdings).toHaveLength(44);
    expect(await rowOf(BERKSHIRE, [2018, 2], APPLE)).toMatchObject({
      change_type: 'NEW',
      shares: '251955877',
      prior_shares: '0',
    });
  });
});

describe("Greenlight's exits", () => {
  test('an exited position has minus its prior count as its change', async () => {
    // 2018-06-30: 64,984 + 38,076 + 38,680 + 360 shares, 26,304 thousand dollars; no row at 2018-09-30.
    expect(await rowOf(GREENLIGHT, [2018, 3], APPLE)).toMatchObject({
      change_type: 'EXITED',
      shares: '0',
      value_cents: '0',
      share_delta: '-142100',
      pct_delta: -100,
      prior_value_cents: '2630400000',
    });
    // 2013-12-31, lines 953 to 1003: 10,849,667 + 2,384,669 + 3,669,264 + 143,739; no row at 2014-03-31.
    expect(await rowOf(GREENLIGHT, [2014, 1], GM)).toMatchObject({
      change_type: 'EXITED',
      share_delta: '-17047339',
    });
  });

  test('the fourteen exits of a quarter come after all positions held, the largest first', async () => {
    const { body } = await reader.get(`${GREENLIGHT}/holdings`);
    const { filing, holdings, pagination } = body.data;
    expect(filing).toMatchObject({ quarter_end: '2018-09-30', holdings_count: 20 });
    // 20 held: 5 new, 2 added, 7 reduced, 6 unchanged; and 14 exits.
    expect(pagination.total).toBe(34);
    const exits = holdings.slice(20).map((row: { cusip: string }) => row.cusip);
    // Mylan 247,885 thousand, Twitter 70,029, Conduent 27,972, Apple 26,304 … Venator 2,148.
    expect(exits.slice(0, 4)).toEqual(['N59465109', '90184L102', '206787103', APPLE]);
    expect(exits.at(-1)).toBe('G9329Z100');
    expect(holdings.slice(0, 3)).toMatchObject([
      { cusip: '10922N103', shares: '11580000', value_cents: '51230000000' },
      { cusip: GM, shares: '14881043', value_cents: '50104500000' },
      { cusip: '392709101', shares: '24118668', value_cents: '24359800000' },
    ]);
  });

  test('the options of a report are counted apart and are not positions', async () => {
    const { body } = await reader.get(`${GREENLIGHT}/holdings?year=2014&quarter=1&limit=500`);
    // 127 rows, of them 4 with <putCall>: calls on Apple (line 404) and Lorillard (1389, 1406, 1424),
    // 45,891 + 41,685 + 9,302 + 13,953 thousand; 40 CUSIPs in the other 123.
    expect(body.data.filing.excluded.options).toEqual({ rows: 2, value_cents: '11083100000' });
    expect(body.data.filing.holdings_count).toBe(40);
  });
});

describe('the list of funds', () => {
  test('is ordered by the equity of the latest report', async () => {
    const { body } = await reader.get('/funds');
    expect(body.data).toMatchObject([
      // Sum of <value> over 168 rows and over 63: 221,020,177 and 2,368,304 thousand dollars.
      { cik: '0001067983', aum_cents: '22102017700000', latest_quarter: '2018Q3', holdings_count: 46 },
      { cik: '0001079114', aum_cents: '236830400000', latest_quarter: '2018Q3', holdings_count: 20 },
    ]);
  });

  test('a fund names its filings, the newest first, with the hour of New York as UTC', async () => {
    const { body } = await reader.get(BERKSHIRE);
    expect(body.data.filings.map((filing: { quarter_end: string }) => filing.quarter_end)).toEqual([
      ...['2018-09-30', '2018-06-30', '2017-03-31', '2016-12-31'],
      ...['2016-09-30', '2016-06-30', '2016-03-31', '2015-12-31'],
    ]);
    // <ACCEPTANCE-DATETIME> 20181114160459 in winter time, 20180814160208 in summer time.
    expect(body.data.filings[0].filed_at).toBe('2018-11-14T21:04:59Z');
    expect(body.data.filings[1].filed_at).toBe('2018-08-14T20:02:08Z');
  });
});
