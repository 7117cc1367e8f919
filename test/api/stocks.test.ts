import { beforeAll, describe, expect, test } from 'vitest';
import { stockBody } from '../../src/api/endpoints/stock.ts';
import { LATER_CUSIP } from '../../src/domain/history/quarter-line.ts';
import type { Accession, IsoDate, Ticker } from '../../src/domain/ids.ts';
import { fails } from '../../src/domain/security/mapping.sample.ts';
import { loadBriefInput } from '../../src/read/brief/brief.ts';
import { discovered, quarantined } from '../../src/store/filing/claims.ts';
import { filingsIn } from '../../src/store/filing/filings.ts';
import { invalidate } from '../../src/store/invalidation/invalidate.ts';
import { saveMappings } from '../../src/store/security/securities.ts';
import { opened } from '../opened.ts';
import { openStage } from './stage.ts';
import {
  apple,
  cik,
  EARLIER,
  google,
  LATEST,
  PRIOR,
  publish,
  seedSymbols,
  showFiled,
} from './stock-corpus.ts';

const stage = opened(openStage);
let key = '';

const EXCLUDED = 8;

beforeAll(async () => {
  const { db } = stage.world.mongo;
  await publish(db, { filingWindow: 'open' });
  await seedSymbols(db);
  const option = apple(900_000n, 90_000n, { row: 2, putCall: 'CALL' });
  const bond = apple(800_000n, 80_000n, { row: 3, amountType: 'PRN' });
  await showFiled(db, 1, {
    [PRIOR]: [apple(10_000n, 2_000n)],
    [LATEST]: [apple(25_000n, 5_000n), option, bond],
  });
  await showFiled(db, 2, { [PRIOR]: [google()], [LATEST]: [apple(40_000n, 8_000n), google(24_000n)] });
  await showFiled(db, 3, { [PRIOR]: [apple(30_000n, 6_000n), google()], [LATEST]: [google()] });
  await showFiled(db, 4, { [PRIOR]: [apple(20_000n, 4_000n)], [LATEST]: [apple(20_000n, 4_000n)] });
  await showFiled(db, 5, { [LATEST]: [apple(20_000n, 4_000n)] });
  await showFiled(db, 6, { [EARLIER]: [apple(60_000n, 12_000n)], [PRIOR]: [apple(50_000n, 10_000n)] });
  await showFiled(db, 7, { [PRIOR]: [apple(70_000n, 14_000n)], [LATEST]: [google(), apple(0n, 0n)] });
  await showFiled(db, EXCLUDED, { [LATEST]: [apple(1_000n, 200n)] }, { amendmentType: 'new_holdings' });
  // A manager two quarters behind is in no list of today.
  await showFiled(db, 9, { [EARLIER]: [apple(99_000n, 19_800n)] });
  key = (await stage.newKey(100_000)).key;
}, 60_000);

type Owner = { fund: { cik: string }; change_type: string; stale: boolean; quarter_end: string };

const ask = (path: string) => stage.get(`/v1/stocks/${path}`, key);
/** A 13F of the earliest quarter that cannot be read. */
async function refuse(n: number): Promise<Accession> {
  const accession = `${cik(n)}-18-900001` as Accession;
  const filing = { accession, cik: cik(n), form: '13F-HR', leg: 'thirteen_f', company: '' } as const;
  const doc = discovered({ ...filing, filedDate: '2018-05-16' as IsoDate }, '');
  const subject = { issuerCik: null, reportingOwnerCiks: [], quarterEnd: EARLIER };
  const why = { code: 'schema_invalid', reason: '', at: '', subject } as const;
  await filingsIn(stage.world.mongo.db).insertOne({ ...doc, ...quarantined(doc, why).$set });
  return accession;
}

const ciks = (owners: Owner[]): string[] => owners.map(({ fund }) => fund.cik);

