import { expect, it } from 'vitest';
import { sampleRow } from '../filing/filing.sample.ts';
import type { Cusip } from '../ids.ts';
import { diffOf } from './report.sample.ts';

const [OLD, NEW, OTHER] = ['00165C104', '00165C302', '00165C203'] as [Cusip, Cusip, Cusip];
const RENAMED = '02165C101' as Cusip;
/** At 100 dollars a share unless a value is given. */
const at = (cusip: Cusip, amount: bigint, value = amount * 100n) => sampleRow({ cusip, amount, value });
const renamed = (amount: bigint, value?: bigint) => ({
  ...at(RENAMED, amount, value),
  issuer: 'VOYA FINL INC',
});
const reasonsOf = (now: ReturnType<typeof at>[], before: ReturnType<typeof at>[]) =>
  diffOf(now, before).changes.map(({ reasons }) => reasons);
const SUSPECTED = [['cusip_change_suspected'], ['cusip_change_suspected']];

it('an exit and a start of one issuer with the same shares may be one position (rule 5.4)', () => {
  expect(reasonsOf([at(NEW, 20_000n)], [at(OLD, 20_000n)])).toEqual(SUSPECTED);
  expect(reasonsOf([at(NEW, 20_200n)], [at(OLD, 20_000n)])).toEqual([[], []]);
});

it('so may one with the shares of a split at about the same value (rule 5.4)', () => {
  expect(reasonsOf([at(NEW, 20_000n, 20_000_000n)], [at(OLD, 200_004n)])).toEqual(SUSPECTED);
  // A tenth of the shares at the same price is a different position.
  expect(reasonsOf([at(NEW, 20_000n)], [at(OLD, 200_004n)])).toEqual([[], []]);
});

it('round shares of another issuer, or any of an option, are another position (rule 5.4)', () => {
  expect(reasonsOf([renamed(20_000n)], [at(OLD, 20_000n)])).toEqual([[], []]);
  const call = { ...at(NEW, 20_000n), putCall: 'CALL' as const };
  expect(reasonsOf([call], [at(OLD, 20_000n)])).toEqual([[], []]);
});

it('of several starts of an issuer only one with the same shares may be the position (rule 5.4)', () => {
  const starts = [at(OTHER, 40_000n, 2_000_000n), at(NEW, 20_000n)];
  expect(reasonsOf(starts, [at(OLD, 20_000n)])).toEqual([
    ...SUSPECTED.slice(0, 1),
    [],
    ...SUSPECTED.slice(1),
  ]);
});
