import { describe, expect, test } from 'vitest';
import type { ManagerObservation } from '../../holders/observation.ts';
import type { Cusip, IsoDate } from '../../ids.ts';
import type { CorporateAction } from '../../peers/verdict.ts';
import type { Reason } from '../../quality/quality.ts';
import { briefInput, observation } from '../brief.sample.ts';
import { buildBrief } from '../brief.ts';
import { factorWords, grouped } from './numbers.ts';

const NEW = '443573100' as Cusip;
const OLD = '443573209' as Cusip;
const four = { numerator: 4n, denominator: 1n };
const split: CorporateAction = {
  kind: 'split',
  cusip: NEW,
  factor: four,
  votes: 37,
  compared: 41,
};
const moved: CorporateAction = {
  kind: 'cusip_change',
  cusip: NEW,
  from: OLD,
  factor: { numerator: 1n, denominator: 10n },
  votes: 30,
  compared: 40,
};
const massExit: CorporateAction = { kind: 'mass_exit', cusip: NEW, votes: 39, compared: 40 };
const held = { currentShares: 4_000n, previousShares: 4_000n, corporateActions: [split] };
const restated = { factor: four, fromCusip: null, filedPriorAmount: 1_000n };

function detail(reason: Reason, fields: Partial<ManagerObservation>): string | undefined {
  const brief = buildBrief(briefInput({ observations: [observation({ reasons: [reason], ...fields })] }));
  return brief.quality_artifacts.groups.find((group) => group.reason === reason)?.examples[0]?.detail;
}

describe('the example of a reason', () => {
  test('shows the vote for a split and the restated earlier count (rule 8.8)', () => {
    expect(detail('split_adjusted', { ...held, restated })).toBe(
      '37 of 41 holders moved by 4 for 1 or near it. 1,000 shares reported before are restated to 4,000.',
    );
  });

  test('shows the restated count of a report that is carried forward over a split (rule 8.8)', () => {
    const fields = { ...held, previousShares: 0n, filedCurrentShares: 1_000n };
    expect(detail('split_adjusted', { ...fields, restated: { ...restated, filedPriorAmount: 0n } })).toBe(
      '37 of 41 holders moved by 4 for 1 or near it. 1,000 shares reported now are restated to 4,000.',
    );
  });

  test('shows the vote against a holder whose share count did not move (rule 8.8)', () => {
    expect(detail('split_suspected', { ...held, currentShares: 1_000n, restated })).toBe(
      "37 of 41 holders moved by 4 for 1 or near it. This holder's share count did not move: 1,000 shares before, 1,000 reported.",
    );
  });

  test('shows the vote against a holder whose price did not move (rule 8.8)', () => {
    expect(detail('split_suspected', { ...held, currentShares: 1_300n, restated })).toBe(
      "37 of 41 holders moved by 4 for 1 or near it. This holder's price did not move by that ratio: 1,000 shares before, 1,300 reported.",
    );
    const carried = { ...held, currentShares: 4_000n, filedCurrentShares: 1_000n, restated };
    expect(detail('split_suspected', carried)).toMatch(
      /share count did not move: 1,000 shares before, 1,000 reported/,
    );
  });

  test('shows the days between which the files show a jump, as evidence (rule 8.8)', () => {
    const of = (day: string, price: number, row: number) => ({
      ...{ day: day as IsoDate, price, row, file: 'cnsfails202212a.zip', sha256: 'ab01' },
    });
    const prices = { last: of('2022-12-01', 339.96, 31), first: of('2022-12-02', 86.41, 40) };
    const suspected: CorporateAction = { ...split, kind: 'split_suspected', votes: 1, compared: 2, prices };
    const fields = { currentShares: 40_000n, previousShares: 10_000n, corporateActions: [suspected] };
    expect(detail('split_suspected', fields)).toBe(
      '10,000 shares before, 40,000 shares reported (added). The price was 339.96 dollars on 2022-12-01 (sec:ftd:cnsfails202212a.zip:31, sha256:ab01) and 86.41 dollars on 2022-12-02 (sec:ftd:cnsfails202212a.zip:40, sha256:ab01). It may be a split of about 4 for 1: 1 of 2 holders moved by about that factor.',
    );
  });

  test('counts the one holder in the singular (rule 8.8)', () => {
    const suspected: CorporateAction = { ...split, kind: 'split_suspected', votes: 1, compared: 1 };
    expect(detail('split_suspected', { corporateActions: [suspected] })).toMatch(/: 1 of 1 holder moved by/);
  });

  test('says that only this count and its price look like a split (rule 8.8)', () => {
    expect(detail('split_suspected', { currentShares: 40_000n, previousShares: 10_000n })).toBe(
      '10,000 shares before, 40,000 shares reported (added). The share count and the price may be those of a split.',
    );
  });

  test('does not say that a baseline had no shares before (rule 8.8)', () => {
    expect(detail('no_prior_comparable_filing', { comparable: false, previousShares: 0n })).toBe(
      'Share count before unknown, 2,000 shares reported (baseline only).',
    );
  });

  test('names the CUSIP that the holders came from (rule 8.8)', () => {
    const own = { factor: moved.factor, fromCusip: OLD, filedPriorAmount: 20_000n };
    const fields = {
      currentShares: 2_000n,
      previousShares: 2_000n,
      corporateActions: [moved],
      restated: own,
    };
    expect(detail('cusip_changed', fields)).toBe(
      '30 of 40 holders moved from CUSIP 443573209 at 1 for 10. 20,000 shares reported before under 443573209 are restated to 2,000.',
    );
  });

  test('says at what ratio each target of a stock merger was paid for (rule 8.8)', () => {
    const merger: CorporateAction = {
      ...{ kind: 'stock_merger', cusip: NEW, from: OLD, votes: 30, compared: 36, multiple: 1.025 },
    };
    const fields = { currentShares: 3_025n, previousShares: 2_000n, corporateActions: [merger] };
    expect(detail('probable_corporate_action', fields)).toBe(
      `30 of 36 holders that left CUSIP ${OLD} gained about 1.025 shares for each share of it. 2,000 shares before, 3,025 shares reported (added).`,
    );
  });

  test('names both managers between whose reports positions moved (rule 4.11)', () => {
    const fields = { name: 'PARENT CORP', movedWith: ['CHILD CO'], currentShares: 7n, previousShares: 5n };
    expect(detail('moved_between_reports', fields)).toBe(
      'Positions moved between the reports of PARENT CORP and CHILD CO. 5 shares before, 7 shares reported (added).',
    );
  });

  test('says since when a new listing has prices (rule 8.8)', () => {
    const entry = {
      kind: 'mass_entry',
      cusip: NEW,
      votes: 1,
      compared: 1,
      listedOn: '2023-01-05',
    } as CorporateAction;
    const fields = { currentShares: 51_409n, previousShares: 0n, corporateActions: [entry] };
    expect(detail('probable_corporate_action', fields)).toMatch(
      /^The SEC's daily prices begin on 2023-01-05: /,
    );
  });

  test('says how many left together with this holder (rule 8.8)', () => {
    const fields = { currentShares: 0n, previousShares: 1_234_567n, corporateActions: [massExit] };
    expect(detail('probable_corporate_action', fields)).toBe(
      '39 of 40 holders left the security in the quarter. 1,234,567 shares before, none reported (exited).',
    );
  });
});

test('numbers and factors are written for readers', () => {
  expect([0n, 999n, 1_000n, 12_345_678n].map(grouped)).toEqual(['0', '999', '1,000', '12,345,678']);
  expect(factorWords({ numerator: 3n, denominator: 2n })).toBe('3 for 2');
});
