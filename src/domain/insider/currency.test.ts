import { expect, test } from 'vitest';
import { AS_OF, form4 } from '../brief/brief.sample.ts';
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