describe('/stocks/{ticker}', () => {
  test('is ordered by value, ties by CIK, exits last by their prior value', async () => {
    const { status, body } = await ask('AAPL');
    expect(status).toBe(200);
    expect(stockBody.safeParse(body).error).toBeUndefined();
    expect(body.data.entity).toEqual({
      ticker: 'AAPL',
      name: 'Apple Inc.',
      cusip: '037833100',
      cik: '0000320193',
    });
    expect(ciks(body.data.owners)).toEqual([6, 2, 1, 4, 5, EXCLUDED, 7, 3].map(cik));
    expect(body.data).toMatchObject({ quarter_end: LATEST, latest_quarter_filing_window: 'open' });
    expect(body.data.pagination).toEqual({ page: 1, limit: 50, total: 8, pages: 1 });
  });

  test('a row has the shares, their weight in the equity and the change', async () => {
    const { body } = await ask('AAPL');
    expect(body.data.owners[1]).toEqual({
      fund: { name: 'Manager 2', cik: cik(2), slug: 'manager-2' },
      quarter_end: LATEST,
      shares: '40000',
      value_cents: '800000000',
      // 8,000 of 32,000 thousand.
      weight_pct: 25,
      change_type: 'NEW',
      share_delta: '40000',
      pct_delta: 100,
      published_at: { value: '2018-11-14', precision: 'day' },
      evidence_ids: [`sec:13f:${cik(2)}-18-001809`, `sec:13f:${cik(2)}-18-001806`],
      quality: { status: 'clear', reasons: [] },
      stale: false,
    });
    expect(body.data.owners[2]).toMatchObject({
      change_type: 'ADDED',
      shares: '25000',
      share_delta: '15000',
      pct_delta: 150,
    });
    expect(body.data.owners[7]).toMatchObject({
      change_type: 'EXITED',
      shares: '0',
      value_cents: '0',
      share_delta: '-30000',
      pct_delta: -100,
      weight_pct: 0,
    });
  });

  test('without a comparable quarter a row is NEW, with the reason', async () => {
    const { body } = await ask('AAPL');
    expect(body.data.owners[4]).toMatchObject({
      fund: { cik: cik(5) },
      change_type: 'NEW',
      quality: { status: 'clear', reasons: ['no_prior_comparable_filing'] },
    });
  });

  test('options and bonds count in no figure', async () => {
    const { body } = await ask('AAPL');
    expect(body.data.owners[2]).toMatchObject({ fund: { cik: cik(1) }, shares: '25000' });
    expect(body.data.totals).toEqual({
      holders: 5,
      shares: String(50_000 + 40_000 + 25_000 + 20_000 + 20_000),
      value_cents: String((10_000 + 8_000 + 5_000 + 4_000 + 4_000) * 100_000),
    });
  });

  test('a manager that has not filed while the window is open is carried forward, never an exit (rule 7.1)', async () => {
    const { body } = await ask('AAPL');
    expect(body.data.owners[0]).toMatchObject({
      fund: { cik: cik(6) },
      stale: true,
      quarter_end: PRIOR,
      change_type: 'REDUCED',
      shares: '50000',
    });
    expect(body.data.owners.filter((owner: Owner) => owner.stale)).toHaveLength(1);
    expect(ciks(body.data.owners)).not.toContain(cik(9));
  });

  test('counts equal those of the brief; excluded rows are listed and not counted', async () => {
    const { holders } = await loadBriefInput(stage.world.mongo.db, 'AAPL' as Ticker, '');
    const stock = await ask('AAPL');
    const { stale, ...counts } = stock.body.data.counts;
    expect(counts).toEqual(holders.leg.counts);
    expect(counts).toEqual({
      initiated: 1,
      added: 1,
      reduced: 1,
      exited: 2,
      unchanged: 1,
      baseline_only: 1,
    });
    expect(stale).toBe(1);
    expect(stock.body.data.owners[5].quality.status).toBe('excluded');
  });

  test('pages have every holder once, with the same totals; a page after the last is empty', async () => {
    const whole = (await ask('AAPL')).body.data;
    const seen: string[] = [];
    for (const page of [1, 2, 3]) {
      const { body } = await ask(`AAPL?limit=3&page=${page}`);
      seen.push(...ciks(body.data.owners));
      expect(body.data.totals).toEqual(whole.totals);
      expect(body.data.counts).toEqual(whole.counts);
    }
    expect(seen).toEqual(ciks(whole.owners));
    const past = await ask('AAPL?limit=3&page=9');
    expect(past.body.data).toMatchObject({ owners: [], totals: whole.totals });
    expect(past.body.data.pagination).toEqual({ page: 9, limit: 3, total: 8, pages: 3 });
    expect(past.headers.get('link')).toContain(
      '<https://tidemark.test/v1/stocks/AAPL?page=3&limit=3>; rel="last"',
    );
  });

  test('a requested quarter has only its own reports, and nothing is carried forward', async () => {
    const { body } = await ask('AAPL?year=2018&quarter=2');
    expect(body.data.quarter_end).toBe(PRIOR);
    expect(ciks(body.data.owners)).toEqual([7, 6, 3, 4, 1].map(cik));
    expect(body.data.counts).toMatchObject({ reduced: 1, baseline_only: 4, stale: 0 });
    const latest = await ask('AAPL?year=2018&quarter=3');
    expect(ciks(latest.body.data.owners)).not.toContain(cik(6));
    expect(latest.headers.get('link')).toContain('/v1/stocks/AAPL?year=2018&quarter=3&page=1&limit=50');
  });

  test('a quarter in which no manager reported the stock is an empty list', async () => {
    const { status, body } = await ask('AAPL?year=2001&quarter=1');
    expect(status).toBe(200);
    expect(body.data).toMatchObject({
      quarter_end: '2001-03-31',
      owners: [],
      totals: { holders: 0, shares: '0', value_cents: '0' },
      pagination: { page: 1, limit: 50, total: 0, pages: 0 },
    });
  });

  test('no holder under a CUSIP that only a later source names may be a missing one (rule 7.3)', async () => {
    // As Jacobs in the summer of 2022: the fails files at hand begin after its change of name.
    const later = { on: '2018-11-20', name: 'JACOBS SOLUTIONS INC' };
    const sooner = { on: '2018-06-29', name: 'JACOBS ENGR GROUP INC' };
    await saveMappings(stage.world.mongo.db, [
      fails('J', '46982L108', later),
      fails('JEC', '469814107', sooner),
    ]);
    const limitsOf = async (ticker: string) => (await ask(ticker)).body.data;
    const missed = { coverage_status: 'partial', limitations: [LATER_CUSIP] };
    expect(await limitsOf('J')).toMatchObject({ quarter_end: LATEST, owners: [], ...missed });
    expect(await limitsOf('JEC')).toMatchObject({ owners: [], coverage_status: 'covered', limitations: [] });
  });

  test('a filing that cannot be read is missing from the list, which says so (rule 8.4)', async () => {
    const accession = await refuse(9);
    const { data } = (await ask('AAPL?year=2018&quarter=1')).body;
    const { coverage_status, limitations, unread_filings } = data;
    expect([coverage_status, unread_filings.length]).toEqual(['partial', 1]);
    expect(limitations).toEqual([expect.stringContaining(`could not be read: ${accession}`)]);
  });

  test.each(['', '/holdings'])(
    '404 of /funds/{cik}%s says that what was filed cannot be read',
    async (path) => {
      const before = await stage.get(`/v1/funds/77${path}`, key);
      expect([before.status, before.body.message]).toEqual([404, 'No fund has the CIK 0000000077.']);
      const accession = await refuse(77);
      const { status, body } = await stage.get(`/v1/funds/77${path}`, key);
      const message = `What CIK 0000000077 filed could not be read: ${accession} for 2018Q1.`;
      expect([status, body.message]).toEqual([404, message]);
      await filingsIn(stage.world.mongo.db).deleteOne({ _id: accession });
    },
  );

  test('every spelling of a ticker gives the same answer', async () => {
    const dotted = await ask('BRK.B');
    expect(dotted.body.data.entity.ticker).toBe('BRK.B');
    for (const spelling of ['BRK-B', 'brk%2Fb', 'brk.b', 'BRK%2DB']) {
      const other = await ask(spelling);
      expect(other.text).toBe(dotted.text);
      expect(other.headers.get('link')).toBe(dotted.headers.get('link'));
    }
  });

  test('404 distinguishes a ticker that is unknown, ambiguous, or without a CUSIP', async () => {
    for (const [ticker, message] of [
      ['NONE', 'No security is known by the ticker NONE. /v1/search?type=holdings&q=NONE searches names.'],
      ['TWO', /^The ticker TWO is ambiguous: .*FIRST THING INC.* or .*SECOND WHATEVER CORP/],
      ['TSLA', 'No CUSIP is known for TSLA, so its 13F owners are not known.'],
    ] as const) {
      const { status, body } = await ask(ticker);
      expect([status, body.error]).toEqual([404, 'stock_not_found']);
      expect(body.message).toMatch(message);
    }
  });
});

