import { beforeAll, describe, expect, test } from 'vitest';
import { opened } from '../opened.ts';
import { FUND, ROWS, seed } from './corpus.ts';
import { openStage } from './stage.ts';

const stage = opened(openStage);
let key = '';

beforeAll(async () => {
  await seed(stage.world.mongo.db);
  key = (await stage.newKey(100_000)).key;
});

describe('/funds', () => {
  test('is sorted by AUM descending, ties by CIK ascending, with pagination next to data', async () => {
    const { body } = await stage.get('/v1/funds', key);
    expect(body.data.map((fund: { cik: string }) => fund.cik)).toEqual([
      FUND,
      '0000000101',
      '0000000102',
      '0000000103',
    ]);
    expect(body.data[0]).toEqual({
      cik: FUND,
      name: 'BERKSHIRE HATHAWAY INC',
      slug: 'berkshire-hathaway-inc',
      aum_cents: '22000000000000000',
      latest_quarter: '2018Q3',
      holdings_count: 6,
      manager: 'Warren Buffett',
    });
    expect(body.pagination).toEqual({ page: 1, limit: 50, total: 4, pages: 1 });
  });

  test('pages partition the list and link to each other; a page after the last is empty with correct totals', async () => {
    const seen: string[] = [];
    for (const page of [1, 2]) {
      const { body } = await stage.get(`/v1/funds?limit=3&page=${page}`, key);
      seen.push(...body.data.map((fund: { cik: string }) => fund.cik));
    }
    expect(new Set(seen).size).toBe(4);
    const first = await stage.get('/v1/funds?limit=3', key);
    expect(first.headers.get('link')).toBe(
      '<https://tidemark.test/v1/funds?page=1&limit=3>; rel="first", ' +
        '<https://tidemark.test/v1/funds?page=2&limit=3>; rel="next", ' +
        '<https://tidemark.test/v1/funds?page=2&limit=3>; rel="last"',
    );
    const past = await stage.get('/v1/funds?limit=3&page=9', key);
    const pagination = { page: 9, limit: 3, total: 4, pages: 2 };
    expect(past.body).toEqual({ data: [], pagination, ...UNREAD, coverage_status: 'partial' });
    expect(past.headers.get('link')).toContain('page=2&limit=3>; rel="prev"');
  });
});

describe('/funds/{cik}', () => {
  test('accepts a CIK without leading zeros and returns managers and filings, newest first', async () => {
    const { body } = await stage.get('/v1/funds/1067983', key);
    expect(body.data.cik).toBe(FUND);
    expect(body.data.reported_value_cents).toBe('22000000000000001');
    expect(body.data.managers.map((manager: { role: string }) => manager.role)).toEqual([
      'filing_manager',
      'included_manager',
      'portfolio_manager',
    ]);
    expect(body.data.filings.map((filing: { form_type: string }) => filing.form_type)).toEqual([
      '13F-HR/A',
      '13F-HR',
    ]);
    expect(body.data.filings[0].superseded_by).toBeNull();
    expect(body.data.filings[1].superseded_by).toBe('0000950123-18-012000');
    expect(body.data.filings[1]).toMatchObject({ year: 2018, quarter: 3, filed_at: '2018-11-14T21:05:00Z' });
  });
});

describe('/funds/{cik}/holdings', () => {
  test('the latest report equals the report of its quarter', async () => {
    const latest = await stage.get(`/v1/funds/${FUND}/holdings`, key);
    const named = await stage.get(`/v1/funds/${FUND}/holdings?year=2018&quarter=3`, key);
    expect(named.body).toEqual(latest.body);
    expect(latest.body.data.filing).toMatchObject({
      quarter_end: '2018-09-30',
      prior_quarter_end: '2018-06-30',
      comparison_available: true,
      holdings_count: 6,
      excluded: { options: { rows: 2, value_cents: '5' }, principal: { rows: 0, value_cents: '0' } },
    });
    expect(latest.body.data.pagination).toEqual({ page: 1, limit: 100, total: ROWS, pages: 1 });
  });

  test('pages have every row once in display order; a page after the last is empty', async () => {
    const cusips: string[] = [];
    for (const page of [1, 2, 3, 4]) {
      const { body } = await stage.get(`/v1/funds/${FUND}/holdings?limit=2&page=${page}`, key);
      cusips.push(...body.data.holdings.map((row: { cusip: string }) => row.cusip));
    }
    expect(cusips).toEqual(Array.from({ length: ROWS }, (_, at) => `03783310${at}`));
    const past = await stage.get(`/v1/funds/${FUND}/holdings?limit=2&page=5`, key);
    expect(past.body.data.holdings).toEqual([]);
    expect(past.body.data.pagination).toEqual({ page: 5, limit: 2, total: ROWS, pages: 4 });
  });

  test('a quarter that only a notice covers names the managers that report it', async () => {
    const { body } = await stage.get('/v1/funds/42/holdings?year=2018&quarter=3', key);
    expect(body.managers).toEqual([{ name: 'Parent LLC', cik: FUND, form13f_file_number: '028-04545' }]);
  });
});

