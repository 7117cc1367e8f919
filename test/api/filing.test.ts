import { beforeAll, describe, expect, test } from 'vitest';
import { filingBody } from '../../src/api/endpoints/filing-shape.ts';
import {
  accessionNo,
  type FormFields,
  form4,
  ISSUER,
  reportingOwner,
} from '../../src/domain/brief/brief.sample.ts';
import type { Ownership } from '../../src/domain/filing/filing.ts';
import type { Accession, IsoDate } from '../../src/domain/ids.ts';
import { filingsIn } from '../../src/store/filing/filings.ts';
import { publishAsOf } from '../../src/store/filing/settings.ts';
import { discoveredDoc } from '../filings/doc.ts';
import { opened } from '../opened.ts';
import { form4Doc, RAW, reconcile, seedForms } from './insider-corpus.ts';
import { openStage } from './stage.ts';

const of = (number: number): Accession => accessionNo(500_000 + number);
const OPTION = {
  table: 'derivative',
  code: 'M',
  securityTitle: 'Option',
  underlyingTitle: 'Common Stock',
  underlyingShares: '100',
  conversionOrExercisePrice: '1.5',
  expirationDate: '2025-01-01' as IsoDate,
} as const;

const filed = (fields: FormFields): Ownership => form4({ filed: '2018-06-04', ...fields });

const ORIGINAL = filed({
  number: 1,
  is10b51: true,
  notSubjectToSection16: false,
  periodOfReport: '2018-06-01' as IsoDate,
  remarks: 'As told.',
  footnotes: [
    { id: 'F1', text: 'Weighted average price.' },
    { id: 'F2', text: 'Held by a trust.' },
  ],
  rows: [
    {
      transactionDate: '2018-06-01' as IsoDate,
      footnoteIds: { transactionPricePerShare: ['F1'], natureOfOwnership: ['F1', 'F2'] },
    },
    { transactionDate: '2018-06-02' as IsoDate, natureOfOwnership: 'By trust' },
    { rowKind: 'holding', code: null, shares: null, pricePerShare: null, acquiredDisposed: null },
    { ...OPTION, row: 1, transactionDate: '2018-06-01' as IsoDate },
    {
      ...OPTION,
      row: 2,
      rowKind: 'holding',
      code: null,
      shares: null,
      footnoteIds: { sharesOwnedFollowingTransaction: ['F2'], exerciseDate: ['F1'] },
    },
  ],
});
const FIRST_FIX = filed({
  number: 2,
  isAmendment: true,
  filed: '2018-06-10',
  rows: [{ transactionDate: '2018-06-01' as IsoDate, shares: '150' }],
});
const SECOND_FIX = filed({
  number: 3,
  isAmendment: true,
  filed: '2018-06-12',
  rows: [{ ...OPTION, row: 1, transactionDate: '2018-06-01' as IsoDate, shares: '7' }],
});
const MISMATCH = filed({
  number: 4,
  owners: [reportingOwner(4)],
  rows: [{ transactionDate: '2018-06-01' as IsoDate, code: 'P', acquiredDisposed: 'D' }],
});
const LATE = filed({ number: 5, filed: '2018-12-03' });
const UNREADABLE = of(6);
const UNREAD = of(7);
const HOLDINGS = of(8);

const stage = opened(openStage);
let key = '';
const ask = (accession: string, headers: Record<string, string> = {}) =>
  stage.get(`/v1/filing/${accession}`, key, headers);

beforeAll(async () => {
  const { db } = stage.world.mongo;
  await publishAsOf(db, '2018-11-30' as IsoDate);
  await seedForms(db, [ORIGINAL, FIRST_FIX, SECOND_FIX, MISMATCH, LATE]);
  await filingsIn(db).insertMany([
    { ...discoveredDoc(UNREADABLE, '4'), state: 'quarantined' },
    discoveredDoc(UNREAD, '4'),
    { ...discoveredDoc(HOLDINGS, '13F-HR'), state: 'parsed' },
  ]);
  key = (await stage.newKey(100_000)).key;
});

