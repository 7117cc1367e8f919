import { describe, expect, test } from 'vitest';
import type { IsoDate, QuarterEnd } from '../ids.ts';
import { briefInput, corpus, resolution } from './brief.sample.ts';
import { form4Status, thirteenFStatus } from './coverage.ts';
import { windowOf } from './insider-leg.ts';

const BEFORE = '2019-09-30' as QuarterEnd;

describe('thirteenFStatus', () => {
  const quarantined = { thirteenF: 1, form4: 0 };
  test.each([
    ['everything there', briefInput(), 'available'],
    ['unknown ticker', briefInput({ resolution: { ...resolution(), kind: 'unknown' } }), 'unavailable'],
    ['no CUSIP', briefInput({ resolution: resolution({ cusip: null }) }), 'unavailable'],
    ['no report', briefInput({ corpus: corpus({ latestReportedQuarterEnd: null }) }), 'unavailable'],
    [
      'old quarter',
      briefInput({ corpus: corpus({ latestReportedQuarterEnd: '2019-09-30' as QuarterEnd }) }),
      'stale',
    ],
    ['selected source', briefInput({ corpus: corpus({ sourceComplete: false }) }), 'partial'],
    ['quarantined 13F', briefInput({ corpus: corpus({ quarantined }) }), 'partial'],
    [
      'behind, window open',
      briefInput({ corpus: corpus({ filingWindow: 'open' }), staleQuarters: [BEFORE] }),
      'partial',
    ],
    ['no manager behind, window open', briefInput({ corpus: corpus({ filingWindow: 'open' }) }), 'available'],
    ['behind, window closed', briefInput({ staleQuarters: [BEFORE] }), 'available'],
  ] as const)('%s is %s', (_name, input, expected) => {
    expect(thirteenFStatus(input)).toBe(expected);
  });
});

describe('form4Status', () => {
  const status = (fields: Parameters<typeof corpus>[0], issuer = resolution()): string => {
    const input = briefInput({ corpus: corpus(fields), resolution: issuer });
    return form4Status(input, windowOf(input.asOf));
  };

  test('the window is 180 days before the as-of date, both ends included (rule 6.4)', () => {
    expect(windowOf('2020-03-31' as IsoDate)).toEqual({ start: '2019-10-03', end: '2020-03-31' });
  });

  test('is complete from the window start through the last business day before its end (rule 8.4)', () => {
    expect(status({ coverageStart: '2019-10-03' as IsoDate, indexedThrough: '2020-03-30' as IsoDate })).toBe(
      'complete',
    );
    expect(status({ coverageStart: '2019-10-04' as IsoDate })).toBe('partial');
    expect(status({ indexedThrough: '2020-03-29' as IsoDate })).toBe('partial');
    expect(status({ indexedThrough: null })).toBe('partial');
  });

  test('is partial for a selected source or quarantined forms', () => {
    expect(status({ sourceComplete: false })).toBe('partial');
    expect(status({ quarantined: { thirteenF: 0, form4: 1 } })).toBe('partial');
    expect(status({ quarantined: { thirteenF: 1, form4: 0 } })).toBe('complete');
  });

  test('is unavailable without any reconciled day or without the issuer', () => {
    expect(status({ coverageStart: null })).toBe('unavailable');
    expect(status({}, resolution({ issuerCik: null }))).toBe('unavailable');
  });
});
