import { describe, expect, test } from 'vitest';
import type { Insiders, Institutional } from '../wire/brief.ts';
import { directionOf, insiderStance, institutionalStance, type Weight } from './stance.ts';

/** Every kind of side in the tables: none, one without weight, a light, an even and a heavy one. */
const SIDES = {
  none: { exists: false, amount: 0n },
  weightless: { exists: true, amount: 0n },
  light: { exists: true, amount: 1n },
  even: { exists: true, amount: 40n },
  // Against 40 the net is 20 of 100, exactly the threshold.
  threshold: { exists: true, amount: 60n },
  heavy: { exists: true, amount: 1_000n },
} as const satisfies Record<string, Weight>;
type Side = keyof typeof SIDES;

/** The direction of each pair as written in rule 7.4: rows are the side up, columns the side down, in the order of SIDES. */
const DIRECTIONS: Record<Side, readonly string[]> = {
  none: ['none', 'down', 'down', 'down', 'down', 'down'],
  weightless: ['up', 'mixed', 'down', 'down', 'down', 'down'],
  light: ['up', 'up', 'mixed', 'down', 'down', 'down'],
  even: ['up', 'up', 'up', 'mixed', 'down', 'down'],
  threshold: ['up', 'up', 'up', 'up', 'mixed', 'down'],
  heavy: ['up', 'up', 'up', 'up', 'up', 'mixed'],
};

const names = Object.keys(SIDES) as Side[];
const pairs = names.flatMap((up) =>
  names.map((down, column) => [up, down, DIRECTIONS[up][column] ?? ''] as const),
);

test.each(pairs)('%s up against %s down is %s', (up, down, expected) => {
  expect(directionOf(SIDES[up], SIDES[down])).toBe(expected);
});

const INSTITUTIONAL: Record<string, Institutional['stance']> = {
  up: 'net_increases',
  down: 'net_decreases',
  mixed: 'mixed',
};
const INSIDERS: Record<string, Insiders['stance']> = {
  up: 'net_buying',
  down: 'net_selling',
  mixed: 'mixed',
  none: 'none_found',
};

describe('the institutional stance', () => {
  const facts = [0, 3].flatMap((observed) =>
    [true, false].flatMap((isSuppressed) =>
      [0, 2].map((clearlyUnchanged) => ({ observed, isSuppressed, clearlyUnchanged })),
    ),
  );

  test.each(facts)('follows its table for every pair of sides with %o', (fact) => {
    for (const [up, down, direction] of pairs) {
      const evidence = { ...fact, up: SIDES[up], down: SIDES[down] };
      const held = fact.clearlyUnchanged > 0 ? 'unchanged' : 'not_determined';
      const clear = INSTITUTIONAL[direction] ?? held;
      const expected = fact.observed === 0 ? 'none_found' : fact.isSuppressed ? 'not_determined' : clear;
      expect(institutionalStance(evidence), `${up} up, ${down} down`).toBe(expected);
    }
  });
});

describe('the insider stance', () => {
  test.each([true, false])('follows its table for every pair of sides, covered: %s', (hasCoverage) => {
    for (const [up, down, direction] of pairs) {
      const expected = hasCoverage ? INSIDERS[direction] : 'not_available';
      expect(
        insiderStance(hasCoverage ? 'none_found' : 'not_covered', SIDES[up], SIDES[down]),
        `${up} up, ${down} down`,
      ).toBe(expected);
    }
  });
});
