import { describe, expect, test } from 'vitest';
import type { Cusip, IsoDate, QuarterEnd, Ticker } from '../../ids.ts';
import {
  briefInput,
  corpus,
  form4,
  type InputFields,
  observation,
  reportingOwner,
  resolution,
} from '../brief.sample.ts';
import { buildBrief } from '../brief.ts';

const ownershipFilings = [form4({ number: 1 })];
const observations = [
  ...Array.from({ length: 10 }, () => observation()),
  observation({ currentShares: 0n, reasons: ['confidential_omitted'] }),
];
const forSplit = {
  factor: { numerator: 4n, denominator: 1n },
  fromCusip: null,
  filedPriorAmount: 250n,
};
const imported = observation({ publishedAt: { value: '2020-02-14', precision: 'day' } });

describe('limitations', () => {
  const sentences = (fields: InputFields): string =>
    buildBrief(briefInput(fields)).coverage.limitations.join('\n');

  test.each([
    ['the open window', { corpus: corpus({ filingWindow: 'open' }) }, 'is open through 2020-02-14'],
    ['the closed window', {}, 'closed on 2020-02-14'],
    ['quarter-end positions', {}, 'positions at the end of a quarter'],
    [
      'a newer quarter without reports, from the day after it',
      { asOf: '2020-04-01' as IsoDate },
      'The quarter ended 2020-03-31 is over, but no report for it is stored yet.',
    ],
    [
      'an outdated corpus',
      { corpus: corpus({ latestReportedQuarterEnd: '2019-09-30' as QuarterEnd }) },
      'Reports for the quarter ended 2019-12-31 were due by 2020-02-14, but none is stored.',
    ],
    ['no report at all', { corpus: corpus({ latestReportedQuarterEnd: null }) }, 'No 13F report is stored'],
    ['a selected corpus', { corpus: corpus({ sourceComplete: false }) }, "a selection of EDGAR's filings"],
    ['a missing CUSIP', { resolution: resolution({ cusip: null }) }, 'No CUSIP is known for HUBS'],
    [
      'a ticker that was given up (rule 3.10)',
      { resolution: resolution({ formerTicker: 'HUBB' as Ticker }) },
      'HUBB is a former ticker of HubSpot Inc, which has the ticker HUBS today.',
    ],
    ['a missing issuer', { resolution: resolution({ issuerCik: null }) }, 'No issuer CIK is known for HUBS'],
    [
      'a later mapping',
      { resolution: resolution({ reasons: ['mapping_later_source'] }) },
      'with lower confidence',
    ],
    [
      'a later mapping of what nobody holds by that CUSIP',
      {
        resolution: resolution({ reasons: ['mapping_later_source'], isLaterCusip: true }),
        observations: [],
      },
      'another CUSIP then, so its holders may be missing',
    ],
    [
      'a later issuer of what nobody holds',
      { resolution: resolution({ reasons: ['mapping_later_source'] }), observations: [] },
      'dated after 2020-03-31 or has no date.\n',
    ],
    [
      'quarantined 13F',
      { corpus: corpus({ quarantined: { thirteenF: 2, form4: 0 } }) },
      '2 13F filings could not be parsed and are excluded from all figures.',
    ],
    [
      'quarantined forms',
      { corpus: corpus({ quarantined: { thirteenF: 0, form4: 1 } }) },
      '1 Form 4 filing could not be parsed and is excluded from all figures.',
    ],
    [
      'a manager behind, window closed',
      { staleQuarters: ['2019-09-30'] },
      '1 manager that held the security has no stored report for 2019-12-31. Its last report, for 2019-09-30, is not counted.',
    ],
    [
      'managers long behind, window closed',
      { staleQuarters: ['2018-06-30', '2014-12-31', '2014-12-31'] },
      '3 managers that held the security have no stored report for 2019-12-31. Their last reports, for 2014-12-31 to 2018-06-30, are not counted.',
    ],
    [
      'a manager that counts by its last report, window open',
      { corpus: corpus({ filingWindow: 'open' }), staleQuarters: ['2019-09-30', '2014-12-31'] },
      '1 manager that held the security has no stored report for 2019-12-31 yet. It is counted by its report for 2019-09-30; this is not an exit.\n1 manager that held the security has no stored report for 2019-12-31. Its last report, for 2014-12-31, is not counted.',
    ],
    [
      'managers that count by their last reports, window open',
      { corpus: corpus({ filingWindow: 'open' }), staleQuarters: ['2019-09-30', '2019-09-30'] },
      '2 managers that held the security have no stored report for 2019-12-31 yet. They are counted by their reports for 2019-09-30; this is not an exit.',
    ],
    [
      'partial Form 4 coverage',
      { corpus: corpus({ coverageStart: '2020-01-02' as IsoDate }) },
      'is incomplete',
    ],
    [
      'a baseline',
      { observations: [observation({ comparable: false })] },
      '1 manager has no comparable report for the quarter before. Its position is a baseline, not a change.',
    ],
    [
      'options that moved more than the shares (rule 7.8)',
      {
        observations: [observation({ previousShares: 1_000n, currentShares: 5_000n })],
        options: [
          { ...observation({ previousShares: 1_000_000n, currentShares: 5_000_000n }), putCall: 'PUT' },
          { ...observation({ previousShares: 300n, currentShares: 100n }), putCall: 'CALL' },
        ],
      },
      "Options on it changed by more shares than the managers' own holdings: puts +4.0 m shares, calls -200 shares. The direction does not count them.",
    ],
    [
      'a split that is adjusted (rule 4.5)',
      {
        observations: [
          observation({
            reasons: ['split_adjusted'],
            restated: forSplit,
          }),
        ],
      },
      "1 earlier position is restated for a split of 4 for 1, which the SEC's daily prices and the share counts of holders prove.",
    ],
    [
      'a split that is only suspected (rule 4.7)',
      { observations: [observation({ reasons: ['split_suspected'] })] },
      '1 change looks like a share split that is not proven, so it is uncertain.',
    ],
    [
      'a confirmed split that one report does not show (rule 5.3)',
      {
        observations: [
          observation({ reasons: ['split_adjusted', 'split_suspected'], restated: forSplit }),
          observation({ reasons: ['split_suspected'] }),
        ],
      },
      'so it is uncertain. 1 change is uncertain because the report does not seem to show the share split.',
    ],
    [
      'a report from before a split (rule 7.2)',
      {
        observations: [
          observation({ reasons: ['split_adjusted'], restated: forSplit, filedCurrentShares: 500n }),
          observation({ reasons: ['split_adjusted'], restated: forSplit }),
        ],
      },
      "1 earlier position is restated for a split of 4 for 1, which the SEC's daily prices and the share counts of holders prove. 1 position was reported in shares from before a split of 4 for 1 and restated for it.",
    ],
    [
      'a split before a report that still has the former CUSIP (rule 7.2)',
      {
        observations: [
          observation({
            reasons: ['cusip_changed', 'split_adjusted'],
            restated: { ...forSplit, fromCusip: '037833100' as Cusip },
            currentShares: 500n,
            filedCurrentShares: 500n,
          }),
        ],
      },
      '1 earlier position is restated for a split of 4 for 1, which',
    ],
    [
      'a report that still has the former CUSIP, without a report before it (rule 7.2)',
      {
        observations: [
          observation({
            comparable: false,
            reasons: ['cusip_changed'],
            restated: {
              factor: { numerator: 1n, denominator: 1n },
              fromCusip: '443573209' as Cusip,
              filedPriorAmount: 0n,
            },
            filedCurrentShares: 2_000n,
          }),
        ],
      },
      '1 position is reported under CUSIP 443573209, which the security had before.',
    ],
    [
      'share counts that repeat values, and no missing report (rule 2.3)',
      {
        observations: [
          observation({ comparable: false, reasons: ['shares_equal_value'] }),
          observation({ comparable: false }),
        ],
      },
      '1 manager has no comparable report for the quarter before. Its position is a baseline, not a change.\n1 report repeats values as share counts. Its share count is unknown, so its position is a baseline, not a change.',
    ],
    [
      'a direction that nothing clear gives (rule 7.5)',
      { observations: [observation({ reasons: ['cusip_change_suspected'] })] },
      '1 uncertain observation is left out of the direction; see quality_artifacts.\nNo direction is given because the only change is uncertain.',
    ],
    [
      'shares that another manager reported before (rule 2.12)',
      { observations: [observation({ reasons: ['taken_in_stated'] })] },
      '1 earlier position includes shares that another manager reported before, as the cover of the report lists them.',
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
      '1 earlier position is taken from CUSIP 443573209, which the security had in the quarter before.',
    ],
    [
      'a new CUSIP that is only suspected (rule 5.4)',
      { observations: [1, 2].map(() => observation({ reasons: ['cusip_change_suspected'] })) },
      '2 changes are uncertain because of a new CUSIP of the security that is not proven.',
    ],
    [
      'a corporate action (rule 4.9)',
      { observations: [1, 2].map(() => observation({ reasons: ['probable_corporate_action'] })) },
      '2 changes are probably not decisions of the managers. Most holders left or entered the security together',
    ],
    [
      'a new listing with few holders (rule 4.9)',
      {
        observations: [
          observation({
            reasons: ['probable_corporate_action'],
            corporateActions: [
              {
                kind: 'mass_entry',
                cusip: '36266G107' as Cusip,
                votes: 1,
                compared: 1,
                listedOn: '2023-01-05' as IsoDate,
              },
            ],
          }),
        ],
      },
      '1 initiation is uncertain because the security was new on the market: shares may have been bought, or given as in a spin-off.',
    ],
    [
      'a mistyped CUSIP (rule 5.6)',
      { observations: [1, 2].map(() => observation({ reasons: ['cusip_mistyped_elsewhere'] })) },
      '2 initiations or exits are uncertain because the other report names the issuer under an unusable CUSIP.',
    ],
    [
      'a reorganised manager (rule 5.7)',
      { observations: [observation({ reasons: ['manager_reorganised'] })] },
      '1 manager took over the positions of another manager that no longer reports.',
    ],
    [
      'identical positions (rule 4.10)',
      { observations: [1, 2].map(() => observation({ reasons: ['identical_positions'] })) },
      '2 managers report exactly the same positions as another one, as affiliates do. They may be counted twice.',
    ],
    [
      'a late reveal (rule 2.13)',
      { observations: [observation({ reasons: ['confidential_revealed'] })] },
      '1 position comes from an amendment that discloses confidential holdings. It was held at the end of the quarter',
    ],
    [
      'an initiation after a report with confidential omissions (rule 2.13)',
      { observations: [observation({ reasons: ['prior_confidential_omitted'] })] },
      '1 initiation is compared with a report that omits confidential positions. What seems new may have been held before.',
    ],
    [
      'a report with another number of rows than it declares (rule 2.7)',
      { observations: [1, 2].map(() => observation({ reasons: ['entry_total_mismatch'] })) },
      '2 observations come from, or are compared with, a report whose number of rows differs from the number that it declares. Positions may be missing there.',
    ],
    [
      'a report whose values do not add up to what it declares (rule 2.7)',
      { observations: [observation({ reasons: ['value_total_mismatch'] })] },
      '1 observation comes from, or is compared with, a report whose values do not add up to the total that it declares.',
    ],
    [
      'a value that is no price (rule 4.4)',
      { observations: [observation({ reasons: ['implied_price_outlier'] })] },
      '1 value is far from the price that other holders report, and left out of all value sums.',
    ],
    [
      'an unverified scale (rule 4.3)',
      { observations: [observation({ reasons: ['value_unit_unverified'] })] },
      'The scale of 1 value could not be checked against other filers. Share counts are not affected.',
    ],
    [
      'a corrected scale (rule 4.3)',
      { observations: [observation({ reasons: ['value_unit_thousands_after_2023'] })] },
      '1 value was filed in thousands instead of dollars and corrected.',
    ],
    [
      'text tables',
      { observations: [observation({ reasons: ['text_table'] })] },
      '1 position was read from the columns of a text table from before 2013.',
    ],
    [
      'a report of a data set (rule 1.4)',
      { observations: [imported, observation()] },
      "1 report was read from the SEC's quarterly data sets, not from the filings. Only the day of publication is known.",
    ],
    [
      'trades of a data set (rule 6.1)',
      { ownershipFilings: [form4({ number: 1, schemaVersion: null, rows: [{}, {}] }), form4({ number: 2 })] },
      "2 trades were read from the SEC's quarterly data sets, not from the forms. Share counts and prices are rounded to two decimals there.",
    ],
    [
      'a confidential exit (rule 2.13)',
      { observations },
      '1 apparent exit may be a position kept confidential.',
    ],
    [
      'confidential exits (rule 2.13)',
      {
        observations: [1, 2].map(() => observation({ currentShares: 0n, reasons: ['confidential_omitted'] })),
      },
      '2 apparent exits may be positions kept confidential.',
    ],
    [
      'unusable observations',
      { observations: [observation({ reasons: ['amount_negative'] })] },
      '1 observation is unusable and excluded from all figures; see quality_artifacts.',
    ],
    [
      'a trade without a price beside others',
      { ownershipFilings: [form4({ number: 1, rows: [{}, { pricePerShare: null }] })] },
      '1 trade has no price and no weight in the stance.',
    ],
    [
      'trades without a price alone',
      { ownershipFilings: [form4({ number: 1, rows: [{ pricePerShare: null }, { pricePerShare: '0' }] })] },
      '2 trades have no price, and the stance rests on their side alone.',
    ],
    [
      'a purchase at a price of 0 alone, which decides nothing',
      { ownershipFilings: [form4({ number: 1, rows: [{ code: 'P', pricePerShare: '0' }] })] },
      '1 trade has no price and no weight in the stance.',
    ],
    [
      'trades with an impossible price',
      {
        ownershipFilings: [
          form4({ number: 1, rows: [{}, { pricePerShare: '-1' }, { pricePerShare: '-2' }] }),
        ],
      },
      '2 trades have a price far above those of 13F reports or of other trades around it, or below zero and no weight in the stance.',
    ],
    [
      'one block of filers without a common owner',
      {
        ownershipFilings: [1, 2].map((number) =>
          form4({ number, owners: [reportingOwner(number)], remarks: 'Owner 1 and Owner 2 are one group.' }),
        ),
      },
      '1 trade is counted once although filers without a common owner report it: their forms show one group.',
    ],
    [
      'unusable trades',
      { ownershipFilings: [form4({ number: 1, rows: [{ shares: '0' }, { shares: '0' }] })] },
      '2 reported trades are replaced, repeated or unusable; see quality_artifacts.',
    ],

    [
      'a cut list',
      { observations },
      'Only the 8 largest of 11 changes, by shares, are shown. The counts cover all of them.',
    ],
    [
      'a cut list of trades, all of one day (rule 7.4)',
      { ownershipFilings: [form4({ number: 1, rows: Array.from({ length: 9 }, () => ({})) })] },
      'Only the 8 newest of 9 trades are shown; of one day, the largest come first. The counts cover all of them.',
    ],
    [
      'private trades under P and S (rule 6.2)',
      { ownershipFilings },
      'Codes P and S include private purchases',
    ],
  ] as const)('name %s', (_name, fields, expected) => {
    expect(sentences(fields as InputFields)).toContain(expected);
  });

  test('have a code and a scope each, in their order', () => {
    const { limitations, limitation_codes: codes } = buildBrief(
      briefInput({
        corpus: corpus({ quarantined: { thirteenF: 1, form4: 0 } }),
        observations: [observation({ reasons: ['identical_positions'] })],
      }),
    ).coverage;
    expect(codes).toEqual([
      { code: 'filing_window_closed', scope: 'corpus' },
      { code: 'quarter_end_positions', scope: 'corpus' },
      { code: 'unparsed_13f', scope: 'corpus' },
      { code: 'identical_positions', scope: 'ticker' },
    ]);
    expect(limitations).toHaveLength(codes.length);
    expect(limitations[2]).toContain('could not be parsed');
  });

  test('say nothing of a block where the filings share an owner', () => {
    const joint = [1, 2].map((number) =>
      form4({ number, owners: [reportingOwner(9), reportingOwner(number)] }),
    );
    expect(sentences({ ownershipFilings: joint })).not.toContain('common owner');
  });

  test('call no text table from before 2003 imported, although its time is unknown', () => {
    expect(sentences({ observations: [{ ...imported, reasons: ['text_table'] }] })).not.toContain(
      'data sets',
    );
  });

  test('do not say that a trade with an impossible price has no price', () => {
    const negative = form4({ number: 1, rows: [{ pricePerShare: '-1' }] });
    expect(sentences({ ownershipFilings: [negative] })).not.toContain('no price');
  });
});
