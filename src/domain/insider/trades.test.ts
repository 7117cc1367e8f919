import { describe, expect, test } from 'vitest';
import { AS_OF, accessionNo, type FormFields, form4, reportingOwner } from '../brief/brief.sample.ts';
import type { Ownership } from '../filing/filing.ts';
import type { IsoDate } from '../ids.ts';
import { transactionItem } from './item.ts';
import type { Trade } from './trade.ts';
import { compareTrades, isEffective, isOpenMarket, tradesOf } from './trades.ts';

const openMarket = (...filings: Ownership[]): Trade[] => tradesOf(filings, AS_OF).filter(isOpenMarket);

const only = (...filings: Ownership[]): Trade => {
  const [trade] = tradesOf(filings, AS_OF);
  if (trade === undefined) throw new Error('the form has a trade');
  return trade;
};

describe('which rows are open-market trades', () => {
  test.each([
    ['P acquired', { code: 'P', acquiredDisposed: 'A' }, 'buy', []],
    ['S disposed', { code: 'S', acquiredDisposed: 'D' }, 'sell', []],
    ['P disposed', { code: 'P', acquiredDisposed: 'D' }, 'other', ['acquired_disposed_mismatch']],
    ['S acquired', { code: 'S', acquiredDisposed: 'A' }, 'other', ['acquired_disposed_mismatch']],
    ['P without a mark', { code: 'P', acquiredDisposed: null }, 'other', ['acquired_disposed_mismatch']],
    ['an award', { code: 'A', acquiredDisposed: 'A', pricePerShare: '0' }, 'other', []],
    ['tax withholding', { code: 'F', acquiredDisposed: 'D' }, 'other', []],
    ['an equity swap', { equitySwap: true }, 'sell', ['equity_swap']],
    ['no shares', { shares: '0' }, 'sell', ['shares_not_positive']],
    ['missing shares', { shares: null }, 'sell', ['shares_not_positive']],
    ['negative shares', { shares: '-5' }, 'sell', ['shares_not_positive']],
  ] as const)('%s (rule 6.2)', (_name, row, side, reasons) => {
    const trade = only(form4({ number: 1, rows: [row] }));
    expect(trade.side).toBe(side);
    expect(trade.reasons).toEqual(reasons);
    expect(isOpenMarket(trade)).toBe(side !== 'other' && reasons.length === 0);
  });

  test('derivative rows and holdings are no trades, and rows keep their numbers (rule 6.1)', () => {
    const form = form4({
      number: 1,
      rows: [{ rowKind: 'holding', code: null }, {}, { table: 'derivative' }],
    });
    expect(tradesOf([form], AS_OF).map(({ id }) => id)).toEqual([`${form.header.accession}:nd:2`]);
  });

  test('a form filed after the as-of date does not exist yet (rule 1.3)', () => {
    expect(tradesOf([form4({ number: 1, filed: '2020-04-01' })], AS_OF)).toEqual([]);
  });
});

describe('prices', () => {
  test.each([
    ['exact', '100', '10.25', 102_500n, []],
    ['a fraction of a cent, half-even down', '1', '0.125', 12n, []],
    ['a fraction of a cent, half-even up', '1', '0.135', 14n, []],
    ['fractional shares', '0.5', '3.01', 150n, []],
    ['zero', '100', '0', null, ['price_zero']],
    ['minus zero', '100', '-0.00', null, ['price_zero']],
    ['negative', '100', '-10.00', null, ['price_implausible']],
    ['missing', '100', null, null, ['price_missing']],
  ] as const)('%s (rule 6.2)', (_name, shares, pricePerShare, cents, reasons) => {
    const trade = only(form4({ number: 1, rows: [{ shares, pricePerShare }] }));
    expect([trade.valueCents, trade.priced, trade.reasons]).toEqual([cents, cents !== null, reasons]);
    expect(isOpenMarket(trade)).toBe(true);
  });
});

describe('dates', () => {
  test.each([
    ['after the filing', '2035-03-02', '2020-03-02'],
    ['a typed year 0022', '0022-03-02', '2020-03-02'],
  ])('%s: kept as filed, placed by the period of report (rule 6.4)', (_name, date, placed) => {
    const trade = only(form4({ number: 1, rows: [{ transactionDate: date as IsoDate }] }));
    expect([trade.placedOn, trade.reasons]).toEqual([placed, ['date_implausible']]);
    expect(transactionItem(trade).transaction_date).toBe(date);
  });

  test('an implausible period of report leaves the filing date (rule 6.4)', () => {
    const row = { transactionDate: null };
    const form = form4({ number: 1, periodOfReport: '2035-01-01' as IsoDate, rows: [row] });
    expect(only(form).placedOn).toBe('2020-03-04');
  });
});

