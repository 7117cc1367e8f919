import { describe, expect, test } from 'vitest';
import { cikOf } from '../brief/brief.sample.ts';
import type { Cusip, IsoDate, Ticker } from '../ids.ts';
import { fails, form4, listed } from './mapping.sample.ts';
import { resolveSecurity, tickersOfCusip } from './resolve.ts';

const META = '30303M102';
const FUND = '53656F417';
const [FACEBOOK, OTHER] = [cikOf(1), cikOf(2)];
const mappings = [
  fails('FB', META, { on: '2022-06-08', from: '2012-05-22', to: '2022-06-08', name: 'FACEBOOK INC CL A' }),
  fails('META', META, { on: '2025-12-31', from: '2022-06-10', to: '2025-12-31', name: 'META PLATFORMS INC' }),
  fails('META', FUND, {
    on: '2022-01-28',
    from: '2021-07-01',
    to: '2022-01-28',
    name: 'ROUNDHILL BALL META',
  }),
  fails('METV', FUND, {
    on: '2025-12-31',
    from: '2022-02-01',
    to: '2025-12-31',
    name: 'ROUNDHILL BALL META',
  }),
  form4('FB', FACEBOOK, {
    on: '2022-06-01',
    from: '2012-05-22',
    to: '2022-06-01',
    name: 'Meta Platforms, Inc.',
  }),
  listed('META', FACEBOOK, { on: '2026-01-02', name: 'Meta Platforms, Inc.' }),
];
const on = (ticker: string, asOf: string, all = mappings) =>
  resolveSecurity(ticker as Ticker, all, asOf as IsoDate);

describe('a ticker that its company has given up (rule 3.10)', () => {
  test('is answered by the ticker of today, and says so', () => {
    expect(on('FB', '2026-01-15')).toMatchObject({
      ticker: 'META',
      cusip: META,
      issuerCik: FACEBOOK,
      formerTicker: 'FB',
    });
    expect(on('META', '2026-01-15')).toMatchObject({ ticker: 'META', cusip: META });
    expect(on('META', '2026-01-15')).not.toHaveProperty('formerTicker');
  });

  test('is its own before the change, and while nothing is known of one', () => {
    expect(on('FB', '2022-06-08')).toMatchObject({ ticker: 'FB', cusip: META });
    const alone = mappings.filter(({ symbol }) => symbol === 'FB');
    expect(on('FB', '2026-01-15', alone)).toMatchObject({ ticker: 'FB' });
  });

  test('is never silently the fund that had it before', () => {
    expect(on('META', '2022-01-28')).toMatchObject({ ticker: 'META', cusip: FUND });
    expect(on('META', '2022-03-15')).toMatchObject({ ticker: 'METV', cusip: FUND, formerTicker: 'META' });
  });

  test('is followed over several renames, and over a new CUSIP of the successor', () => {
    const chain = [
      fails('A', '111111109', { on: '2019-01-02' }),
      fails('B', '111111109', { on: '2020-01-02' }),
      fails('B', '111111208', { on: '2021-01-04' }),
      fails('C', '111111208', { on: '2022-01-04' }),
    ];
    expect(on('A', '2022-03-15', chain)).toMatchObject({
      ticker: 'C',
      cusip: '111111208',
      formerTicker: 'A',
    });
  });

  test('that another company has now too is ambiguous, never the old one', () => {
    const recycled = [...mappings, fails('FB', '74347G705', { on: '2025-11-03', name: 'PROSHARES TR' })];
    expect(on('FB', '2026-01-15', recycled).kind).toBe('ambiguous');
    const listedNow = [...mappings, listed('FB', OTHER, { on: '2026-01-02', name: 'Fresh Bakery Corp' })];
    expect(on('FB', '2026-01-15', listedNow).kind).toBe('ambiguous');
  });

  test('names no security of its own', () => {
    expect(tickersOfCusip(META as Cusip, mappings, '2026-01-15' as IsoDate)).toEqual(['META']);
  });
});
