import { expect, test } from 'vitest';
import type { IsoDate } from '../ids.ts';
import { exemptOf } from './coverage.ts';

const BEFORE = '2026-03-17' as IsoDate;
const FROM = '2026-03-18' as IsoDate;

// Names as fails-to-deliver files of 2019 and 2020 print them.
test.each([
  'SPDR S&P 500 ETF TR',
  'INVESCO QQQ TR',
  'ISHARES CORE S&P 500 ETF',
  'FINANCIAL SECTOR SPDR',
  'VANGUARD TOTAL STOCK MARKET ET',
])('a fund has no insiders who file Form 4, on any day (rule 6.13): %s', (name) => {
  expect([exemptOf(name, BEFORE), exemptOf(name, FROM)]).toEqual(['fund', 'fund']);
});

test.each([
  'SANOFI-ADR',
  'BP PLC ADS(RP 6 ORD)',
  'NOVO NORDISK ADS (1 ORD SH)',
  'ALIBABA GROUP HLDG LTD SPONSOR',
  'BURBERRY GROUP PLC SPONSORED A',
  'TAIWAN SEMICON MFG LTD(5COMSH)',
  'ASML HOLDING NV NY REG SHS NEW',
  'ADECCO GROUP AG AMERICAN DEPOS',
  'Some Company N.V. Ordinary Shares',
])('insiders of a foreign issuer file Form 4 since 2026-03-18 (rule 6.13): %s', (name) => {
  expect([exemptOf(name, BEFORE), exemptOf(name, FROM)]).toEqual(['foreign_issuer', null]);
});

test.each([
  'APPLE INC',
  'HUBSPOT INC',
  'LORD ABBETT',
  'NETFLIX INC COM',
  'NEWS CORP CL A',
  'ORD BANCORP LTD',
  'ADAMS RES & ENERGY INC',
])('other names tell nothing (rule 6.13): %s', (name) => {
  expect(exemptOf(name, BEFORE)).toBeNull();
});
