import { expect, test } from 'vitest';
import { cikOf } from '../brief/brief.sample.ts';
import type { Ticker } from '../ids.ts';
import { tickerOfForm } from './form-ticker.ts';
import { fails, form4, listed } from './mapping.sample.ts';
import { symbolsIn } from './symbol.ts';

const ISSUER = cikOf(1);
const PREFERRED = 'AMC Preferred Equity Units';
/** The company list is later: Franchise Group has no listed share any more. */
const known = {
  AMC: {
    ofIssuer: [listed('AMC', ISSUER), form4('AMC', ISSUER), form4('APE', ISSUER)],
    printed: [
      fails('AMC', '00165C104', { name: 'AMC ENTMT HLDGS INC CL A COM' }),
      fails('APE', '00165C203', { name: 'AMC ENTMT HLDGS INC PFD EQUITY' }),
    ],
  },
  FRG: {
    ofIssuer: [listed('TAX', ISSUER), form4('FRG', ISSUER), form4('FRGAP', ISSUER)],
    printed: [
      fails('FRG', '35180X105', { name: 'FRANCHISE GROUP INC CL A' }),
      fails('FRGAP', '35180X204', { name: 'FRANCHISE GROUP INC PERP PFD S' }),
    ],
  },
  QB: { ofIssuer: [listed('QB.A', ISSUER), form4('QBA', ISSUER), form4('QBB', ISSUER)], printed: [] },
  SYMQ: { ofIssuer: [listed('SYMQ', ISSUER), form4('SYMQA', ISSUER)], printed: [] },
  NEW: { ofIssuer: [form4('NEWC', ISSUER)], printed: [] },
  TWO: { ofIssuer: [listed('TWO', ISSUER), listed('TWOB', ISSUER)], printed: [] },
};

test.each([
  ['AMC,APE', 'Class A Common Stock', 'AMC', 'AMC'],
  ['AMC,APE', PREFERRED, 'AMC', 'APE'],
  ['AMC/APE', PREFERRED, 'AMC', 'APE'],
  ['AMC', PREFERRED, 'AMC', 'APE'],
  ['FRG FRGAP', 'Common Stock', 'FRG', 'FRG'],
  ['FRG FRGAP', '7.50% Series A Preferred Stock', 'FRG', 'FRGAP'],
  ['QBA, QBB', 'Common Stock', 'QB', 'QB.A'],
  ['SYMQA', 'Common Stock', 'SYMQ', 'SYMQ'],
  ['SYMQ.PK', 'Common Stock', 'SYMQ', 'SYMQ'],
  ['NONE', 'Common Stock', 'SYMQ', 'SYMQ'],
  // Nothing better is known.
  ['NEWC', 'Common Stock', 'NEW', 'NEWC'],
  ['TWOX', 'Common Stock', 'TWO', 'TWOX'],
  ['N/A', 'Common Stock', 'TWO', null],
] as const)('%s of a row titled %s means (rule 6.10)', (text, title, issuer, ticker) => {
  const symbols: Ticker[] = symbolsIn(text);
  expect(tickerOfForm({ symbols, titles: [title] }, known[issuer])).toBe(ticker);
});
