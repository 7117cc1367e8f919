import { describe, expect, test } from 'vitest';
import { AS_OF, type FormFields, form4, reportingOwner } from '../brief/brief.sample.ts';
import type { Ownership, OwnershipRow } from '../filing/filing.ts';
import { isOpenMarket, tradesOf } from './trades.ts';

let number = 0;
/** A purchase of 10,000 at 20 by one owner. */
function by(name: string, row: Partial<OwnershipRow> = {}, form: Partial<FormFields> = {}): Ownership {
  number += 1;
  const owners = [{ ...reportingOwner(number), name }];
  const bought = { code: 'P', acquiredDisposed: 'A', shares: '10000', pricePerShare: '20.00' } as const;
  const rows = [{ ...bought, sharesOwnedAfter: '10000', ownership: 'direct' as const, ...row }];
  return form4({ number, owners, rows, ...form });
}
const through = (natureOfOwnership: string): Partial<OwnershipRow> => ({
  ownership: 'indirect',
  natureOfOwnership,
});
const note = (text: string): Partial<FormFields> => ({ footnotes: [{ id: 'F1', text }] });
const counted = (...forms: Ownership[]): number => tradesOf(forms, AS_OF).filter(isOpenMarket).length;

describe('equal purchases of owners without a common form count once (rule 6.6)', () => {
  test('where a footnote of one names the other', () => {
    const partner = by(
      'ASHDOWN PARTNERS GP LLC',
      through('See Footnote'),
      note('Held by Birch Fund II, L.P.'),
    );
    expect(counted(by('BIRCH FUND II LP'), partner)).toBe(1);
    const spouse = by(
      'WREN BEN',
      {},
      note('Held jointly with the spouse of the reporting person, Ada Wren.'),
    );
    expect(counted(by('WREN ADA'), spouse)).toBe(1);
  });

  test('where both hold through one entity', () => {
    const nature = ['By Smith & Hood Investments, LLC', 'Smith & Hood Investments LLC'] as const;
    expect(counted(by('SMITH JOHN', through(nature[0])), by('HOOD MARY', through(nature[1])))).toBe(1);
    const noted = { ...through('By LLC'), footnoteIds: { securityTitle: ['F1'] } };
    const held = 'Owned by Elm & Oak Investments, LLC, of which the reporting person is';
    const one = by('SMITH JOHN', noted, note(`${held} the manager.`));
    expect(counted(one, by('HOOD MARY', noted, note(`${held} a member.`)))).toBe(1);
    expect(counted(one, by('HOOD MARY', noted, note('Owned by Pine Investments, LLC.')))).toBe(2);
  });

  test('where an indirect holder shares the first name of the other, as funds of a sponsor do', () => {
    const manager = by('CEDAR CAPITAL MANAGEMENT LLC', through('See footnote 1'));
    expect(counted(by('CEDAR OPPORTUNITIES MASTER FUND LTD'), manager)).toBe(1);
  });

  test('with other shares owned after, where the row says who holds for whom', () => {
    const partner = { ...through('By Birch Fund II, L.P.'), sharesOwnedAfter: '85000' };
    expect(counted(by('BIRCH FUND II LP'), by('ASHDOWN PARTNERS GP LLC', partner))).toBe(1);
    const inNote = { ...through('See footnote'), footnoteIds: { natureOfOwnership: ['F1'] } };
    const told = by('FIR HOLDINGS LLC', { ...inNote, sharesOwnedAfter: '9' }, note('Held by Birch Fund II.'));
    expect(counted(by('BIRCH FUND II LP'), told)).toBe(1);
  });
});

describe('equal purchases of different insiders stay apart (rule 6.6)', () => {
  test.each([
    ['directors who buy their first shares in one offering', by('WREN ADA'), by('FINCH BEN')],
    [
      'also where both hold through a trust',
      by('WREN ADA', through('By Trust')),
      by('FINCH BEN', through('By Trust')),
    ],
    ['funds of one sponsor that each own what they bought', by('CEDAR FUND I LP'), by('CEDAR FUND II LP')],
    [
      'insiders of one surname, who own different numbers after it',
      by('WREN ADA', through('By IRA')),
      by('WREN BEN', { sharesOwnedAfter: '500' }),
    ],
    [
      'insiders with one and the same footnote about their plans',
      by('KELLY JASON', {}, note('Sold under a plan of the reporting person.')),
      by('SHETTY RESHMA', {}, note('Sold under a plan of the reporting person.')),
    ],
  ])('%s', (_name, one, other) => {
    expect(counted(one, other)).toBe(2);
  });
});
