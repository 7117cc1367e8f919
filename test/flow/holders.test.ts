import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { opened } from '../opened.ts';
import { type Flow, openFlow, runPipeline } from './flow.ts';
import { corpusText, type Folder, openFolder } from './folder.ts';
import { ADDED, AUTUMN, addedAutumn, SPRING, SUMMER } from './greenlight.ts';
import { openReader, type Reader } from './reader.ts';

/** On the last day of the filing window Berkshire has reported 2018-09-30 and Greenlight has not. */
const OPEN = '2018-11-14';
const CLOSED = '2018-11-15';
/** Of 2018-03-31, 06-30 and 09-30; the last was filed on 2018-11-14. */
const BERKSHIRE = ['0000950123-18-005732', '0000950123-18-008866', '0000950123-18-011885'];
const SYMBOLS = [
  ...['AAPL', 'GM', 'GS', 'KO', 'WFC', 'AXP', 'DAL'],
  ...['PSX', 'USB', 'VRSN', 'BHF', 'TWTR', 'MYL', 'CC'],
];

const folder = opened(() => openFolder({ accessions: [...BERKSHIRE, SPRING, SUMMER], symbols: SYMBOLS }));
const flow = opened(() => openFlow(folder, OPEN));
/** The as-of date of the flow. */
let day = OPEN;

beforeAll(() => runPipeline(flow), 300_000);
const reader = opened(() => openReader(flow));

// A test may change the as-of date.
beforeEach(() => turnTo(OPEN), 120_000);

async function turnTo(asOf: string): Promise<void> {
  if (day === asOf) return;
  await runPipeline(flow, { asOf });
  day = asOf;
}

type Owner = Record<string, unknown> & {
  fund: { cik: string };
  quarter_end: string;
  stale: boolean;
  quality: { status: string };
};

const holdersOf = async (path: string, from = reader) => (await from.get(`/stocks/${path}`)).body.data;

describe('the holders of a stock, from real filings', () => {
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

  test('the history of a stock is that of each quarter alone (rule 7.7)', async () => {
    await turnTo(CLOSED);
    for (const ticker of SYMBOLS.slice(0, 5)) {
      const ask = async () => (await reader.get(`/stocks/${ticker}/history?quarters=12`)).body.data.quarters;
      const quarters = await ask();
      for (const { quarter_end, holders, shares, value_cents, counts } of quarters) {
        const [year, month] = quarter_end.split('-').map(Number);
        const own = await holdersOf(`${ticker}?year=${year}&quarter=${month / 3}`);
        expect([
          { holders, shares, value_cents },
          { ...counts, stale: 0 },
        ]).toEqual([own.totals, own.counts]);
      }
      const { institutional } = (await reader.get(`/stocks/${ticker}/capital-change-brief`)).body.data;
      expect(quarters).toHaveLength(3);
      const { counts, stance, totals } = institutional;
      const { net_share_delta } = totals;
      expect(quarters[0]).toMatchObject({ counts, stance, net_share_delta });
      expect(await ask()).toEqual(quarters);
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

  test('a quarter asked for by name has only its own reports', async () => {
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

type Counted = { ticker: string; holders_count: number; latest_quarter_end: string };

/** Undefined of a security that no manager held in any quarter. */
async function searched(ticker: string, from = reader): Promise<Counted | undefined> {
  const { results } = (await from.get(`/search?q=${ticker}&type=holdings`)).body.data;
  return results.find((found: Counted) => found.ticker === ticker);
}

/** As `/stocks` counts now; a security that no manager holds any more, in the quarter that search names. */
async function countedByStocks(ticker: string, found: Counted | undefined, from: Reader): Promise<number> {
  const { holders } = (await holdersOf(ticker, from)).totals;
  if (holders > 0 || found === undefined) return holders;
  const [year, month] = found.latest_quarter_end.split('-').map(Number);
  return (await holdersOf(`${ticker}?year=${year}&quarter=${(month ?? 0) / 3}`, from)).totals.holders;
}

async function expectCountsOfStocks(from = reader): Promise<void> {
  for (const ticker of SYMBOLS) {
    const both = async () => {
      const found = await searched(ticker, from);
      const [search, stocks] = [found?.holders_count ?? 0, await countedByStocks(ticker, found, from)];
      return search === stocks ? 'equal' : { ticker, search, stocks };
    };
    await expect.poll(both).toBe('equal');
  }
}

describe('the holders that search counts', () => {
  test('while the window is open they are those of /stocks, those carried forward included', async () => {
    const apple = await holdersOf('AAPL');
    expect(apple).toMatchObject({ latest_quarter_filing_window: 'open', counts: { stale: 1 } });
    await expectCountsOfStocks();
    expect(await searched('AAPL')).toMatchObject({ holders_count: 2, latest_quarter_end: '2018-09-30' });
    expect(await searched('GM')).toMatchObject({ holders_count: 2, latest_quarter_end: '2018-09-30' });
    // Greenlight alone holds it.
    expect(await searched('TWTR')).toMatchObject({ holders_count: 1, latest_quarter_end: '2018-06-30' });
  });

  test('once it is closed a manager that has not reported the quarter holds nothing in it', {
    tags: ['long'],
    timeout: 120_000,
  }, async () => {
    await turnTo(CLOSED);
    expect(await holdersOf('AAPL')).toMatchObject({ latest_quarter_filing_window: 'closed' });
    await expectCountsOfStocks();
    expect(await searched('AAPL')).toMatchObject({ holders_count: 1, latest_quarter_end: '2018-09-30' });
  });

  test('a manager that reports is carried forward no more', { tags: ['long'], timeout: 300_000 }, () =>
    inWorld({ accessions: [...BERKSHIRE.slice(1), SUMMER], asOf: OPEN }, async (other, from, files) => {
      expect(await holdersOf('AAPL', from)).toMatchObject({ counts: { stale: 1, exited: 0 } });
      await files.add(`${AUTUMN}.txt`, await corpusText(AUTUMN));
      await other.edgar.rescan();
      await runPipeline(other);
      // Greenlight has sold its Apple.
      const sold = { totals: { holders: 1 }, counts: { stale: 0, exited: 1 } };
      expect(await holdersOf('AAPL', from)).toMatchObject(sold);
      await expectCountsOfStocks(from);
    }),
  );

  test(
    'a supplement without the report that it adds to makes no holder, as in /stocks',
    { tags: ['long'], timeout: 300_000 },
    () =>
      inWorld({ accessions: BERKSHIRE.slice(2), asOf: '2018-11-30', supplement: true }, async (_, from) => {
        const { totals, owners } = await holdersOf('AAPL', from);
        expect(owners).toHaveLength(2);
        expect(totals.holders).toBe(1);
        expect(await searched('AAPL', from)).toMatchObject({ holders_count: 1 });
      }),
  );
});

type Wanted = { readonly accessions: readonly string[]; readonly asOf: string; readonly supplement?: true };

/** Another world, ingested; with Greenlight's supplement of autumn where it is wanted. */
async function inWorld(
  { accessions, asOf, supplement }: Wanted,
  use: (other: Flow, from: Reader, files: Folder) => Promise<void>,
): Promise<void> {
  const files = await openFolder({ accessions, symbols: SYMBOLS });
  if (supplement) await files.add(`${ADDED}.txt`, await addedAutumn());
  const other = await openFlow(files, asOf);
  await runPipeline(other);
  const from = await openReader(other);
  try {
    await use(other, from, files);
  } finally {
    await from.close();
    await other.close();
    await files.close();
  }
}
