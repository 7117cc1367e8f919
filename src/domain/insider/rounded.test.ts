import { describe, expect, test } from 'vitest';
import { AS_OF, accessionNo, type FormFields, form4, reportingOwner } from '../brief/brief.sample.ts';
import type { Ownership } from '../filing/filing.ts';
import type { Trade } from './trade.ts';
import { isOpenMarket, tradesOf } from './trades.ts';

const exact = { shares: '628', pricePerShare: '175.2414', sharesOwnedAfter: '565.1234' };
const rounded = { ...exact, pricePerShare: '175.24', sharesOwnedAfter: '565.12' };

/** As a data set has it: no version of the schema, no time of acceptance, two decimals. */
function imported(fields: FormFields): Ownership {
  const form = form4(fields);
  return { ...form, schemaVersion: null, header: { ...form.header, acceptedAt: null } };
}

const counted = (...filings: Ownership[]): Trade[] => tradesOf(filings, AS_OF).filter(isOpenMarket);
const amendment = { isAmendment: true, filed: '2020-03-09' };

describe('a form of a data set beside a document', () => {
  test('is the same trade where it agrees in two decimals (rule 6.6)', () => {
    const original = imported({ number: 1, filed: '2020-03-03', rows: [rounded] });
    const again = form4({ number: 2, owners: [reportingOwner(1), reportingOwner(2)], rows: [exact] });
    const [trade, ...others] = counted(original, again);
    expect(others).toEqual([]);
    expect(trade?.accessions).toEqual([accessionNo(500_001), accessionNo(500_002)]);
    const moreShares = form4({ number: 2, rows: [{ ...exact, pricePerShare: '175.2461' }] });
    expect(counted(original, moreShares)).toHaveLength(2);
  });

  test('two documents are compared with all their decimals (rule 6.6)', () => {
    const rows = [{ ...exact, pricePerShare: '175.2382' }];
    expect(counted(form4({ number: 1, rows: [exact] }), form4({ number: 2, rows }))).toHaveLength(2);
  });

  test('is restated by it, each tranche by its own row (rule 6.5)', () => {
    const tranches = ['10.1234', '10.5678', '10.9876'];
    const original = imported({
      number: 1,
      rows: tranches.map((price) => ({
        pricePerShare: Number(price).toFixed(2),
        sharesOwnedAfter: null,
      })),
    });
    const restated = form4({
      number: 2,
      ...amendment,
      rows: [{ pricePerShare: '10.5678', sharesOwnedAfter: null, securityTitle: 'Common Stock' }],
    });
    const standing = counted(original, restated).map(({ row }) => row.pricePerShare);
    expect(standing).toEqual(['10.12', '10.99', '10.5678']);
  });

  test('is restated where its fractions of shares add up to as many (rule 6.5)', () => {
    const shares = ['10.3333', '10.3333', '10.3334'];
    const original = imported({
      number: 1,
      rows: shares.map((one) => ({ shares: Number(one).toFixed(2), sharesOwnedAfter: null })),
    });
    const restated = form4({ number: 2, ...amendment, rows: [{ shares: '31', sharesOwnedAfter: null }] });
    expect(counted(original, restated).map(({ row }) => row.shares)).toEqual(['31']);
  });

  test('is restated by an amendment of the same day, though its time is unknown (rule 6.5)', () => {
    const original = imported({ number: 1, rows: [rounded] });
    const restated = form4({ number: 2, isAmendment: true, rows: [{ ...exact, shares: '600' }] });
    expect(counted(restated, original).map(({ row }) => row.shares)).toEqual(['600']);
  });
});
