import { describe, expect, test } from 'vitest';
import { AS_OF, accessionNo, type FormFields, form4, reportingOwner } from '../brief/brief.sample.ts';
import type { Ownership } from '../filing/filing.ts';
import type { Trade } from './trade.ts';
import { isOpenMarket, tradesOf } from './trades.ts';

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
