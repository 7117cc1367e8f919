import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  accessionNo,
  cikOf,
  type FormFields,
  form4,
  reportingOwner,
} from '../../src/domain/brief/brief.sample.ts';
import type { Ownership, OwnershipRow } from '../../src/domain/filing/filing.ts';
import type { Accession, Cik, IsoDate } from '../../src/domain/ids.ts';
import { fails, listed } from '../../src/domain/security/mapping.sample.ts';
import { quarantined } from '../../src/store/filing/claims.ts';
import { filingsIn } from '../../src/store/filing/filings.ts';
import { publishAsOf } from '../../src/store/filing/settings.ts';
import { saveMappings } from '../../src/store/security/securities.ts';
import { discoveredDoc } from '../filings/doc.ts';
import { opened } from '../opened.ts';
import { seedForms } from './insider-corpus.ts';
import { openStage } from './stage.ts';
import { publish } from './stock-corpus.ts';

const TESLA = '0001318605' as Cik;
const TWO_CLASSES = '0001652044' as Cik;
const SILENT = '0000000777' as Cik;
const [OWNER, OTHER] = [cikOf(900_777), cikOf(900_778)];
const PATH = '/v1/insider/transactions';

const stage = opened(openStage);
let key = '';

const on = (date: string): Partial<OwnershipRow> => ({ transactionDate: date as IsoDate });

function filed(number: number, filedOn: string, fields: Partial<FormFields> = {}): Ownership {
  const issuer = { cik: TESLA, name: 'Tesla, Inc.', symbol: 'TSLA' };
  return form4({ number, filed: filedOn, issuer, periodOfReport: filedOn as IsoDate, ...fields });
}

const MIXED = [
  { ...on('2018-06-01'), code: 'P', shares: '10', pricePerShare: '100' },
  { ...on('2018-06-02'), shares: '5', pricePerShare: '300.5' },
  { ...on('2018-06-02'), code: 'A', acquiredDisposed: 'A', pricePerShare: null },
  { ...on('2018-06-02'), code: 'P', shares: '7', pricePerShare: null },
] as const;

const FORMS = [
  filed(1, '2018-06-04', { rows: MIXED }),
  filed(2, '2018-06-04', { owners: [reportingOwner(2)], is10b51: true, rows: [on('2018-06-01')] }),
  filed(3, '2018-06-05', {
    owners: [reportingOwner(2)],
    is10b51: false,
    rows: [on('2018-06-05'), on('2018-06-05')],
  }),
  filed(4, '2018-07-10', { owners: [reportingOwner(3)], rows: [on('2018-01-31')] }),
  // Restates the one row of number 4.
  filed(5, '2018-07-20', {
    isAmendment: true,
    owners: [reportingOwner(3)],
    rows: [{ ...on('2018-01-31'), shares: '9' }],
  }),
  // Of after the as-of date.
  filed(6, '2018-12-03', { rows: [on('2018-11-29')] }),
  filed(7, '2018-05-02', {
    issuer: { cik: TWO_CLASSES, name: 'Alphabet Inc.', symbol: 'GOOG, GOOGL' },
    rows: [
      { ...on('2018-05-01'), securityTitle: 'Class A Common Stock' },
      { ...on('2018-05-01'), securityTitle: 'Class C Capital Stock' },
      { ...on('2018-05-01'), securityTitle: 'Common Shares' },
    ],
  }),
  filed(8, '2018-05-03', {
    issuer: { cik: SILENT, name: 'Silent Co', symbol: 'NONE' },
    rows: [on('2018-05-01')],
  }),
];

beforeAll(async () => {
  const { db } = stage.world.mongo;
  await publishAsOf(db, '2018-11-30' as IsoDate);
  await publish(db, {
    coverageStart: '2018-01-02' as IsoDate,
    indexedThrough: '2018-11-29' as IsoDate,
  });
  const mappings = [
    listed('TSLA', TESLA, { on: '2018-11-15', name: 'Tesla, Inc.' }),
    listed('GOOG', TWO_CLASSES, { on: '2018-11-15', name: 'Alphabet Inc.' }),
    listed('GOOGL', TWO_CLASSES, { on: '2018-11-15', name: 'Alphabet Inc.' }),
    fails('GOOG', '02079K107', { on: '2018-11-15', name: 'ALPHABET INC CAP STK CL C' }),
    fails('GOOGL', '02079K305', { on: '2018-11-15', name: 'ALPHABET INC CAP STK CL A' }),
    listed('SLNT', SILENT, { on: '2018-11-15', name: 'Silent Co' }),
  ];
  await saveMappings(db, mappings);
  await seedForms(db, FORMS);
  key = (await stage.newKey(100_000)).key;
});

