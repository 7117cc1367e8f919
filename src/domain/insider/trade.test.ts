import { expect, test } from 'vitest';
import { AS_OF, briefInput, form4 } from '../brief/brief.sample.ts';
import { buildBrief } from '../brief/brief.ts';
import type { OwnershipRow } from '../filing/filing.ts';
import { transactionItem } from './item.ts';
import { tradesOf } from './trades.ts';

function soldWith(text: string, row: Partial<OwnershipRow> = {}) {
  const rows = [{ footnoteIds: { transactionPricePerShare: ['F1'] }, ...row }];
  const [trade] = tradesOf([form4({ number: 1, rows, footnotes: [{ id: 'F1', text }] })], AS_OF);
  if (trade === undefined) throw new Error('the form has a trade');
  return transactionItem(trade);
}

test.each([
  'The price is in Canadian dollars.',
  'Weighted average price; the shares were sold at prices from C$7.10 to C$7.15.',
  'Price per share reported in EUR.',
  'The prices are in New Taiwan dollars and were not converted.',
])('a price in another currency has no value in dollars (rule 6.2): %s', (text) => {
  const item = soldWith(text);
  expect(item).toMatchObject({ price_per_share: '10.00', value_usd: null, priced: false });
  expect(item.quality.reasons).toContain('foreign_currency_price');
});

test('so has one whose title names the currency', () => {
  expect(soldWith('', { securityTitle: 'Common Shares (CAD)' }).value_usd).toBeNull();
});

test.each([
  'The price was translated from New Taiwan dollars, NT$2,215, at the rate of NT$31.650 to US$1.',
  'Sold for C$7.12 a share on the TSX; the price shown is the equivalent at the rate of the day.',
  'Ordinary shares, par value NIS 0.01 per share, at a weighted average price.',
  'The price is in US$.',
  'The shares are held by a Canadian company. The price includes no commission.',
])('a price in US dollars keeps its value: %s', (text) => {
  expect(soldWith(text)).toMatchObject({ value_usd: 1000, priced: true });
});

test.each(['Ordinary Shares, par value EUR 0.10', 'Ordinary Shares, NIS 0.01', 'Registered Shares CHF 0.5'])(
  'the currency of the par value is not that of the price: %s',
  (securityTitle) => {
    expect(soldWith('', { securityTitle }).value_usd).toBe(1000);
  },
);

test('a price of 0 is 0 in every currency', () => {
  const item = soldWith('The price is in Canadian dollars.', { pricePerShare: '0' });
  expect(item.quality.reasons).toEqual(['price_zero']);
});

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