describe('order', () => {
  test('newest trade first, then by value with unpriced trades last, then by id (rule 7.4)', () => {
    const rows = [
      { transactionDate: '2020-01-02' as IsoDate, pricePerShare: '99' },
      { pricePerShare: null },
      { pricePerShare: '5' },
      { pricePerShare: '7' },
      { pricePerShare: '5' },
    ];
    const sorted = openMarket(form4({ number: 1, rows })).sort(compareTrades);
    expect(sorted.map(({ row }) => row.row)).toEqual([4, 3, 5, 2, 1]);
  });
});

describe('transactionItem', () => {
  test('has every field of the wire (rule 11.8)', () => {
    const form = form4({
      number: 7,
      is10b51: true,
      owners: [reportingOwner(1), reportingOwner(2)],
      issuer: { cik: form4({ number: 1 }).issuer.cik, name: 'HUBSPOT INC', symbol: 'NYSE: hubs' },
      footnotes: [{ id: 'F1', text: 'Note' }],
      rows: [
        { pricePerShare: '10.005', footnoteIds: { transactionShares: ['F1'], transactionDate: ['F1'] } },
      ],
    });
    const accession = accessionNo(500_007);
    expect(transactionItem(only(form))).toEqual({
      transaction_id: `${accession}:nd:1`,
      accession_number: accession,
      form_type: '4',
      issuer: { cik: '0001404655', name: 'HUBSPOT INC', ticker: 'HUBS' },
      owners: [1, 2].map((number) => ({
        cik: reportingOwner(number).cik,
        name: `Owner ${number}`,
        is_director: true,
        is_officer: false,
        is_ten_percent_owner: false,
        officer_title: null,
        roles: ['director'],
      })),
      security_title: 'Common Stock',
      transaction_date: '2020-03-02',
      filed_at: '2020-03-04T21:00:00Z',
      code: 'S',
      side: 'sell',
      kind: 'plan',
      acquired_disposed: 'D',
      shares: '100',
      price_per_share: '10.005',
      value_usd: 1000.5,
      shares_owned_after: '900',
      pct_of_holding: 10,
      ownership: 'direct',
      is_10b5_1: true,
      is_derivative: false,
      priced: true,
      footnotes: [{ id: 'F1', text: 'Note', qualifies: ['shares', 'transaction_date'] }],
      amendment: { is_amendment: false, amends: null },
      quality: { status: 'clear', reasons: ['plan_sale'] },
      evidence_ids: [`sec:form4:${accession}`],
      source_url: `https://www.sec.gov/Archives/edgar/data/1404655/${accession.replaceAll('-', '')}/`,
    });
  });

  test('without an acceptance time only the day is given, and a known ticker replaces NONE (rule 1.4)', () => {
    const form = form4({ number: 7, issuer: { cik: reportingOwner(1).cik, name: 'X', symbol: 'NONE' } });
    const item = transactionItem(only({ ...form, header: { ...form.header, acceptedAt: null } }));
    expect([item.filed_at, item.issuer.ticker]).toEqual(['2020-03-04', '']);
  });
});

test('a filing delivered twice counts once (rule 6.6)', () => {
  const form = form4({ number: 1 });
  expect(tradesOf([form, form], AS_OF).filter(isEffective)).toHaveLength(1);
});

const first = form4({ number: 1, owners: [reportingOwner(1), reportingOwner(2)] });

const again = (fields: Partial<FormFields> = {}): Ownership =>
  form4({ number: 2, filed: '2020-03-05', owners: [reportingOwner(2), reportingOwner(3)], ...fields });

/** The form of an owner who holds for one of the first form. */
const GROUP = {
  owners: [reportingOwner(3)],
  footnotes: [{ id: 'F1', text: 'The shares are held of record by Owner 2, LLC.' }],
};
const counted = (...filings: Ownership[]): Trade[] => tradesOf(filings, AS_OF).filter(isOpenMarket);