/** `<number of the form>:<row>` of each item, in the order of the page. */
async function shown(query: string): Promise<string[]> {
  const { status, body } = await stage.get(`${PATH}?${query}`, key);
  expect(status).toBe(200);
  return body.data.transactions.map((item: { transaction_id: string }) =>
    item.transaction_id.replace(/^.*-0*5?0*(\d+):nd:/, '$1:'),
  );
}

describe('the list', () => {
  test('is ordered by filing time descending, accession descending, row ascending; only P and S', async () => {
    const order = ['5:1', '3:1', '3:2', '2:1', '1:1', '1:2', '1:4', '8:1', '7:1', '7:2', '7:3'];
    expect(await shown('')).toEqual(order);
    expect(await shown('code=P,S')).toEqual(order);
  });

  test('excludes rows that an amendment replaced and filings after the as-of date', async () => {
    expect(await shown('code=all&since=2018-01-01&until=2018-02-01')).toEqual(['5:1']);
    expect(await shown('since=2018-11-01')).toEqual([]);
  });

  test('shows the item of the brief and the coverage of the corpus', async () => {
    const { body } = await stage.get(`${PATH}?min_value_cents=150250&limit=1&until=2018-06-04`, key);
    expect(body.data).toMatchObject({
      pagination: { page: 1, limit: 1, total: 1, pages: 1 },
      total_is_lower_bound: false,
      coverage: { coverage_start: '2018-01-02', indexed_through: '2018-11-29' },
    });
    expect(body.data.transactions[0]).toMatchObject({
      transaction_id: `${accessionNo(500_001)}:nd:2`,
      issuer: { cik: TESLA, name: 'Tesla, Inc.', ticker: 'TSLA' },
      value_usd: 1502.5,
      side: 'sell',
      shares: '5',
      amendment: { is_amendment: false, amends: null },
      quality: { status: 'clear', reasons: [] },
    });
  });
});

describe('a form that cannot be read is missing from the lists of its parties, which say so (rule 8.4)', () => {
  const [ACCESSION, UNNAMED] = [accessionNo(500_777), accessionNo(500_778)];
  const refuse = async (accession: Accession, filedDate: string, reportingOwnerCiks: readonly Cik[]) => {
    const doc = { ...discoveredDoc(accession, '4'), filedDate: filedDate as IsoDate };
    const subject = { issuerCik: SILENT, reportingOwnerCiks, quarterEnd: null };
    const why = { code: 'malformed_xml', reason: '', at: '', subject } as const;
    await filingsIn(stage.world.mongo.db).insertOne({ ...doc, ...quarantined(doc, why).$set });
  };
  const said = async (query: string): Promise<unknown[]> => {
    const { coverage_status, limitations } = (await stage.get(`${PATH}?${query}`, key)).body.data;
    return [coverage_status, ...limitations.map((words: string) => words.split(/: |\. /).slice(0, 2))];
  };
  const COVERED = ['covered'];
  const OF_ISSUER = ['partial', ['1 Form 4 filing of the issuer could not be read', ACCESSION]];
  const OF_ANYBODY = ['partial', ['1 Form 4 filing could not be read', ACCESSION]];
  afterAll(() => filingsIn(stage.world.mongo.db).deleteMany({ _id: { $in: [ACCESSION, UNNAMED] } }));

  test('by the issuer, the owner, and both', async () => {
    for (const query of ['ticker=SLNT', `cik=${OWNER}`, 'limit=1'])
      expect(await said(`${query}&since=2018-06-30`)).toEqual(COVERED);
    await refuse(ACCESSION, '2018-07-12', [OWNER]);
    expect(await said('ticker=SLNT&since=2018-06-30')).toEqual(OF_ISSUER);
    expect(await said(`ticker=SLNT&cik=${OWNER}&since=2018-06-30`)).toEqual(OF_ISSUER);
    expect(await said(`cik=${OWNER}&since=2018-06-30`)).toEqual(OF_ANYBODY);
    expect(await said('since=2018-06-30')).toEqual(OF_ANYBODY);
    for (const query of ['ticker=TSLA', `ticker=SLNT&cik=${OTHER}`, `cik=${OTHER}`])
      expect(await said(`${query}&since=2018-06-30`)).toEqual(COVERED);
  });

  test.each([
    ['since=2018-07-13', COVERED],
    ['since=2018-06-30&until=2018-07-12', OF_ISSUER],
    ['since=2018-06-30&until=2018-07-09', OF_ISSUER],
  ])('of %s: those filed since the first day, however late', async (days, expected) => {
    expect(await said(`ticker=SLNT&${days}`)).toEqual(expected);
  });

  test("one without owners in its header may be anybody's", async () => {
    await refuse(UNNAMED, '2018-07-12', []);
    expect(await said(`cik=${OTHER}&since=2018-06-30`)).toEqual([
      'partial',
      ['1 Form 4 filing could not be read', UNNAMED],
    ]);
  });
});

