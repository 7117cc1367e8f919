import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { opened } from '../opened.ts';
import { openFlow, runPipeline } from './flow.ts';
import { openFolder } from './folder.ts';
import { openReader, type Reader } from './reader.ts';

const ACCESSIONS = [
  '0001000097-20-000004', // Kingdon 2019-12-31: options and a bond
  '0001178913-20-000417', // Migdal 2019-12-31: a notice
  '0000807249-20-000018', // four reporting owners buy Braves, filed in January
  '0000807249-20-000027',
  '0000807249-20-000071', // the same four, filed in March
  '0001214659-20-002786', // Fair Isaac: a weighted average price
  '0001106191-14-000018', // GMT 2014-03-31: prefix n1, CUSIPs in lower case and short
  '0001619124-21-000002', // ACTIAM 2020-12-31: prefix ns1
  '0001790837-23-000002', // Bull Street 2022-12-31: filed in 2023, still in thousands
  '0001894188-23-000007', // LTS One 2023-09-30: dollars
  '0001079973-25-000129', // Pro-Dex, sold under a plan
];

const SYMBOLS = ['BATRA', 'BATRK', 'FWONA', 'FWONK', 'LSXMA', 'LSXMB', 'LSXMK', 'FICO', 'PDEX'];

const folder = opened(() => openFolder({ accessions: ACCESSIONS, symbols: SYMBOLS }));
const flow = opened(() => openFlow(folder, '2020-03-31'));
let reader: Reader;
// biome-ignore lint/suspicious/noExplicitAny: a test reads whatever the wire holds
let spring2020: Record<string, any>;

const briefOf = async (ticker: string) =>
  (await reader.get(`/stocks/${ticker}/capital-change-brief`)).body.data;

async function holdingsOf(cik: number, period: string) {
  const { body } = await reader.get(`/funds/${cik}/holdings?${period}&limit=500`);
  const rows = new Map(body.data.holdings.map((row: { cusip: string }) => [row.cusip, row]));
  return { filing: body.data.filing, rows, total: body.data.pagination.total };
}

beforeAll(async () => {
  await runPipeline(flow);
  reader = await openReader(flow);
  spring2020 = { BATRA: await briefOf('BATRA'), FICO: await briefOf('FICO') };
  await reader.close();
  await runPipeline(flow, { asOf: '2025-03-31' });
  reader = await openReader(flow);
}, 300_000);

afterAll(async () => {
  await reader?.close();
});

describe('Form 4', () => {
  test('four reporting owners on one form are one transaction and one buyer, over all their forms', () => {
    const { insiders } = spring2020['BATRA'];
    // 1,000 at 29.25 on 01-22, 1,200 at 29.55 on 01-24, 4,000 at 15.50 on 03-18.
    expect(insiders.transactions).toMatchObject([
      { transaction_date: '2020-03-18', shares: '4000', price_per_share: '15.5', value_usd: 62_000 },
      { transaction_date: '2020-01-24', shares: '1200', price_per_share: '29.55', value_usd: 35_460 },
      { transaction_date: '2020-01-22', shares: '1000', price_per_share: '29.25', value_usd: 29_250 },
    ]);
    for (const { owners } of insiders.transactions) {
      expect(owners.map((owner: { cik: string }) => owner.cik).sort()).toEqual([
        ...['0000807249', '0001185533', '0001238894', '0001642122'],
      ]);
    }
    expect(insiders.counts).toMatchObject({ buys: 3, distinct_buyers: 1, sells: 0, priced: 3 });
  });

  test('is dated by the hour of New York, in winter and in summer time', () => {
    const times = spring2020['BATRA'].insiders.transactions.map(
      (item: { filed_at: string }) => item.filed_at,
    );
    // <ACCEPTANCE-DATETIME> 20200319161025 is four hours behind UTC, 20200127160600 and …23160444 five.
    expect(times).toEqual(['2020-03-19T20:10:25Z', '2020-01-27T21:06:00Z', '2020-01-23T21:04:44Z']);
  });

  test('a price with a footnote keeps the number and the footnote', () => {
    const trades = spring2020['FICO'].insiders.transactions;
    const [average] = trades.filter((item: { shares: string }) => item.shares === '375');
    // Lines 121 to 125: 375 at 190.51 with F1; 71,441.25 dollars.
    expect(average).toMatchObject({ price_per_share: '190.51', value_usd: 71_441.25, priced: true });
    expect(average.quality.reasons).toContain('weighted_average_price');
    expect(JSON.stringify(average.footnotes)).toContain('F1');
  });

  test('a plan that only a footnote names is reported as a mention, not as a fact', async () => {
    const { insiders } = await briefOf('PDEX');
    // 1,436 at 41.44 with F2 (line 224), 835 at 42.00 (line 184); F1 names Rule 10b5-1.
    expect(insiders.transactions).toMatchObject([
      { shares: '1436', price_per_share: '41.44', value_usd: 59_507.84, side: 'sell' },
      { shares: '835', price_per_share: '42.00', value_usd: 35_070 },
    ]);
    for (const item of insiders.transactions) {
      expect(item.quality.reasons).toContain('footnote_mentions_10b5_1');
    }
    expect(insiders.counts).toMatchObject({ sells: 2, distinct_sellers: 1 });
  });
});

