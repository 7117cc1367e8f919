import { describe, expect, it } from 'vitest';
import type { Cusip, QuarterEnd } from '../ids.ts';
import { isHeld } from '../report/shown-quarter.ts';
import { type CountedBy, type HolderTally, heldIn, latestHeld, noteHolder } from './holders.ts';

const APPLE = '037833100' as Cusip;
const GM = '37045V100' as Cusip;
const KO = '191216100' as Cusip;
const [MARCH, JUNE, SEPTEMBER] = ['2018-03-31', '2018-06-30', '2018-09-30'] as QuarterEnd[] as [
  QuarterEnd,
  QuarterEnd,
  QuarterEnd,
];

/** `last` for managers that reported nothing after the quarter. */
function tallied(quarterEnd: QuarterEnd, noted: readonly [Cusip, string, 'last'?][]) {
  const tally: HolderTally = new Map();
  for (const [cusip, issuer, last] of noted) noteHolder(tally, { cusip, issuer, isLast: last === 'last' });
  return heldIn(tally, quarterEnd);
}

const of = (filingWindow: 'open' | 'closed'): CountedBy => ({
  latestReportedQuarterEnd: SEPTEMBER,
  filingWindow,
});

it('a security counts once for each manager, under the name of most reports', () => {
  const noted: [Cusip, string][] = [
    [APPLE, 'APPLE COMPUTER INC'],
    [GM, 'GENERAL MTRS CO'],
    [APPLE, 'APPLE INC'],
    [APPLE, 'Apple, Inc.'],
    [APPLE, 'APPLE INC'],
  ];
  const held = tallied(SEPTEMBER, noted);
  expect(latestHeld([held], of('closed'))).toEqual([
    { cusip: APPLE, latestQuarterEnd: SEPTEMBER, holders: 4, issuers: ['APPLE INC', 'APPLE COMPUTER INC'] },
    { cusip: GM, latestQuarterEnd: SEPTEMBER, holders: 1, issuers: ['GENERAL MTRS CO'] },
  ]);
  expect(tallied(SEPTEMBER, noted.toReversed())).toEqual(held);
});

it('an excluded or exited row makes no holder', () => {
  expect(isHeld({ amount: 1n, reasons: ['combination_report'] })).toBe(true);
  expect(isHeld({ amount: 1n, reasons: ['supplement_without_base'] })).toBe(false);
  expect(isHeld({ amount: 0n, reasons: [] })).toBe(false);
});

describe('of several quarters', () => {
  const march = tallied(MARCH, [
    [KO, 'COCA COLA CO', 'last'],
    [APPLE, 'APPLE INC', 'last'],
  ]);
  const june = tallied(JUNE, [
    [APPLE, 'APPLE INC'],
    [APPLE, 'APPLE INC', 'last'],
    [APPLE, 'APPLE INC', 'last'],
    [GM, 'GENERAL MTRS CO', 'last'],
    [KO, 'COCA COLA CO'],
  ]);
  const september = tallied(SEPTEMBER, [[APPLE, 'APPLE COMPUTER INC']]);
  const quarters = [march, june, september];
  const shown = (order: typeof quarters, filingWindow: 'open' | 'closed') =>
    latestHeld(order, of(filingWindow)).map((held) => [held.cusip, held.latestQuarterEnd, held.holders]);

  it('while the filing window is open, managers that have not reported yet count by the quarter before', () => {
    for (const order of [quarters, quarters.toReversed()]) {
      expect(shown(order, 'open')).toEqual([
        [APPLE, SEPTEMBER, 3],
        [KO, JUNE, 1],
        [GM, JUNE, 1],
      ]);
    }
    expect(latestHeld(quarters, of('open'))[0]?.issuers).toEqual(['APPLE INC', 'APPLE COMPUTER INC']);
  });

  it('once it is closed only the latest quarter counts; a security without holders in it counts by its own last one', () => {
    for (const order of [quarters, quarters.toReversed()]) {
      expect(shown(order, 'closed')).toEqual([
        [APPLE, SEPTEMBER, 1],
        [KO, JUNE, 1],
        [GM, JUNE, 1],
      ]);
    }
  });
});
