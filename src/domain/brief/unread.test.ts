import { describe, expect, test } from 'vitest';
import type { QuarterEnd } from '../ids.ts';
import { accessionNo, briefInput, cikOf, corpus, form4, observation, QUARTER } from './brief.sample.ts';
import { buildBrief } from './brief.ts';

const BEFORE = '2019-09-30' as QuarterEnd;
/** The manager behind the first of `staleQuarters` of the sample. */
const LATE = cikOf(800_000);
const filed = { accession: accessionNo(7), cik: LATE, quarterEnd: QUARTER };
const FORM = accessionNo(8);
const built = (fields: Parameters<typeof briefInput>[0]) => buildBrief(briefInput(fields));

describe('a 13F of a holder that cannot be read', () => {
  const brief = built({ observations: [observation()], staleQuarters: [BEFORE], unread: [filed] });

  test('is named by its accession number, and its manager is not said to have reported nothing', () => {
    expect(brief.coverage.thirteen_f.unread_filings).toEqual([filed.accession]);
    expect(brief.coverage.limitations).toContain(
      '1 13F filing of managers that held the security could not be read: 0000000001-20-000007 for 2019-12-31. What it says of the security is not known and in no figure.',
    );
    expect(brief.coverage.limitations.join(' ')).not.toContain('no stored report');
    expect(brief.coverage.thirteen_f.stale_manager_observations).toBe(0);
    expect(brief.outcome).toBe('partial');
  });

  test('for an earlier quarter leaves the manager without a report for the latest one', () => {
    const unread = [{ ...filed, quarterEnd: BEFORE }];
    const words = built({ staleQuarters: [BEFORE], unread }).coverage.limitations.join(' ');
    expect(words).toMatch(/0000000001-20-000007 for 2019-09-30.*not known/);
    expect(words).toContain('has no stored report for 2019-12-31');
  });

  test('leaves a direction open where nobody else reports the security', () => {
    const open = corpus({ filingWindow: 'open' });
    const none = built({ staleQuarters: [BEFORE], unread: [filed], corpus: open });
    expect(none.outcome).toBe('uncertain');
    expect(none.institutional.stance).toBe('not_determined');
    expect(none.headline).toContain('1 13F filing of managers that held it could not be read.');
    expect(built({ staleQuarters: [BEFORE] })).toMatchObject({
      outcome: 'no_data',
      institutional: { stance: 'none_found' },
    });
  });
});

describe('a Form 4 of the issuer that cannot be read', () => {
  test('is named, and no trade is not said to be none', () => {
    const brief = built({ observations: [observation()], unreadForms: [FORM] });
    expect(brief.insiders.stance).toBe('not_available');
    expect(brief.headline).toContain('Insider trades are not known: 1 Form 4 filing could not be read.');
    expect(brief.coverage.form4.unread_filings).toEqual([FORM]);
    expect(brief.coverage.limitation_codes).toContainEqual({
      code: 'insider_filings_unread',
      scope: 'ticker',
    });
    expect(brief.outcome).toBe('partial');
  });

  test('leaves the stance of the trades that were read', () => {
    const forms = { ownershipFilings: [form4({ number: 1 })], unreadForms: [FORM] };
    expect(built(forms).insiders.stance).toBe('net_selling');
    expect(built(forms).coverage.limitations.join(' ')).toContain(FORM);
  });
});