describe('a list in memory', () => {
  test('shows a report within seconds after its followers are invalidated', async () => {
    const { db } = stage.world.mongo;
    await invalidate(db, 'brief', ['AAPL']);
    const before = (await ask('AAPL')).body.data;
    await showFiled(db, 10, { [LATEST]: [apple(1_000_000n, 200_000n)] });
    await invalidate(db, 'brief', ['AAPL']);
    await expect
      .poll(async () => ciks((await ask('AAPL')).body.data.owners))
      .toEqual([cik(10), ...ciks(before.owners)]);
    const after = (await ask('AAPL')).body.data;
    expect(after.totals.holders).toBe(before.totals.holders + 1);
  });

  const stopped = (managers: string, last: string) =>
    `${managers} no stored report for 2018-09-30. ${last} not counted.`;

  test('excludes late managers within seconds after the window is published as closed (rule 7.1)', async () => {
    const { db } = stage.world.mongo;
    const open = (await ask('AAPL')).body.data;
    expect(open.counts.stale).toBe(1);
    expect(open.limitations).toContain(
      stopped('1 manager that held the security has', 'Its last report, for 2018-03-31, is'),
    );
    await publish(db, { filingWindow: 'closed' });
    const isClosed = async () => (await ask('AAPL')).body.data.latest_quarter_filing_window === 'closed';
    await expect.poll(isClosed).toBe(true);
    const { counts, owners, limitations } = (await ask('AAPL')).body.data;
    expect(counts.stale).toBe(0);
    expect(ciks(owners)).not.toContain(cik(6));
    expect(limitations).toContain(
      stopped(
        '2 managers that held the security have',
        'Their last reports, for 2018-03-31 to 2018-06-30, are',
      ),
    );
  });
});