/** Without a published corpus an empty list says that nothing is known. */
const UNREAD = { coverage_status: 'not_covered', limitations: ['No day is read without a gap.'] };

describe('/events', () => {
  const seqs = (body: { data: { events: { seq: number }[] } }) => body.data.events.map((event) => event.seq);

  test('without since: the latest events, ascending, and the head as cursor', async () => {
    const { body } = await stage.get('/v1/events?limit=3', key);
    expect(seqs(body)).toEqual([98, 99, 100]);
    expect(body.data.next_cursor).toBe('100');
  });

  test('following next_cursor from 0 delivers every event once, in order', async () => {
    const seen: number[] = [];
    let cursor = '0';
    for (let turn = 0; turn < 5; turn += 1) {
      const { body } = await stage.get(`/v1/events?since=${cursor}&limit=30`, key);
      seen.push(...seqs(body));
      cursor = body.data.next_cursor;
    }
    expect(seen).toEqual(Array.from({ length: 100 }, (_, at) => at + 1));
    expect(cursor).toBe('100');
  });

  test('a ticker filter advances the cursor past skipped events', async () => {
    const { body } = await stage.get('/v1/events?since=95&tickers=brk-b,AAPL', key);
    expect(seqs(body)).toEqual([97, 99, 100]);
    const none = await stage.get('/v1/events?since=0&tickers=NONE', key);
    expect(none.body.data).toEqual({ events: [], next_cursor: '100', ...UNREAD });
  });

  test('form 4 includes amendments, 4/A has only amendments', async () => {
    expect(seqs((await stage.get('/v1/events?since=88&form=4&limit=3', key)).body)).toEqual([89, 90, 91]);
    expect(seqs((await stage.get('/v1/events?since=0&form=4%2FA&limit=3', key)).body)).toEqual([10, 20, 30]);
  });

  test('a form that is not ingested gets a charged answer with a note, never an empty page without one', async () => {
    const answer = await stage.get('/v1/events?form=8-K', key);
    expect(answer.status).toBe(200);
    expect(answer.headers.get('x-credits-charged')).toBe('1');
    expect(answer.body.data).toMatchObject({
      events: [],
      next_cursor: '100',
      note: { code: 'unsupported_form', form: '8-K', supported_forms: ['4', '4/A'] },
      coverage_status: 'not_covered',
      limitations: [answer.body.data.note.message],
    });
    expect((await stage.get('/v1/events?form=8-K&since=7', key)).body.data.next_cursor).toBe('7');
  });

  test('a cursor ahead of the head stays, with a note', async () => {
    const { body } = await stage.get('/v1/events?since=101', key);
    expect(body.data).toMatchObject({ events: [], next_cursor: '101', note: { code: 'cursor_ahead' } });
    expect((await stage.get('/v1/events?since=100', key)).body.data).toEqual({
      events: [],
      next_cursor: '100',
      ...UNREAD,
    });
  });
});

describe('/credits', () => {
  test('is the balance of the organisation and its value, without a charge', async () => {
    const made = await stage.newKey(1_234);
    const { body } = await stage.get('/v1/credits', made.key);
    expect(body.data).toEqual({
      balance: 1_234,
      balance_usd: '12.34',
      currency: 'USD',
      usd_per_credit: '0.01',
      organization: { id: made.orgId, name: expect.any(String) },
      topup_url: 'https://tidemark.test/connect',
    });
  });
});
