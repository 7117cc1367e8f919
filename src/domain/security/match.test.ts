import { describe, expect, test } from 'vitest';
import { AS_OF, cikOf } from '../brief/brief.sample.ts';
import type { Ticker } from '../ids.ts';
import { fails, form4, listed } from './mapping.sample.ts';
import type { SecurityMapping, SecurityResolution } from './mapping.ts';
import { resolveSecurity } from './resolve.ts';

const [ONE, TWO] = [cikOf(1), cikOf(2)];
const resolve = (ticker: string, mappings: readonly SecurityMapping[]): SecurityResolution =>
  resolveSecurity(ticker as Ticker, mappings, AS_OF);

describe('a CUSIP and a CIK of different companies (rule 3.6)', () => {
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

  test('drop a later CUSIP when a form is earlier', () => {
    const form = form4('S', TWO, { name: 'SentinelOne, Inc.' });
    expect(resolve('S', [laterSprint, form])).toMatchObject({ cusip: null, issuerCik: TWO, reasons: [] });
  });

  test('are ambiguous, with both names, when both are earlier', () => {
    const fund = fails('META', '53656F417', { name: 'ROUNDHILL BALL METAVERSE ETF' });
    expect(resolve('META', [fund, form4('META', ONE, { name: 'Meta Platforms, Inc.' })])).toMatchObject({
      kind: 'ambiguous',
      candidates: ['Meta Platforms, Inc. (CIK 0000000001)', 'ROUNDHILL BALL METAVERSE ETF (CUSIP 53656F417)'],
    });
  });

  test("a form of the issuer wins over today's list", () => {
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

describe('an issuer under a former name keeps its CUSIP and its CIK (rule 3.6)', () => {
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
    // Names of other CUSIPs prove nothing.
    const other = { ...fails('XYZW', '852235100', { name: 'SQUARE ENIX' }), listedNames: ['BLOCK INC'] };
    expect(resolve('SQ', [square, other, block])).toMatchObject({ issuerCik: null });
  });

  test('by a list that has another symbol now', () => {
    const mappings = [
      fails('FB', '30303M102', { name: 'FACEBOOK, INC. CLASS A' }),
      form4('FB', ONE, { name: 'Facebook Inc' }),
      listed('META', ONE, { on: null, name: 'Meta Platforms, Inc.' }),
    ];
    expect(resolve('FB', mappings)).toMatchObject({ cusip: '30303M102', issuerCik: ONE });
  });
});

describe('one form with a wrong symbol (rule 3.6)', () => {
  const apple = [
    fails('AAPL', '037833100', { name: 'APPLE INC' }),
    listed('AAPL', ONE, { on: null, name: 'Apple Inc.' }),
  ];
  const wrong = form4('AAPL', TWO, { on: '2019-08-01', name: 'Applied Nobody Inc' });

  test('does not take the ticker from the listed issuer that the description names', () => {
    expect(resolve('AAPL', [...apple, wrong])).toMatchObject({ cusip: '037833100', issuerCik: ONE });
  });

  test('does not take it from older forms of that issuer', () => {
    const right = form4('AAPL', ONE, { on: '2019-02-01', name: 'Apple Inc.' });
    expect(resolve('AAPL', [...apple, wrong, right])).toMatchObject({ issuerCik: ONE, reasons: [] });
  });
});

describe('a CUSIP that may have stayed with a company of a similar name (rule 3.6)', () => {
  const LONG_AGO = '2019-01-15';
  test.each([
    ['ARRY', '04269X105', 'ARRAY BIOPHARMA INC', 'Array Technologies, Inc.'],
    ['CIVI', '17887R102', 'CIVITAS SOLUTIONS INC COM STK', 'CIVITAS RESOURCES, INC.'],
    ['ECHO', '27875T101', 'ECHO GLOBAL LOGISTICS INC COM', 'EchoStar CORP'],
    ['SES', '871628103', 'SYNTHESIS ENERGY SYSTEMS, INC.', 'SES AI Corp'],
    ['LGCY', '52471T109', 'LEGACY RESVS INC', 'Legacy Education Inc.'],
    ['RDUS', '750469207', 'RADIUS HEALTH INC COM STK', 'RADIUS RECYCLING, INC.'],
    ['AMBR', '02318Y108', 'AMBER ROAD INC COM STK (DE)', 'Amber International Holding Ltd'],
    ['BEAG', '09533V105', 'BLUE EAGLE LITHIUM INC COM (NV', 'Bold Eagle Acquisition Corp.'],
    ['RUBI', '78112V102', 'RUBICON PROJECT INC COM STK (D', 'Rubico Inc.'],
    ['GIX', '375036100', 'GIGCAPITAL2 INC COM (DE)', 'GigCapital9 Corp.'],
    ['GIG', '37518N106', 'GIGCAPITAL INC', 'GigCapital7 Corp.'],
    ['TMTS', '84677L109', 'SPARTACUS ACQUISITION CORP CL', 'Spartacus Acquisition Corp. II'],
  ])('%s is dropped when it was not seen for long', (ticker, cusip, description, name) => {
    const stated = (on: string) => [
      fails(ticker, cusip, { on, name: description }),
      listed(ticker, ONE, { on: '2020-03-20', name }),
    ];
    expect(resolve(ticker, stated(LONG_AGO))).toMatchObject({ cusip: null, issuerCik: ONE });
    expect(resolve(ticker, stated('2020-03-01'))).toMatchObject({ cusip, issuerCik: ONE });
  });

  test.each([
    ['AXP', '025816109', 'AMERICAN EXPRESS COMPANY', 'AMERICAN EXPRESS CO'],
    ['IBM', '459200101', 'INTL BUSINESS MACHS', 'INTERNATIONAL BUSINESS MACHINES CORP'],
    ['HON', '438516106', 'HONEYWELL INTL INC', 'HONEYWELL INTERNATIONAL INC'],
    ['SPG', '828806109', 'SIMON PPTY GROUP INC NEW', 'SIMON PROPERTY GROUP INC /DE/'],
    ['MPC', '56585A102', 'MARATHON PETE CORP COM STK (DE', 'Marathon Petroleum Corp'],
    ['MYI', '09254E103', 'BLACKROCK MUNIYIELD QUALITY FN', 'BLACKROCK MUNIYIELD QUALITY FUND III, INC.'],
    ['DHI', '23331A109', 'DR HORTON INC', 'HORTON D R INC /DE/'],
    ['ATR', '038336103', 'APTAGROUP INC', 'APTARGROUP, INC.'],
    ['CPB', '134429109', 'CAMPBELL SOUP CO CAPITAL', "CAMPBELL'S Co"],
    ['TAOP', 'G8675V101', 'TAPPING INC, BVI ORDINARY SHAR', 'Taoping Inc.'],
    ['ALNY', '02043Q107', 'ALYNLAM PHARMACEUTICALS INC', 'ALNYLAM PHARMACEUTICALS, INC.'],
  ])('%s stays, because its names agree in full', (ticker, cusip, description, name) => {
    const stated = [
      fails(ticker, cusip, { on: LONG_AGO, name: description }),
      listed(ticker, ONE, { on: '2020-03-20', name }),
    ];
    expect(resolve(ticker, stated)).toMatchObject({ cusip, issuerCik: ONE, reasons: [] });
  });

  const coherus = fails('CHRS', '19249H103', { on: LONG_AGO, name: 'COHERUS BIOSCIENCES INC COM' });
  const oncology = (from: string) =>
    listed('CHRS', ONE, { on: '2020-03-20', from, to: '2020-03-20', name: 'Coherus Oncology, Inc.' });

  test('stays when it was seen while its issuer had the ticker, under any name now', () => {
    expect(resolve('CHRS', [coherus, oncology(LONG_AGO)])).toMatchObject({ cusip: '19249H103' });
    expect(resolve('CHRS', [coherus, oncology('2019-01-16')])).toMatchObject({ cusip: null });
    const form = form4('CHRS', ONE, { on: '2018-06-01', name: 'Coherus BioSciences, Inc.' });
    expect(resolve('CHRS', [coherus, oncology('2019-01-16'), form])).toMatchObject({ cusip: '19249H103' });
  });

  test('stays when an official list has the new name', () => {
    const named = { ...coherus, listedNames: ['COHERUS ONCOLOGY INC'] };
    expect(resolve('CHRS', [named, oncology('2019-01-16')])).toMatchObject({ cusip: '19249H103' });
  });

  test('belongs to the issuer that had the ticker at the same time, even recently', () => {
    const old = fails('FOXA', '90130A101', { on: '2020-03-19', name: 'TWENTY-FIRST CENTY FOX INC CL A' });
    const former = form4('FOXA', TWO, { on: '2020-02-20', name: 'Twenty-First Century Fox, Inc.' });
    const fox = [
      form4('FOXA', ONE, { on: '2020-03-20', name: 'Fox Corp' }),
      listed('FOXA', ONE, { on: '2020-03-21', name: 'Fox Corp' }),
    ];
    expect(resolve('FOXA', [old, ...fox])).toMatchObject({ cusip: '90130A101', issuerCik: ONE });
    expect(resolve('FOXA', [old, former, ...fox])).toMatchObject({ cusip: null, issuerCik: ONE });
    const next = fails('FOXA', '35137L105', { on: '2020-03-25', name: 'FOX CORP CL A COM STK' });
    expect(resolve('FOXA', [next, former, ...fox])).toMatchObject({ cusip: '35137L105', issuerCik: ONE });
  });
});