describe('the same trade in several filings', () => {
  test('counts once, with all filings as evidence and all owners (rule 6.6)', () => {
    const [trade, ...others] = counted(again(), first);
    expect(others).toEqual([]);
    expect(trade?.accessions).toEqual([accessionNo(500_001), accessionNo(500_002)]);
    expect(trade?.owners.map(({ name }) => name)).toEqual(['Owner 1', 'Owner 2', 'Owner 3']);
  });

  test('is recognised in any spelling of amounts and titles (rule 6.6)', () => {
    const spelled = again({
      rows: [{ shares: '100.0', pricePerShare: '10', securityTitle: 'common  stock' }],
    });
    expect(counted(first, spelled)).toHaveLength(1);
  });

  test.each([
    'Common Stock, $0.01 par value',
    'Common Stock, par value $.01 per share',
    'COMMON STOCK ($0.00125 PAR VALUE)',
    'Common Stock, no par value',
    '$1 Par Common Stock',
    'Common Stock, par value 0.01',
    'Common Stock, .01 Par Val.',
    'Common Stock, par value C$1 each',
    'Common Stock, nominal value EUR 0.01',
  ])('is recognised under the title %s (rule 6.6)', (securityTitle) => {
    expect(counted(first, again({ rows: [{ securityTitle }] }))).toHaveLength(1);
  });

  test.each([
    'Participating Common Stock',
    'Parent Common Stock',
    'Common Stock 2 par value',
    'Common Stock, $0.01 par value, Class B',
  ])('is another trade under the title %s (rule 6.6)', (securityTitle) => {
    expect(counted(first, again({ rows: [{ securityTitle }] }))).toHaveLength(2);
  });

  test('is marked as a duplicate on the row that does not count (rule 6.6)', () => {
    expect(tradesOf([first, again()], AS_OF).map(({ reasons }) => reasons)).toEqual([
      [],
      ['duplicate_trade'],
    ]);
  });

  test.each([
    ['more than five days between', { filed: '2020-03-10' }],
    ['other shares', { rows: [{ shares: '101' }] }],
    ['another price', { rows: [{ pricePerShare: '10.01' }] }],
    ['other shares after', { rows: [{ sharesOwnedAfter: '901' }] }],
    ['another security', { rows: [{ securityTitle: 'Class B' }] }],
  ])('%s: two trades (rule 6.6)', (_name, fields) => {
    expect(counted(first, again(fields))).toHaveLength(2);
  });

  test('without a common owner it is one block of a group that a footnote names (rule 6.6)', () => {
    const [trade, ...others] = counted(first, again(GROUP));
    expect(others).toEqual([]);
    expect(trade?.accessions).toEqual([accessionNo(500_001), accessionNo(500_002)]);
    expect(trade?.owners).toHaveLength(3);
  });

  test.each([
    ['no shares after', { sharesOwnedAfter: null }],
    ['no price', { pricePerShare: null }],
    ['no date', { transactionDate: null }],
  ])('without a common owner and with %s it may be another trade (rule 6.6)', (_name, unknown) => {
    const [one, other] = [3, 4].map((number) =>
      form4({ number, owners: [reportingOwner(number)], rows: [unknown] }),
    );
    expect(counted(one as Ownership, other as Ownership)).toHaveLength(2);
    const shared = { ...(other as Ownership), owners: [reportingOwner(3)] };
    expect(counted(one as Ownership, shared)).toHaveLength(1);
  });

  test('a block whose other form is filed more than five days later is another one (rule 6.6)', () => {
    expect(counted(first, again({ ...GROUP, filed: '2020-03-10' }))).toHaveLength(2);
  });

  test('an amendment of one form leaves the other report of the block (rule 6.6)', () => {
    const twin = again(GROUP);
    const fix = form4({
      number: 3,
      filed: '2020-03-09',
      isAmendment: true,
      owners: first.owners,
      rows: [{ pricePerShare: '9' }],
    });
    expect(counted(first, twin, fix).map(({ row }) => row.pricePerShare)).toEqual(['10.00', '9']);
  });

  test('equal rows inside one filing are tranches; the k-th merges with the k-th (rule 6.6)', () => {
    const tranches = form4({ number: 1, rows: [{}, {}, {}] });
    expect(counted(tranches)).toHaveLength(3);
    expect(counted(tranches, again({ owners: [reportingOwner(1)], rows: [{}, {}] }))).toHaveLength(3);
  });

  test('codes other than P and S are never merged (rule 6.6)', () => {
    const award = { code: 'A', acquiredDisposed: 'A' } as const;
    const trades = tradesOf(
      [form4({ number: 1, rows: [award] }), again({ owners: [reportingOwner(1)], rows: [award] })],
      AS_OF,
    );
    expect(trades.map(({ reasons }) => reasons)).toEqual([[], []]);
  });

  test('joint owners of one filing make one trade (rule 6.6)', () => {
    expect(
      counted(form4({ number: 1, owners: [reportingOwner(1), reportingOwner(2), reportingOwner(3)] })),
    ).toHaveLength(1);
  });
});