describe('filters', () => {
  test.each([
    ['ticker=TSLA', ['5:1', '3:1', '3:2', '2:1', '1:1', '1:2', '1:4']],
    ['ticker=tsla&side=buy', ['1:1', '1:4']],
    [`cik=${cikOf(900_002)}`, ['3:1', '3:2', '2:1']],
    ['cik=900002&ticker=TSLA&exclude_10b5_1=true', ['3:1', '3:2']],
    ['cik=900002&ticker=GOOG', []],
    ['ticker=TSLA&exclude_10b5_1=true', ['5:1', '3:1', '3:2', '1:1', '1:2', '1:4']],
    ['ticker=TSLA&exclude_10b5_1=false&limit=1', ['5:1']],
    ['code=A', ['1:3']],
    ['code=a,p', ['1:1', '1:3', '1:4']],
    ['side=other', []],
    ['side=other&code=all', ['1:3']],
    ['side=sell&code=all&ticker=TSLA', ['5:1', '3:1', '3:2', '2:1', '1:2']],
    ['side=buy&code=S', []],
    ['since=2018-06-02&until=2018-06-05', ['3:1', '3:2', '1:2', '1:4']],
    ['since=2018-06-01&until=2018-06-01', ['2:1', '1:1']],
    ['until=2018-05-01', ['5:1', '8:1', '7:1', '7:2', '7:3']],
    ['until=1980-01-01', []],
    ['since=1970-01-01&until=9999-12-31&ticker=TSLA&limit=2', ['5:1', '3:1']],
    // 1000 dollars each; the purchase without a price has no value.
    ['ticker=TSLA&min_value_cents=100000', ['3:1', '3:2', '2:1', '1:1', '1:2']],
    ['ticker=TSLA&side=buy&min_value_cents=0', ['1:1']],
    ['min_value_cents=999999999999999999', []],
  ])('%s', async (query, expected) => {
    expect(await shown(query)).toEqual(expected);
  });

  test('a ticker selects its own share class, as in the brief; unresolved rows say so', async () => {
    expect(await shown('ticker=GOOGL')).toEqual(['7:1', '7:3']);
    expect(await shown('ticker=GOOG')).toEqual(['7:2', '7:3']);
    const { body } = await stage.get(`${PATH}?ticker=GOOGL`, key);
    expect(body.data.transactions[1].quality.reasons).toEqual(['share_class_unresolved']);
    const { body: all } = await stage.get(`${PATH}?code=all&until=2018-05-01&limit=200`, key);
    expect(
      all.data.transactions.every(
        (item: { quality: { reasons: string[] } }) => item.quality.reasons.length === 0,
      ),
    ).toBe(true);
  });

  test('a form without a symbol is shown with the only ticker of its issuer', async () => {
    const { body } = await stage.get(`${PATH}?ticker=SLNT`, key);
    expect(body.data.transactions[0].issuer.ticker).toBe('SLNT');
    const { body: all } = await stage.get(`${PATH}?cik=900001&until=2018-05-01`, key);
    const silent = all.data.transactions.filter(
      (item: { issuer: { cik: string } }) => item.issuer.cik === SILENT,
    );
    expect(silent[0].issuer.ticker).toBe('SLNT');
  });

  test('an unknown ticker gives an empty list', async () => {
    const { status, body, headers } = await stage.get(`${PATH}?ticker=ZZZZ`, key);
    expect([status, headers.get('x-credits-charged')]).toEqual([200, '1']);
    expect(body.data.transactions).toEqual([]);
    expect(body.data.pagination).toEqual({ page: 1, limit: 50, total: 0, pages: 0 });
  });
});

