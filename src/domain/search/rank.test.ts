import { expect, it } from 'vitest';
import { fundEntry, holdingEntry, search } from './entry.sample.ts';

const APPLE = holdingEntry('APPLE INC', { ticker: 'AAPL', holders: 40 });
const HOSPITALITY = holdingEntry('APPLE HOSPITALITY REIT INC', {
  cusip: '03784Y200',
  ticker: 'APLE',
  holders: 90,
});
const BIG_APPLE = holdingEntry('BIG APPLE CORP', { cusip: '111111111', holders: 99 });
const BERKSHIRE = fundEntry('BERKSHIRE HATHAWAY INC', 220_000_000_000, '0001067983');
const BRK_A = holdingEntry('BERKSHIRE HATHAWAY INC DEL', {
  cusip: '084670108',
  ticker: 'BRK.A',
  holders: 20,
});
const BRK_B = holdingEntry('BERKSHIRE HATHAWAY INC DEL', {
  cusip: '084670702',
  ticker: 'BRK.B',
  holders: 50,
});
const SOCIETE = fundEntry('Société Générale', 1_000_000, '0000000002');
const ALL = [BIG_APPLE, HOSPITALITY, APPLE, BRK_A, BERKSHIRE, BRK_B, SOCIETE];

const found = (text: string) =>
  search(ALL, text).map(({ entry, match }) => [entry.id, match.tier, match.matchedOn]);

it('a whole name comes first, then names that begin with it, then names with the word', () => {
  expect(found('apple')).toEqual([
    ['037833100', 'prefix', 'name'],
    ['03784Y200', 'prefix', 'name'],
    ['111111111', 'words', 'words'],
  ]);
});

it('weak words match and decide nothing: adding one does not change the answer', () => {
  const plain = found('apple');
  for (const weak of ['Inc', 'corp', 'Holdings', 'Capital Management LLC', 'Group, Inc.']) {
    expect(found(`apple ${weak}`)).toEqual(plain);
  }
});

it('an exact ticker comes before names, in every spelling of a share class', () => {
  for (const spelling of ['BRK.B', 'brk-b', 'BRK/B', 'brkb']) {
    expect(found(spelling)[0]).toEqual(['084670702', 'exact', 'ticker']);
  }
  expect(found('BRK')).toEqual([
    ['084670702', 'prefix', 'ticker'],
    ['084670108', 'prefix', 'ticker'],
  ]);
});

it('a CIK is exact with and without its zeros, a CUSIP in any case', () => {
  expect(found('1067983')).toEqual([['0001067983', 'exact', 'cik']]);
  expect(found('0001067983')).toEqual([['0001067983', 'exact', 'cik']]);
  expect(found('03784y200')).toEqual([['03784Y200', 'exact', 'cusip']]);
});

it('identifiers are exact: no typing error is forgiven in them', () => {
  expect(found('1067984')).toEqual([]);
  expect(found('03784Y201')).toEqual([]);
  expect(found('BRK.C')).toEqual([]);
});

it('accents, case, punctuation and spaces inside a name do not count', () => {
  expect(found('societe generale')).toEqual([['0000000002', 'prefix', 'name']]);
  expect(found('SOCIÉTÉ-GÉNÉRALE')).toEqual([['0000000002', 'prefix', 'name']]);
  expect(found('berk shire').map(([id]) => id)).toContain('0001067983');
});

it('words are found in any order and by their beginnings', () => {
  expect(found('hathaway berk').map(([, tier]) => tier)).toEqual(['words', 'words', 'words']);
  expect(found('hathaway apple')).toEqual([]);
});

it('matches with typing errors come after all others', () => {
  expect(found('berkhsire hathway').map(([id, tier]) => [id, tier])).toEqual([
    ['0001067983', 'spelling'],
    ['084670702', 'spelling'],
    ['084670108', 'spelling'],
  ]);
  expect(found('aplpe')[0]?.[2]).toBe('spelling');
});

it('of equal answers the heavier comes first, and of equal weights the lower id', () => {
  const twins = [fundEntry('Alpha One', 5, '0000000009'), fundEntry('Alpha Two', 5, '0000000003')];
  expect(search(twins, 'alpha').map(({ entry }) => entry.id)).toEqual(['0000000003', '0000000009']);
  const heavier = fundEntry('Alpha Six', 500_000, '0000000010');
  expect(search([...twins, heavier], 'alpha')[0]?.entry.id).toBe('0000000010');
});

it('another spelling of the issuer finds the security, under its usual name', () => {
  const ibm = holdingEntry('INTERNATIONAL BUSINESS MACHS', { aliases: ['INTL BUSINESS MACHINES CORP'] });
  const [hit] = search([ibm], 'business machines');
  expect(hit?.entry.name).toBe('INTERNATIONAL BUSINESS MACHS');
});

it('of funds of one name the one that reports today comes first and the one that stopped last, whatever the other held last', () => {
  const stopped = fundEntry('RAVENSCOURT CAPITAL', 10_000_000_000, '0001364811', '2019-03-31');
  const late = fundEntry('RAVENSCOURT CAPITAL', 100_000_000, '0001999999', '2018-12-31');
  const reports = fundEntry('RAVENSCOURT CAPITAL', 2_000_000, '0002012411');
  const ids = search([stopped, late, reports], 'ravenscourt').map(({ entry }) => entry.id);
  expect(ids).toEqual(['0002012411', '0001999999', '0001364811']);
});
