import { expect, it } from 'vitest';
import { sampleRow } from './filing.sample.ts';
import type { Cusip } from './ids.ts';
import { diffOf } from './report.sample.ts';

const [OLD, NEW, OTHER] = ['00165C104', '00165C302', '00165C203'] as [Cusip, Cusip, Cusip];
/** At 100 dollars a share unless told. */
const at = (cusip: Cusip, amount: bigint, value = amount * 100n) => sampleRow({ cusip, amount, value });
const reasonsOf = (now: ReturnType<typeof at>[], before: ReturnType<typeof at>[]) =>
  diffOf(now, before).changes.map(({ reasons }) => reasons);
const RENAMED = '02165C101' as Cusip;
const SUSPECTED = [['cusip_change_suspected'], ['cusip_change_suspected']];

it('an exit and a start of one issuer with the same shares may be one position (domain 2.9)', () => {
  expect(reasonsOf([at(NEW, 20_000n)], [at(OLD, 20_000n)])).toEqual(SUSPECTED);
  expect(reasonsOf([at(NEW, 20_200n)], [at(OLD, 20_000n)])).toEqual([[], []]);
});

it('so may one with the shares of a split at about the same value (domain 2.9)', () => {
  expect(reasonsOf([at(NEW, 20_000n, 20_000_000n)], [at(OLD, 200_004n)])).toEqual(SUSPECTED);
  // A tenth of the shares at the same price is another position.
  expect(reasonsOf([at(NEW, 20_000n)], [at(OLD, 200_004n)])).toEqual([[], []]);
});

it('round shares of another issuer, or any of an option, are another position (domain 2.9)', () => {
  expect(reasonsOf([at(RENAMED, 20_000n)], [at(OLD, 20_000n)])).toEqual([[], []]);
  const call = { ...at(NEW, 20_000n), putCall: 'CALL' as const };
  expect(reasonsOf([call], [at(OLD, 20_000n)])).toEqual([[], []]);
});

it('of several starts of an issuer only one with the same shares may be the position (domain 2.9)', () => {
  const starts = [at(OTHER, 40_000n, 2_000_000n), at(NEW, 20_000n)];
  expect(reasonsOf(starts, [at(OLD, 20_000n)])).toEqual([
    ...SUSPECTED.slice(0, 1),
    [],
    ...SUSPECTED.slice(1),
  ]);
});

it('an exit and a start of shares that are equal by no chance may be one position of a renamed issuer, as ING US and Voya (domain 2.9)', () => {
  expect(reasonsOf([at(RENAMED, 4_041_368n)], [at(OLD, 4_041_368n)])).toEqual(SUSPECTED);
  expect(reasonsOf([at(RENAMED, 5_250_000n)], [at(OLD, 5_250_000n)])).toEqual(SUSPECTED);
  const few = [at(RENAMED, 1_001n, 1_001_000n), at(OLD, 1_001n, 1_001_000n)] as const;
  expect(reasonsOf([few[0]], [few[1]])).toEqual(SUSPECTED);
  // Too few, too round, not equal, or at another value.
  for (const [now, before] of [
    [999n, 999n],
    [5_200_000n, 5_200_000n],
    [4_041_369n, 4_041_368n],
  ] as const) {
    expect(reasonsOf([at(RENAMED, now)], [at(OLD, before)]).flat()).not.toContain('cusip_change_suspected');
  }
  expect(reasonsOf([at(RENAMED, 20_001n, 4_000_300n)], [at(OLD, 20_001n)])).toEqual([[], []]);
  expect(reasonsOf([at(RENAMED, 20_001n, 4_000_200n)], [at(OLD, 20_001n)])).toEqual(SUSPECTED);
});

it('a count that a report exits or enters twice tells nothing (domain 2.9)', () => {
  const starts = [at(RENAMED, 20_001n), at('03165C101' as Cusip, 20_001n)];
  expect(reasonsOf(starts, [at(OLD, 20_001n)])).toEqual([[], [], []]);
});
