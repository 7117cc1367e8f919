import { describe, expect, test } from 'vitest';
import { briefInput, corpus, form4, observation, resolution } from './brief.sample.ts';
import { buildBrief } from './brief.ts';
import type { BriefInput } from './brief-input.ts';
import type { IsoDate, QuarterEnd } from './ids.ts';

const ownershipFilings = [form4({ number: 1 })];
const observations = [
  ...Array.from({ length: 10 }, () => observation()),
  observation({ currentShares: 0n, reasons: ['confidential_omitted'] }),
];

describe('limitations', () => {
  const sentences = (fields: Partial<BriefInput>): string =>
    buildBrief(briefInput(fields)).coverage.limitations.join('\n');

  test.each([
    ['the open window', { corpus: corpus({ filingWindow: 'open' }) }, 'is open through 2020-02-14'],
    ['the closed window', {}, 'closed on 2020-02-14'],
    ['quarter-end positions', {}, 'quarter-end disclosures'],
    [
      'a newer quarter without reports, from the day after it',
      { asOf: '2020-04-01' as IsoDate },
      'The quarter ended 2020-03-31 is over, but no tracked manager',
    ],
    [
      'an outdated corpus',
      { corpus: corpus({ latestReportedQuarterEnd: '2019-09-30' as QuarterEnd }) },
      'Reports for the quarter ended 2019-12-31 were due by 2020-02-14, but none is stored.',
    ],
    ['no report at all', { corpus: corpus({ latestReportedQuarterEnd: null }) }, 'No 13F report is stored'],
    ['a selected corpus', { corpus: corpus({ sourceComplete: false }) }, "a selection of EDGAR's filings"],
    ['a missing CUSIP', { resolution: resolution({ cusip: null }) }, 'No CUSIP is known for HUBS'],
    ['a missing issuer', { resolution: resolution({ issuerCik: null }) }, 'No issuer CIK is known for HUBS'],
    [
      'a later mapping',
      { resolution: resolution({ reasons: ['mapping_later_source'] }) },
      'with lower confidence',
    ],
    [
      'quarantined 13F',
      { corpus: corpus({ quarantined: { thirteenF: 2, form4: 0 } }) },
      '2 13F filings could not be read and are in no number.',
    ],
    [
      'quarantined forms',
      { corpus: corpus({ quarantined: { thirteenF: 0, form4: 1 } }) },
      '1 Form 4 filing could not be read and is in no number.',
    ],
    ['managers behind, closed', { staleManagers: 3 }, '3 managers without a report for that quarter'],
    [
      'partial Form 4 coverage',
      { corpus: corpus({ coverageStart: '2020-01-02' as IsoDate }) },
      'is incomplete',
    ],
    [
      'a baseline',
      { observations: [observation({ comparable: false })] },
      '1 manager without a comparable report',
    ],
    ['a confidential exit', { observations }, 'may be a position kept confidential'],
    ['a cut list', { observations }, 'Of 11 changes the 8 largest by shares are shown'],
    ['trades', { ownershipFilings }, 'Codes P and S include private purchases'],
  ] as const)('tell of %s', (_name, fields, expected) => {
    expect(sentences(fields as Partial<BriefInput>)).toContain(expected);
  });
});
