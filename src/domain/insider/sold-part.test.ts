import { expect, it } from 'vitest';
import { form4, reportingOwner } from '../brief/brief.sample.ts';
import type { OwnershipRow } from '../filing/filing.ts';
import type { IsoDate } from '../ids.ts';
import { soldPart, tradesOf } from './trades.ts';

const AS_OF = '2020-03-31' as IsoDate;
const direct = { ownership: 'direct' } as const;
const partOf = (...rows: Partial<OwnershipRow>[]) =>
  soldPart(tradesOf([form4({ number: 1, owners: [reportingOwner(1)], rows })], AS_OF));

it('tranches of one line take what was held before the first of them, in any order (rule 6.12)', () => {
  const rows = [
    { shares: '25', sharesOwnedAfter: '50', ...direct },
    { shares: '25', sharesOwnedAfter: '75', ...direct },
  ];
  expect(partOf(...rows)).toEqual({ pct: 50, isDirect: true });
  expect(partOf(...rows.toReversed())).toEqual({ pct: 50, isDirect: true });
});

it('lines of ownership count apart, and those without a sale not at all (rule 6.12)', () => {
  const trust = { ownership: 'indirect', natureOfOwnership: 'By trust' } as const;
  expect(
    partOf(
      { shares: '50', sharesOwnedAfter: '50', ...direct },
      { shares: '100', sharesOwnedAfter: '0', ...trust },
    ),
  ).toEqual({ pct: 75, isDirect: false });
});

it('is unknown where shares came in between, or where a form does not say what is left (rule 6.12)', () => {
  const bought = [
    { shares: '10', sharesOwnedAfter: '90', ...direct },
    { shares: '10', sharesOwnedAfter: '90', ...direct },
  ];
  expect(partOf(...bought)).toBeNull();
  expect(partOf({ shares: '10', sharesOwnedAfter: null, ...direct })).toBeNull();
  expect(partOf()).toBeNull();
});
