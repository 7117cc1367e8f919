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

it('an exit and a start with equal, distinctive counts may be one position of a renamed issuer, such as ING US and Voya (rule 5.4)', () => {
  expect(reasonsOf([renamed(4_041_368n)], [at(OLD, 4_041_368n)])).toEqual(SUSPECTED);
  expect(reasonsOf([renamed(5_250_000n)], [at(OLD, 5_250_000n)])).toEqual(SUSPECTED);
  const few = [renamed(1_001n, 1_001_000n), at(OLD, 1_001n, 1_001_000n)] as const;
  expect(reasonsOf([few[0]], [few[1]])).toEqual(SUSPECTED);
  // Too few, too round, not equal, or at another value.
  for (const [now, before] of [
    [999n, 999n],
    [5_200_000n, 5_200_000n],
    [4_041_369n, 4_041_368n],
  ] as const) {
    expect(reasonsOf([renamed(now)], [at(OLD, before)]).flat()).not.toContain('cusip_change_suspected');
  }
  const worth = (amount: bigint, value: bigint) =>
    reasonsOf([renamed(amount, value)], [at(OLD, amount, 200_000_000n)]).flat();
  expect([worth(12_300n, 400_000_000n), worth(9_999n, 400_000_000n)]).toEqual(
    Array(2).fill(SUSPECTED.flat()),
  );
  expect([worth(12_300n, 400_000_001n), worth(9_999n, 400_000_001n)]).toEqual([[], []]);
});

it('shares that came with cash, or of a company spun off, are matched by their count alone, as with Starz (rule 5.4)', () => {
  const starts = [at(NEW, 5_622_340n, 560_000_000n), renamed(5_622_340n, 100_000_000n)];
  expect(reasonsOf(starts, [at(OLD, 5_622_340n)])).toEqual([...SUSPECTED, ...SUSPECTED.slice(1)]);
});

it('among many exits and starts, both the count and the value must agree (rule 5.4)', () => {
  const cusipAt = (at: number) => `9${String(at).padStart(7, '0')}0` as Cusip;
  const many = (from: number, amount: bigint) =>
    Array.from({ length: 101 }, (_, at) => fund(cusipAt(from + at), amount + BigInt(at)));
  const fund = (cusip: Cusip, amount: bigint) => ({ ...at(cusip, amount), issuer: `FUND ${cusip}` });
  const [starts, exits] = [many(0, 200_001n), many(500, 300_001n)];
  const marked = (start: ReturnType<typeof renamed>, exit: ReturnType<typeof at>) =>
    reasonsOf([start, ...starts], [exit, ...exits])
      .flat()
      .filter((one) => one === 'cusip_change_suspected').length;
  expect(marked(renamed(4_041_368n), at(OLD, 4_041_368n))).toBe(2);
  expect(marked(renamed(4_041_368n, 1_000_000n), at(OLD, 4_041_368n))).toBe(0);
  expect(marked(renamed(9_999n), at(OLD, 9_999n))).toBe(0);
});
