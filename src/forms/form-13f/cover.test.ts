import { describe, expect, test } from 'vitest';
import { filingText } from '../../../test/filings/read.ts';
import { ParseError } from '../parse-error.ts';
import { readCover } from './cover.ts';

const amendment = filingText('xml-only/berkshire_2025q1_new_holdings_amendment_primary_doc.xml');
const edited = (from: string | RegExp, to: string) => {
  const text = amendment.replace(from, to);
  if (text === amendment) throw new Error(`${from} is not in the cover`);
  return readCover(text);
};
const element = (name: string) => new RegExp(`<${name}>[^<]*</${name}>\\s*`);

describe('what an amendment discloses', () => {
  test('includes why and when its positions were no longer confidential (rule 2.13)', () => {
    expect(readCover(amendment).confidentialReveal).toEqual({
      reason: 'expired',
      dateDeniedOrExpired: '2025-08-14',
      dateReported: '2025-05-15',
    });
  });

  test('may have been denied confidential treatment (rule 2.13)', () => {
    expect(edited('Confidential Treatment Expired', 'Denied').confidentialReveal?.reason).toBe('denied');
  });

  test('is null when the cover denies it or does not state it (rule 2.13)', () => {
    expect(edited('<confDeniedExpired>true', '<confDeniedExpired>false').confidentialReveal).toBeNull();
    expect(edited(element('confDeniedExpired'), '').confidentialReveal).toBeNull();
  });

  test('stays disclosed without a readable date or reason (rule 2.13)', () => {
    expect(edited('08-14-2025', '14 August 2025').confidentialReveal?.dateDeniedOrExpired).toBeNull();
    expect(edited(element('reasonForNonConfidentiality'), '').confidentialReveal?.reason).toBeNull();
    expect(edited(element('dateReported'), '').confidentialReveal?.dateReported).toBeNull();
  });
});

test('omitted confidential positions are read from the summary page (rule 2.13)', () => {
  expect(readCover(amendment).confidentialOmitted).toBe(false);
  const omitting = edited('<isConfidentialOmitted>false', '<isConfidentialOmitted>true');
  expect(omitting.confidentialOmitted).toBe(true);
  expect(edited(element('isConfidentialOmitted'), '').confidentialOmitted).toBeNull();
});

test('totals may be written with commas, and are not guessed when unreadable (rule 1.6)', () => {
  expect(edited('1106550356', '1,106,550,356').declaredValueTotal).toBe(1_106_550_356n);
  expect(() => edited('1106550356', 'about a billion')).toThrow(ParseError);
});

test('the report type is a notice, a table or a combination of both (rule 2.12)', () => {
  expect(readCover(amendment).reportType).toBe('holdings');
  expect(edited('13F HOLDINGS REPORT', '13F NOTICE').reportType).toBe('notice');
  expect(edited('13F HOLDINGS REPORT', '13F COMBINATION REPORT').reportType).toBe('combination');
  expect(() => edited('13F HOLDINGS REPORT', 'SOMETHING ELSE')).toThrow(ParseError);
});
