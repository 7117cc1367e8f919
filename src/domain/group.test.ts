import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { connectedGroups, countConnected } from './group.ts';

describe('countConnected', () => {
  test.each([
    [[], 0],
    [[['a'], ['a']], 1],
    [[['a'], ['b']], 2],
    [
      [
        ['a', 'b'],
        ['b', 'c'],
        ['c', 'd'],
      ],
      1,
    ],
    [[['a', 'b'], ['c', 'd'], ['d', 'a'], ['e']], 2],
    [[[], []], 2],
  ])('%j are %i groups', (keySets, groups) => {
    expect(countConnected(keySets)).toBe(groups);
  });

  test('agrees with grouping by shared keys', () => {
    const keySets = fc.array(
      fc.uniqueArray(fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f'), { minLength: 1 }),
      {
        maxLength: 8,
      },
    );
    fc.assert(
      fc.property(keySets, (sets) => {
        const groups = connectedGroups(sets, (x, y) => x.some((key) => y.includes(key)));
        expect(countConnected(sets)).toBe(groups.length);
        expect(groups.flat()).toHaveLength(sets.length);
      }),
    );
  });
});
