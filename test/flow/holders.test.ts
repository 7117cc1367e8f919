import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Flow, openFlow, runPipeline } from './flow.ts';
import { type Folder, openFolder } from './folder.ts';
import { openReader, type Reader } from './reader.ts';

/** On the last day of the filing window Berkshire has reported 2018-09-30 and Greenlight has not. */
const ACCESSIONS = [
  '0000950123-18-005732', // Berkshire, 2018-03-31
  '0000950123-18-008866', // 2018-06-30
  '0000950123-18-011885', // 2018-09-30, filed 2018-11-14
  '0001079114-18-000008', // Greenlight, 2018-03-31
  '0001079114-18-000009', // 2018-06-30
];
const SYMBOLS = [
  'AAPL',
  'GM',
  'GS',
  'KO',
  'WFC',
  'AXP',
  'DAL',
  'PSX',
  'USB',
  'VRSN',
  'BHF',
  'TWTR',
  'MYL',
  'CC',
];

let folder: Folder;
let flow: Flow;
let reader: Reader;

beforeAll(async () => {
  folder = await openFolder({ accessions: ACCESSIONS, symbols: SYMBOLS });
  flow = await openFlow(folder, '2018-11-14');
  await runPipeline(flow);
  reader = await openReader(flow);
}, 300_000);

afterAll(async () => {
  await reader?.close();
  await flow?.close();
  await folder?.remove();
});

type Owner = Record<string, unknown> & {
  fund: { cik: string };
  quarter_end: string;
  stale: boolean;
  quality: { status: string };
};

const holdersOf = async (path: string) => (await reader.get(`/stocks/${path}`)).body.data;

describe('the owners of a stock, from real filings', () => {
  test.each(SYMBOLS)('%s: counts and evidence are those of its brief', async (ticker) => {
    const { counts, owners, quarter_end, latest_quarter_filing_window } = await holdersOf(ticker);
    const { institutional, coverage, manifest } = (await reader.get(`/stocks/${ticker}/capital-change-brief`))
      .body.data;
    const { stale, ...actions } = counts;
    expect(actions).toEqual(institutional.counts);
    expect(owners).toHaveLength(institutional.tracked_managers_observed);
    expect(quarter_end).toBe(institutional.latest_reported_quarter_end);
    expect(latest_quarter_filing_window).toBe(coverage.thirteen_f.latest_quarter_filing_window);
    expect(owners.filter((owner: Owner) => owner.stale)).toHaveLength(stale);
    for (const change of institutional.changes) {
      const owner = owners.find((one: Owner) => one.fund.cik === change.fund.cik);
      const { fund, quarter_end, share_delta, pct_delta, published_at, quality, evidence_ids } = change;
      expect(owner).toMatchObject({
        fund,
        quarter_end,
        share_delta,
        pct_delta,
        published_at,
        quality,
        evidence_ids,
      });
      expect(owner.shares).toBe(change.current_shares);
    }
    const cited = owners.flatMap((owner: Owner) => owner['evidence_ids']);
    expect(manifest.evidence_ids).toEqual(expect.arrayContaining(cited));
  });

  test('a row is the row of that report in the holdings of its fund', async () => {
    for (const ticker of ['AAPL', 'GM', 'GS', 'TWTR']) {
      const { entity, owners } = await holdersOf(ticker);
      for (const owner of owners as Owner[]) {
        const [year, month] = owner.quarter_end.split('-').map(Number);
        const path = `/funds/${owner.fund.cik}/holdings?year=${year}&quarter=${(month ?? 0) / 3}&limit=500`;
        const rows = (await reader.get(path)).body.data.holdings;
        const row = rows.find((one: { cusip: string }) => one.cusip === entity.cusip);
        const { shares, value_cents, weight_pct, change_type, share_delta, pct_delta, quality } = row;
        expect(owner).toMatchObject({
          shares,
          value_cents,
          weight_pct,
          change_type,
          share_delta,
          pct_delta,
          quality,
        });
      }
    }
  });

  test('Greenlight is carried forward by its June report while the window is open (rule 7.1)', async () => {
    const { owners, totals, counts } = await holdersOf('AAPL');
    expect(owners).toMatchObject([
      // 252,478,779 shares for 56,994,561 thousand dollars, of 221,020,177 thousand in all.
      { fund: { cik: '0001067983' }, quarter_end: '2018-09-30', stale: false, weight_pct: 25.787 },
      // 64,984 + 38,076 + 38,680 + 360 shares, 26,304 thousand dollars.
      { fund: { cik: '0001079114' }, quarter_end: '2018-06-30', stale: true, shares: '142100' },
    ]);
    expect(counts.stale).toBe(1);
    expect(totals).toEqual({
      holders: 2,
      shares: String(252_478_779 + 142_100),
      value_cents: String((56_994_561 + 26_304) * 100_000),
    });
  });

  test('by name a quarter has only its own reports', async () => {
    const september = await holdersOf('AAPL?year=2018&quarter=3');
    expect(september).toMatchObject({
      quarter_end: '2018-09-30',
      totals: { holders: 1 },
      counts: { stale: 0 },
    });
    const march = await holdersOf('AAPL?year=2018&quarter=1');
    expect(march).toMatchObject({ quarter_end: '2018-03-31', counts: { baseline_only: 2, stale: 0 } });
  });
});
