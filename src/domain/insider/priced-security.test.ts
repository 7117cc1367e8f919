import { expect, test } from 'vitest';
import { AS_OF, briefInput, form4 } from '../brief/brief.sample.ts';
import { buildBrief } from '../brief/brief.ts';
import { tradesOf } from './trades.ts';

/** A purchase of 860,000,000 shares at 2.75 with footnotes at its shares and its price. */
function boughtWith(securityTitle: string, ...texts: string[]) {
  const ids = texts.map((_, at) => `F${at + 1}`);
  const footnoteIds = { transactionShares: ids.slice(0, -1), transactionPricePerShare: ids.slice(-1) };
  const rows = [{ code: 'P', shares: '860000000', pricePerShare: '2.75', securityTitle, footnoteIds }];
  const footnotes = texts.map((text, at) => ({ id: ids[at] as string, text }));
  return form4({ number: 1, rows, footnotes });
}
const valueWith = (...args: Parameters<typeof boughtWith>) => {
  const [trade] = tradesOf([boughtWith(...args)], AS_OF);
  return [trade?.valueCents ?? null, trade?.reasons.includes('price_of_other_security')];
};
const VALUED = [236_500_000_000n, false];
const ORDINARY = 'Ordinary Shares';

test.each([
  [ORDINARY, 'Price per ADS; each ADS represents 20,000 ordinary shares.'],
  [ORDINARY, 'The reported price is per ADS.'],
  [ORDINARY, 'Each GDS represents thirty Ordinary Shares. The price reported is per GDS.'],
  [ORDINARY, 'Held as American Depositary Shares.', 'The price is that of one American Depositary Share.'],
  [ORDINARY, 'Weighted average of prices ranging from $2.70 to $2.80 per ADR, inclusive.'],
  ['Ordinary Shares, represented by ADSs', 'The price is reported for each ADS.'],
  ['Class A Common Stock', 'Bought in units of a share and half a warrant. The price is per unit.'],
  ['Common Stock', 'The purchase price of $2.75 per warrant.'],
  ['American Depositary Shares', 'The price is that of one ordinary share.'],
])('%s at a price of another security have no value (rule 6.2): %s %s', (title, ...texts) => {
  expect(valueWith(title, ...texts)).toEqual([null, true]);
});

test.each([
  ['American Depositary Shares', 'Each American Depositary Share represents five ordinary shares.'],
  ['American Depositary Shares, each representing 5 ordinary shares', 'Price per ADS.'],
  [ORDINARY, 'Each ADS represents 20,000 ordinary shares.'],
  [ORDINARY, 'The price per ordinary share was calculated by dividing the price per ADS by 20,000.'],
  ['Common Units', 'The price is the weighted average price per unit.'],
  ['Common Stock', 'With each share came a warrant with an exercise price of $11.50 per warrant.'],
  ['Common Stock', 'The price per share is an average. The units vest in March.'],
])('%s at their own price have a value (rule 6.2): %s', (title, text) => {
  expect(valueWith(title, text)).toEqual(VALUED);
});

test('such a trade is in no headline and in no total, and the brief says why (rule 6.2)', () => {
  const form = boughtWith(ORDINARY, 'Price per ADS; each ADS represents 20,000 ordinary shares.');
  const brief = buildBrief(briefInput({ ownershipFilings: [form] }));
  expect(brief.headline).toContain('bought shares at no known price');
  expect(brief.insiders.totals.buy_value_usd).toBeNull();
  expect(brief.coverage.limitations.join(' ')).toContain(
    '1 trade has the price of another security than the shares counted',
  );
});
