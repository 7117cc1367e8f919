import { describe, expect, test } from 'vitest';
import { AS_OF, cikOf } from './brief.sample.ts';
import type { SecurityResolution } from './brief-input.ts';
import type { Ticker } from './ids.ts';
import { fails, form4, listed } from './security.sample.ts';
import { resolveSecurity, type SecurityMapping } from './security.ts';

const [ONE, TWO] = [cikOf(1), cikOf(2)];
const resolve = (ticker: string, mappings: readonly SecurityMapping[]): SecurityResolution =>
  resolveSecurity(ticker as Ticker, mappings, AS_OF);

describe('a CUSIP and a CIK of different companies (domain 2.10)', () => {
  const sprint = fails('S', '85207U105', { name: 'SPRINT CORPORATION COM(NEW)' });
  const laterSprint = fails('S', '85207U105', { name: 'SPRINT CORPORATION COM(NEW)', on: '2020-05-01' });
  const sentinel = (on: string | null) => listed('S', TWO, { on, name: 'SentinelOne, Inc.' });

  test.each([null, '2021-01-04'])('drop the issuer of a list of %s', (on) => {
    expect(resolve('S', [sprint, sentinel(on)])).toMatchObject({
      kind: 'resolved',
      cusip: '85207U105',
      issuerCik: null,
      name: 'SPRINT CORPORATION COM(NEW)',
      reasons: [],
    });
  });

  test('drop a later CUSIP against a form of before', () => {
    const form = form4('S', TWO, { name: 'SentinelOne, Inc.' });
    expect(resolve('S', [laterSprint, form])).toMatchObject({ cusip: null, issuerCik: TWO, reasons: [] });
  });

  test('are refused and named when both are of before', () => {
    const fund = fails('META', '53656F417', { name: 'ROUNDHILL BALL METAVERSE ETF' });
    expect(resolve('META', [fund, form4('META', ONE, { name: 'Meta Platforms, Inc.' })])).toMatchObject({
      kind: 'ambiguous',
      candidates: ['Meta Platforms, Inc. (CIK 0000000001)', 'ROUNDHILL BALL METAVERSE ETF (CUSIP 53656F417)'],
    });
  });

  test('a form of the issuer decides for it against the list of today', () => {
    const braves = [
      fails('BATRA', '531229706', { name: 'LIBERTY MEDIA CORP DEL COM SER' }),
      listed('BATRA', TWO, { on: null, name: 'Atlanta Braves Holdings, Inc.' }),
    ];
    const form = (on: string) => form4('BATRA', ONE, { on, name: 'Liberty Media Corp' });
    for (const on of ['2020-02-20', '2017-02-20']) {
      expect(resolve('BATRA', [...braves, form(on)])).toMatchObject({ cusip: '531229706', issuerCik: ONE });
    }
  });
});

describe('an issuer under a former name keeps its CUSIP and its CIK (domain 2.10)', () => {
  const kellogg = fails('K', '487836108', { name: 'KELLOGG CO' });
  const kellanova = listed('K', ONE, { on: null, name: 'KELLANOVA' });
  test('by a form that has the former name', () => {
    const old = form4('K', ONE, { on: '2017-03-01', name: 'KELLOGG CO' });
    expect(resolve('K', [kellogg, kellanova, old])).toMatchObject({ cusip: '487836108', issuerCik: ONE });
  });

  test('by a description of the same CUSIP that has the new name', () => {
    const later = fails('K', '487836108', { on: '2023-11-01', name: 'KELLANOVA COM' });
    expect(resolve('K', [kellogg, kellanova, later])).toMatchObject({ cusip: '487836108', issuerCik: ONE });
  });

  test('by an official list that calls the issuer of the CUSIP by the new name', () => {
    const square = fails('SQ', '852234103', { name: 'SQUARE, INC CLASS A COM STK' });
    const block = listed('SQ', ONE, { on: null, name: 'Block, Inc.' });
    expect(resolve('SQ', [square, block])).toMatchObject({ cusip: '852234103', issuerCik: null });
    const named = { ...square, listedNames: ['BLOCK INC', 'SQUARE INC'] };
    expect(resolve('SQ', [named, block])).toMatchObject({ cusip: '852234103', issuerCik: ONE });
    // The names of others' CUSIPs prove nothing.
    const other = { ...fails('XYZW', '852235100', { name: 'SQUARE ENIX' }), listedNames: ['BLOCK INC'] };
    expect(resolve('SQ', [square, other, block])).toMatchObject({ issuerCik: null });
  });

  test('by a list that has moved on to another symbol', () => {
    const mappings = [
      fails('FB', '30303M102', { name: 'FACEBOOK, INC. CLASS A' }),
      form4('FB', ONE, { name: 'Facebook Inc' }),
      listed('META', ONE, { on: null, name: 'Meta Platforms, Inc.' }),
    ];
    expect(resolve('FB', mappings)).toMatchObject({ cusip: '30303M102', issuerCik: ONE });
  });
});

describe('one form with a wrong symbol (domain 2.10)', () => {
  const apple = [
    fails('AAPL', '037833100', { name: 'APPLE INC' }),
    listed('AAPL', ONE, { on: null, name: 'Apple Inc.' }),
  ];
  const wrong = form4('AAPL', TWO, { on: '2019-08-01', name: 'Applied Nobody Inc' });

  test('does not take the ticker from the listed issuer that the description names', () => {
    expect(resolve('AAPL', [...apple, wrong])).toMatchObject({ cusip: '037833100', issuerCik: ONE });
  });

  test('nor from the forms of that issuer, though they are older', () => {
    const right = form4('AAPL', ONE, { on: '2019-02-01', name: 'Apple Inc.' });
    expect(resolve('AAPL', [...apple, wrong, right])).toMatchObject({ issuerCik: ONE, reasons: [] });
  });
});
