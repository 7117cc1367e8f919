import { expect, it } from 'vitest';
import type { Cusip, QuarterEnd } from './ids.ts';
import { type HolderTally, heldIn, latestHeld, noteHolder } from './search-holders.ts';

const APPLE = '037833100' as Cusip;
const GM = '37045V100' as Cusip;
const [JUNE, SEPTEMBER] = ['2018-06-30' as QuarterEnd, '2018-09-30' as QuarterEnd];

function tallied(quarterEnd: QuarterEnd, noted: readonly [Cusip, string][]) {
  const tally: HolderTally = new Map();
  for (const [cusip, issuer] of noted) noteHolder(tally, cusip, issuer);
  return heldIn(tally, quarterEnd);
}

it('a security is counted once a manager, under the name that most reports give it', () => {
  const noted: [Cusip, string][] = [
    [APPLE, 'APPLE COMPUTER INC'],
    [GM, 'GENERAL MTRS CO'],
    [APPLE, 'APPLE INC'],
    [APPLE, 'Apple, Inc.'],
    [APPLE, 'APPLE INC'],
  ];
  const held = tallied(JUNE, noted);
  expect(held).toEqual([
    { cusip: APPLE, latestQuarterEnd: JUNE, holders: 4, issuers: ['APPLE INC', 'APPLE COMPUTER INC'] },
    { cusip: GM, latestQuarterEnd: JUNE, holders: 1, issuers: ['GENERAL MTRS CO'] },
  ]);
  expect(tallied(JUNE, noted.toReversed())).toEqual(held);
});

it('the latest quarter in which it is held counts, whichever was read first', () => {
  const june = tallied(JUNE, [
    [APPLE, 'APPLE INC'],
    [APPLE, 'APPLE INC'],
    [GM, 'GENERAL MTRS CO'],
  ]);
  const september = tallied(SEPTEMBER, [[APPLE, 'APPLE INC']]);
  for (const quarters of [
    [june, september],
    [september, june],
  ]) {
    expect(latestHeld(quarters).map((held) => [held.cusip, held.latestQuarterEnd, held.holders])).toEqual([
      [APPLE, SEPTEMBER, 1],
      [GM, JUNE, 1],
    ]);
  }
});
