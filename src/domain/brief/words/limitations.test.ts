import { describe, expect, test } from 'vitest';
import type { Cusip, IsoDate, QuarterEnd } from '../../ids.ts';
import { briefInput, corpus, form4, observation, resolution } from '../brief.sample.ts';
import { buildBrief } from '../brief.ts';
import type { BriefInput } from '../input.ts';

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
    [
      'a manager behind, window closed',
      { staleQuarters: ['2019-09-30'] },
      '1 manager without a report for 2019-12-31 held the security in its last one, for 2019-09-30: not counted.',
    ],
    [
      'managers long behind, window closed',
      { staleQuarters: ['2018-06-30', '2014-12-31', '2014-12-31'] },
      '3 managers without a report for 2019-12-31 held the security in their last ones, for 2014-12-31 to 2018-06-30: not counted.',
    ],
    [
      'a manager that counts by its last report, window open',
      { corpus: corpus({ filingWindow: 'open' }), staleQuarters: ['2019-09-30', '2014-12-31'] },
      '1 manager without a report for 2019-12-31 held the security in its last one, for 2019-09-30: counted by it, and no exit.\n1 manager without a report for 2019-12-31 held the security in its last one, for 2014-12-31: not counted.',
    ],
    [
      'managers that count by their last reports, window open',
      { corpus: corpus({ filingWindow: 'open' }), staleQuarters: ['2019-09-30', '2019-09-30'] },
      '2 managers without a report for 2019-12-31 held the security in their last ones, for 2019-09-30: counted by them, and no exit.',
    ],
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
    [
      'a split that is adjusted (rule 4.5)',
      {
        observations: [
          observation({
            reasons: ['split_adjusted'],
            restated: {
              factor: { numerator: 4n, denominator: 1n },
              fromCusip: null,
              filedPriorAmount: 250n,
            },
          }),
        ],
      },
      'The share counts of its holders confirm a split of 4 for 1: 1 earlier position is restated by it.',
    ],
    [
      'a split that is only suspected (rule 4.7)',
      { observations: [observation({ reasons: ['split_suspected'] })] },
      '1 change is in doubt for a share split that the holders do not clearly confirm.',
    ],
    [
      'a change of CUSIP (rule 4.8)',
      {
        observations: [
          observation({
            reasons: ['cusip_changed'],
            restated: {
              factor: { numerator: 1n, denominator: 1n },
              fromCusip: '443573209' as Cusip,
              filedPriorAmount: 1_000n,
            },
          }),
        ],
      },
      'had the CUSIP 443573209 in the quarter before: 1 earlier position is taken from there.',
    ],
    [
      'a new CUSIP that is only suspected (rule 5.4)',
      { observations: [1, 2].map(() => observation({ reasons: ['cusip_change_suspected'] })) },
      '2 changes are in doubt for a new CUSIP of the security that the holders do not confirm.',
    ],
    [
      'a corporate action (rule 4.9)',
      { observations: [1, 2].map(() => observation({ reasons: ['probable_corporate_action'] })) },
      'as in a merger, a spin-off or a delisting: 2 changes are no decision of a manager.',
    ],
    [
      'a mistyped CUSIP (rule 5.6)',
      { observations: [1, 2].map(() => observation({ reasons: ['cusip_mistyped_elsewhere'] })) },
      '2 initiations and exits are in doubt because the other report names the issuer under an unusable CUSIP.',
    ],
    [
      'a reorganised manager (rule 5.7)',
      { observations: [observation({ reasons: ['manager_reorganised'] })] },
      '1 manager is in the place of another one that no longer reports.',
    ],
    [
      'identical books (rule 4.10)',
      { observations: [1, 2].map(() => observation({ reasons: ['identical_book'] })) },
      '2 managers report the very same positions as another one, as affiliates do; they may be counted twice.',
    ],
    [
      'a late reveal (rule 2.13)',
      { observations: [observation({ reasons: ['confidential_revealed'] })] },
      '1 position is from an amendment that reveals what was confidential: held at the end of the quarter',
    ],
    [
      'an initiation after a report with confidential omissions (rule 2.13)',
      { observations: [observation({ reasons: ['prior_confidential_omitted'] })] },
      '1 initiation is set against a report that omits confidential positions: what seems new may have been held before.',
    ],
    [
      'a report with another number of rows than it declares (rule 2.7)',
      { observations: [1, 2].map(() => observation({ reasons: ['entry_total_mismatch'] })) },
      '2 observations are from a report, or set against one, that has another number of rows than it declares: positions may be missing there.',
    ],
    [
      'a report whose values do not add up to what it declares (rule 2.7)',
      { observations: [observation({ reasons: ['value_total_mismatch'] })] },
      '1 observation is from a report, or set against one, whose values do not add up to the total that it declares',
    ],
    [
      'a value that is no price (rule 4.4)',
      { observations: [observation({ reasons: ['implied_price_outlier'] })] },
      '1 value is far from the price that other holders report, and in no sum of values.',
    ],
    [
      'an unverified unit (rule 4.3)',
      { observations: [observation({ reasons: ['value_unit_unverified'] })] },
      '1 value is in a unit that could not be checked against other filers; the share counts are not affected.',
    ],
    [
      'a corrected unit (rule 4.3)',
      { observations: [observation({ reasons: ['value_unit_thousands_after_2023'] })] },
      '1 value is filed in thousands instead of dollars and corrected.',
    ],
    [
      'text tables',
      { observations: [observation({ reasons: ['text_table'] })] },
      '1 position is read from a text table of before 2013, by its columns.',
    ],
    [
      'a confidential exit (rule 2.13)',
      { observations },
      '1 apparent exit may be of a position kept confidential.',
    ],
    [
      'confidential exits (rule 2.13)',
      {
        observations: [1, 2].map(() => observation({ currentShares: 0n, reasons: ['confidential_omitted'] })),
      },
      '2 apparent exits may be of positions kept confidential.',
    ],
    [
      'unusable observations',
      { observations: [observation({ reasons: ['amount_negative'] })] },
      '1 observation is unusable and in no number; see quality_artifacts.',
    ],
    [
      'a trade without a price',
      { ownershipFilings: [form4({ number: 1, rows: [{ pricePerShare: null }] })] },
      '1 trade without a price weighs nothing in the stance.',
    ],
    [
      'trades without a price',
      { ownershipFilings: [form4({ number: 1, rows: [{ pricePerShare: null }, { pricePerShare: '0' }] })] },
      '2 trades without a price weigh nothing in the stance.',
    ],
    [
      'trades at a price that cannot be',
      { ownershipFilings: [form4({ number: 1, rows: [{ pricePerShare: '-1' }, { pricePerShare: '-2' }] })] },
      '2 trades at a price that no share of the issuer had weigh nothing in the stance.',
    ],
    [
      'unusable trades',
      { ownershipFilings: [form4({ number: 1, rows: [{ shares: '0' }, { shares: '0' }] })] },
      '2 reported trades are replaced, repeated or unusable; see quality_artifacts.',
    ],

    ['a cut list', { observations }, 'Of 11 changes the 8 largest by shares are shown'],
    [
      'private trades under P and S (rule 6.2)',
      { ownershipFilings },
      'Codes P and S include private purchases',
    ],
  ] as const)('tell of %s', (_name, fields, expected) => {
    expect(sentences(fields as Partial<BriefInput>)).toContain(expected);
  });

  test('do not say that a trade at a price that cannot be has none', () => {
    const negative = form4({ number: 1, rows: [{ pricePerShare: '-1' }] });
    expect(sentences({ ownershipFilings: [negative] })).not.toContain('without a price');
  });
});