describe('pages', () => {
  test('have every trade once, and link to each other with their filters', async () => {
    const pages = await Promise.all([1, 2, 3, 4].map((page) => shown(`ticker=TSLA&limit=2&page=${page}`)));
    expect(pages.flat()).toEqual(await shown('ticker=TSLA'));
    const { headers } = await stage.get(`${PATH}?ticker=tsla&limit=2&page=2&exclude_10b5_1=true`, key);
    expect(headers.get('link')).toContain(
      '<https://tidemark.test/v1/insider/transactions?ticker=TSLA&code=P%2CS&exclude_10b5_1=true&page=3&limit=2>; rel="next"',
    );
  });

  test('after the last are empty, with correct totals', async () => {
    const { body } = await stage.get(`${PATH}?ticker=TSLA&limit=3&page=4`, key);
    expect(body.data.transactions).toEqual([]);
    expect(body.data.pagination).toEqual({ page: 4, limit: 3, total: 7, pages: 3 });
  });
});

describe('status', () => {
  test.each([
    ['since=2018-02-30', 'since'],
    ['since=20180201', 'since'],
    ['until=2018-13-01', 'until'],
    ['since=2018-02-02&until=2018-02-01', 'since'],
    ['code=PS', 'code'],
    ['code=P,', 'code'],
    ['code=', 'code'],
    ['side=up', 'side'],
    ['min_value_cents=-1', 'min_value_cents'],
    ['min_value_cents=1.5', 'min_value_cents'],
    ['min_value_cents=9999999999999999999', 'min_value_cents'],
    ['exclude_10b5_1=1', 'exclude_10b5_1'],
    ['cik=12345678901', 'cik'],
    ['ticker=$ne', 'ticker'],
    ['ticker[$ne]=A', 'ticker[$ne]'],
    ['ticker=A&ticker=B', 'ticker'],
    ['limit=201', 'limit'],
    ['limit=200&page=51', 'page'],
    ['__proto__=1', '__proto__'],
  ])('400 for %s', async (query, param) => {
    const { status, body, headers } = await stage.get(`${PATH}?${query}`, key);
    expect([status, body.error]).toEqual([400, 'invalid_parameter']);
    expect(body.details.map((detail: { param: string }) => detail.param)).toContain(param);
    expect(headers.get('x-credits-charged')).toBe('0');
  });

  test('200 at the edge of the bound', async () => {
    expect(await shown('limit=200&page=50')).toEqual([]);
  });

  test('all problems are listed at once', async () => {
    const { body } = await stage.get(`${PATH}?since=x&limit=0&side=up&wrong=1`, key);
    const params = body.details.map((detail: { param: string }) => detail.param);
    expect(params.sort()).toEqual(['limit', 'side', 'since', 'wrong']);
  });

  test('401, 402 and 405', async () => {
    expect((await stage.get(PATH)).status).toBe(401);
    const poor = await stage.newKey(0);
    expect((await stage.get(PATH, poor.key)).body).toMatchObject({ needed: 1, balance: 0 });
    const posted = await fetch(`${stage.origin}${PATH}`, { method: 'POST' });
    expect([posted.status, posted.headers.get('allow')]).toEqual([405, expect.stringContaining('GET')]);
  });

  test('404 below it', async () => {
    expect((await stage.get(`${PATH}/1`, key)).body.error).toBe('not_found');
  });
});