describe('200', () => {
  test('shows the whole form, with or without dashes in its number', async () => {
    const { status, body, headers } = await ask(of(1));
    expect(status).toBe(200);
    expect(filingBody.safeParse(body).error).toBeUndefined();
    expect(headers.get('x-credits-charged')).toBe('1');
    expect(body.data).toMatchObject({
      accession_number: of(1),
      form_type: '4',
      period_of_report: '2018-06-01',
      filed_at: '2018-06-04T21:00:00Z',
      issuer: { cik: ISSUER, name: 'HUBSPOT INC', ticker: 'HUBS' },
      is_10b5_1: true,
      not_subject_to_section_16: false,
      remarks: 'As told.',
      raw_hash: `sha256:${RAW}`,
      parser_version: 'form4-1',
      retrieved_at: '2018-11-30T08:00:00.000Z',
    });
    expect(body.data.owners).toHaveLength(1);
    expect((await ask(of(1).replaceAll('-', ''))).text).toBe((await ask(of(1))).text);
  });

  test('links footnotes to values', async () => {
    const { data } = (await ask(of(1))).body;
    expect(data.footnotes).toEqual(ORIGINAL.footnotes);
    expect(data.non_derivative_transactions[0].footnote_refs).toEqual([
      { field: 'price_per_share', footnote_ids: ['F1'] },
      { field: 'nature_of_ownership', footnote_ids: ['F1', 'F2'] },
    ]);
    expect(data.derivative_holdings[0].footnote_refs).toEqual([
      { field: 'shares_owned', footnote_ids: ['F2'] },
      { field: 'exercise_date', footnote_ids: ['F1'] },
    ]);
  });

  test('separates holdings from transactions, and options from shares', async () => {
    const { data } = (await ask(of(1))).body;
    expect(data.non_derivative_holdings).toEqual([
      {
        row: 3,
        security_title: 'Common Stock',
        shares_owned: '900',
        ownership: 'direct',
        nature_of_ownership: null,
        footnote_refs: [],
      },
    ]);
    expect(data.derivative_transactions).toMatchObject([
      {
        transaction_id: `${of(1)}:d:1`,
        is_derivative: true,
        side: 'other',
        underlying: { title: 'Common Stock', shares: '100' },
        conversion_or_exercise_price: '1.5',
        exercise_date: null,
        expiration_date: '2025-01-01',
      },
    ]);
    expect(data.derivative_holdings).toMatchObject([{ row: 2, underlying: { shares: '100' } }]);
  });

  test('a replaced row is visible in the original and names its amendment; the other rows are still valid', async () => {
    const { data } = (await ask(of(1))).body;
    expect(
      data.non_derivative_transactions.map((row: { superseded_by: string; quality: object }) => [
        row.superseded_by,
        row.quality,
      ]),
    ).toEqual([
      [
        of(2),
        { status: 'excluded', reasons: ['plan_sale', 'superseded_by_amendment', 'weighted_average_price'] },
      ],
      [null, { status: 'clear', reasons: ['plan_sale'] }],
    ]);
    expect(data.derivative_transactions[0].superseded_by).toBe(of(3));
    // Both amendments restate some of it; the newest is named.
    expect(data.superseded_by).toBe(of(3));
    const fix = (await ask(of(2))).body.data;
    expect(fix.superseded_by).toBeNull();
    expect(fix.non_derivative_transactions[0].amendment).toEqual({ is_amendment: true, amends: of(1) });
  });

  test('a row that the list excludes is shown with the reason', async () => {
    const { data } = (await ask(of(4))).body;
    expect(data.non_derivative_transactions[0].quality).toEqual({
      status: 'excluded',
      reasons: ['acquired_disposed_mismatch'],
    });
  });

  test('a form that is not reconciled yet is read by itself', async () => {
    const fresh = filed({ number: 9, owners: [reportingOwner(9)], rows: [{ shares: '3' }] });
    const { db } = stage.world.mongo;
    await filingsIn(db).insertOne(form4Doc(fresh));
    const alone = (await ask(of(9))).body.data;
    expect(alone.non_derivative_transactions).toMatchObject([{ shares: '3', superseded_by: null }]);
    await reconcile(db, ISSUER);
    expect((await ask(of(9))).body.data).toEqual(alone);
  });
});

describe('304', () => {
  test('by entity tag, charged like a 200; for another tag the whole answer', async () => {
    const first = await ask(of(1));
    const etag = first.headers.get('etag') ?? '';
    expect(etag).toMatch(/^W\/"[0-9a-f]{64}"$/);
    const again = await ask(of(1), { 'if-none-match': `"other", ${etag}` });
    expect([again.status, again.text, again.headers.get('x-credits-charged')]).toEqual([304, '', '1']);
    expect(again.headers.get('vary')).toBe('Accept-Encoding');
    expect((await ask(of(1), { 'if-none-match': '"other"' })).status).toBe(200);
    expect((await ask(of(2))).headers.get('etag')).not.toBe(etag);
  });
});

describe('errors', () => {
  test.each([
    '123',
    'x',
    '0000000001-20500001',
    '00000000012050000a',
    '0000000001-20-5000011',
    '%20',
    '$ne',
    '__proto__',
    '0000000001%2D20%2D500001x',
  ])('400 for %s', async (accession) => {
    const { status, body, headers } = await ask(accession);
    expect([status, body.error]).toEqual([400, 'invalid_parameter']);
    expect(body.details[0].param).toBe('accession');
    expect(headers.get('x-credits-charged')).toBe('0');
  });

  test.each([
    ['that is not known', of(99), 'filing_not_found', /is known\.$/],
    ['of after the as-of date', of(5), 'filing_not_found', /is known\.$/],
    ['that could not be read', UNREADABLE, 'filing_not_found', /could not be read/],
    ['that is not read yet', UNREAD, 'filing_not_found', /not read yet/],
    ['of another form', HOLDINGS, 'unsupported_form', /is a 13F-HR/],
  ])('404 for a filing %s', async (_which, accession, error, message) => {
    const { status, body, headers } = await ask(accession);
    expect([status, body.error]).toEqual([404, error]);
    expect(body.message).toMatch(message);
    expect(headers.get('x-credits-charged')).toBe('0');
  });

  test('400 for a parameter that it does not have', async () => {
    const { body } = await stage.get(`/v1/filing/${of(1)}?page=1`, key);
    expect(body.details).toEqual([
      { param: 'page', reason: 'is not a parameter here; there are none', value: '1' },
    ]);
  });

  test('401 without a key, 402 without credits, 405 for another method', async () => {
    expect((await stage.get(`/v1/filing/${of(1)}`)).status).toBe(401);
    const poor = await stage.newKey(0);
    expect((await stage.get(`/v1/filing/${of(1)}`, poor.key)).status).toBe(402);
    const put = await fetch(`${stage.origin}/v1/filing/${of(1)}`, { method: 'PUT' });
    expect([put.status, put.headers.get('allow')]).toEqual([405, expect.stringContaining('GET')]);
  });
});
