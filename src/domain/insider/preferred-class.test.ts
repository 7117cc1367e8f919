import { expect, test } from 'vitest';
import { cikOf } from '../brief/brief.sample.ts';
import type { IsoDate, Ticker } from '../ids.ts';
import { fails, form4 } from '../security/mapping.sample.ts';
import { resolveSecurity } from '../security/resolve.ts';
import { shareClassReasons } from './class.ts';

const NAME = 'AMC ENTERTAINMENT HOLDINGS, INC.';
const MAPPINGS = [
  fails('AMC', '00165C104', { name: 'AMC ENTMT HLDGS INC CL A COM' }),
  fails('APE', '00165C203', { name: 'AMC ENTMT HLDGS INC PFD EQUITY' }),
  form4('AMC', cikOf(1), { name: NAME }),
  form4('APE', cikOf(1), { name: NAME }),
  fails('SQFT', '74102L303', { name: 'PRESIDIO PPTY TR INC CLASS A N' }),
  fails('SQFTP', '74102L402', { name: 'PRESIDIO PPTY TR INC CUM RED P' }),
  form4('SQFT', cikOf(2), { name: 'Presidio Property Trust, Inc.' }),
  form4('SQFTP', cikOf(2), { name: 'Presidio Property Trust, Inc.' }),
];
const PREFERRED = 'Preferred Stock - Series D - SQFTP';

/** Forms 0001140361-23-031018 and 0001209191-23-031013 name both symbols. */
test.each([
  ['APE', 'AMC Preferred Equity Units', []],
  ['APE', 'Class A Common Stock', ['other_share_class']],
  ['AMC', 'AMC Preferred Equity Units', ['other_share_class']],
  ['SQFTP', PREFERRED, []],
  ['SQFTP', 'Common Stock - Series A', ['other_share_class']],
  ['SQFT', PREFERRED, ['other_share_class']],
])('for %s a row titled %s has %j (rule 6.9)', (ticker, securityTitle, reasons) => {
  const security = resolveSecurity(ticker as Ticker, MAPPINGS, '2020-01-15' as IsoDate);
  if (security.kind !== 'resolved') throw new Error('not resolved');
  const trade = {
    row: { securityTitle },
    filing: { issuer: { symbol: ticker.startsWith('SQ') ? 'SQFT,SQFTP' : 'AMC,APE' } },
  };
  expect(shareClassReasons(trade, security)).toEqual(reasons);
});