describe('Form 13F', () => {
  test('a notice is neither an exit nor an empty portfolio: it names who reports', async () => {
    const { status, body } = await reader.get('/funds/1727574/holdings?year=2019&quarter=4');
    expect(status).toBe(404);
    expect(body).toMatchObject({
      error: 'holdings_reported_elsewhere',
      managers: [
        {
          name: 'Migdal Insurance & Financial Holdings Ltd.',
          cik: '0001415912',
          form13f_file_number: '028-17312',
        },
      ],
    });
  });

  test('options and bonds are counted apart from the shares of the same issuer', async () => {
    const { filing, rows } = await holdingsOf(1_000_097, 'year=2019&quarter=4');
    // 55 rows: 45 shares; 9 with <putCall>, 131,566 thousand; 1 PRN (KemPharm), 1,230 thousand.
    expect(filing.excluded).toEqual({
      options: { rows: 9, value_cents: '13156600000' },
      principal: { rows: 1, value_cents: '123000000' },
    });
    expect(filing.holdings_count).toBe(45);
    // Athenex: 1,150,000 shares, 17,561 thousand; a call on 150,000 more is not among them.
    expect(rows.get('04685N103')).toMatchObject({ shares: '1150000', value_cents: '1756100000' });
    // ARQULE is held as a call only, KemPharm as a bond only.
    expect(rows.has('04269E107')).toBe(false);
    expect(rows.has('488445AB3')).toBe(false);
  });

  test('a table is found under any namespace prefix', async () => {
    const actiam = await holdingsOf(1_619_124, 'year=2020&quarter=4');
    expect(actiam.filing.holdings_count).toBe(5);
    // Line 113: 1,733,777 shares, 230,054 thousand.
    expect(actiam.rows.get('037833100')).toMatchObject({ shares: '1733777', value_cents: '23005400000' });
    const gmt = await holdingsOf(1_106_191, 'year=2014&quarter=1');
    expect(gmt.total).toBe(86);
    // Line 130 has 90138a103, line 114 has 2171573: upper case, and nine characters.
    expect(gmt.rows.get('90138A103')).toMatchObject({ shares: '207000', value_cents: '594100000' });
    expect(gmt.rows.get('002171573')).toMatchObject({ shares: '7370380' });
  });

  test('values are thousands before 2023-01-03 by filing date, and dollars from then on', async () => {
    const lts = await holdingsOf(1_894_188, 'year=2023&quarter=3');
    // Line 113: <value>17479000</value> for 137,500 shares of Amazon, dollars.
    expect(lts.rows.get('023135106')).toMatchObject({ shares: '137500', value_cents: '1747900000' });
    // ACTIAM, filed in 2021: <value>152059</value> for 46,688, thousands.
    const actiam = await holdingsOf(1_619_124, 'year=2020&quarter=4');
    expect(actiam.rows.get('023135106')).toMatchObject({ shares: '46688', value_cents: '15205900000' });
  });

  test('thousands in a filing of 2023 are marked and never rescaled without a note', async () => {
    const { filing, rows } = await holdingsOf(1_790_837, 'year=2022&quarter=4');
    // Line 115: <value>287</value> for 2,397 shares of 3M: twelve cents a share, if they were dollars.
    expect(rows.get('88579Y101')).toMatchObject({ shares: '2397', value_cents: '28700' });
    expect(filing.quality.reasons).toContain('value_unit_unverified');
  });
});
