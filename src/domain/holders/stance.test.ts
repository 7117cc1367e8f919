import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { directionOf, insiderStance, institutionalStance, type Weight } from './stance.ts';

const some = (amount: bigint): Weight => ({ exists: true, amount });
const none: Weight = { exists: false, amount: 0n };

describe('directionOf', () => {
  test.each([
    ['nothing', none, none, 'none'],
    ['only up', some(1n), none, 'up'],
    ['only up, without weight', some(0n), none, 'up'],
    ['only down', none, some(1n), 'down'],
    ['both, net exactly 20 % of gross', some(60n), some(40n), 'up'],
    ['both, net exactly 20 % of gross downwards', some(40n), some(60n), 'down'],
    ['both, net a hair under 20 %', some(59_999n), some(40_001n), 'mixed'],
    ['both, balanced', some(50n), some(50n), 'mixed'],
    ['both, neither weighs anything', some(0n), some(0n), 'mixed'],
    ['both, one weighs nothing', some(5n), some(0n), 'up'],
    ['beyond 2^53', some(9_007_199_254_740_993n * 3n), some(9_007_199_254_740_993n * 2n), 'up'],
  ])('%s', (_name, up, down, expected) => {
    expect(directionOf(up, down)).toBe(expected);
  });

  test('swapping the sides swaps the answer', () => {
    const opposite = { up: 'down', down: 'up', mixed: 'mixed', none: 'none' };
    const weight = fc.oneof(fc.constant(none), fc.bigInt(0n, 10n ** 20n).map(some));
    fc.assert(
      fc.property(weight, weight, (up, down) => {
        expect(directionOf(down, up)).toBe(opposite[directionOf(up, down)]);
      }),
    );
  });
});

describe('institutionalStance', () => {
  const clear = { observed: 3, up: none, down: none, isSuppressed: false, clearlyUnchanged: 0 };
  test.each([
    ['nothing observed', { ...clear, observed: 0 }, 'none_found'],
    ['direction suppressed', { ...clear, isSuppressed: true, up: some(9n) }, 'not_determined'],
    ['increases only', { ...clear, up: some(9n) }, 'net_increases'],
    ['decreases only', { ...clear, down: some(9n) }, 'net_decreases'],
    ['both, increases heavier', { ...clear, up: some(9n), down: some(1n) }, 'net_increases'],
    ['both, decreases heavier', { ...clear, up: some(1n), down: some(9n) }, 'net_decreases'],
    ['both, balanced', { ...clear, up: some(9n), down: some(9n) }, 'mixed'],
    ['held only', { ...clear, clearlyUnchanged: 1 }, 'unchanged'],
    ['baseline only', clear, 'not_determined'],
  ] as const)('%s', (_name, evidence, expected) => {
    expect(institutionalStance(evidence)).toBe(expected);
  });
});

describe('insiderStance', () => {
  test.each([
    ['no coverage, whatever is stored', 'not_covered', some(5n), none, 'not_available'],
    ['nothing had to be filed', 'not_available', none, none, 'not_available'],
    ['a trade where none had to be filed', 'not_available', some(5n), none, 'net_buying'],
    ['nothing', 'none_found', none, none, 'none_found'],
    ['an unpriced purchase alone', 'none_found', some(0n), none, 'net_buying'],
    ['sales only', 'none_found', none, some(7n), 'net_selling'],
    ['both, purchases heavier', 'none_found', some(7n), some(1n), 'net_buying'],
    ['both, sales heavier', 'none_found', some(1n), some(7n), 'net_selling'],
    ['both, balanced', 'none_found', some(7n), some(7n), 'mixed'],
    ['both without a price', 'none_found', some(0n), some(0n), 'mixed'],
  ] as const)('%s', (_name, without, buys, sells, expected) => {
    expect(insiderStance(without, buys, sells)).toBe(expected);
  });
});
