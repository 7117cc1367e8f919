import { expect, test } from 'vitest';
import { observation } from '../brief/brief.sample.ts';
import type { QuarterEnd } from '../ids.ts';
import { quarterLine, suspectedSplits } from './quarter-line.ts';

const TWO = { numerator: 2n, denominator: 1n };
const THREE = { numerator: 3n, denominator: 1n };

// Copart split 2 for 1 in November 2022 and again in August 2023.
test('two suspected splits of one factor are two (rule 7.7)', () => {
  expect(suspectedSplits([TWO])).toBe(
    'A split of about 2 for 1 since then is only suspected: shares may be those of before it.',
  );
  expect(suspectedSplits([TWO, TWO, THREE])).toBe(
    'Splits of about 2 for 1, 2 for 1 and 3 for 1 since then are only suspected: shares may be those of before them.',
  );
});

// Berkshire's Apple at 2023-03-31: 20,424,207 shares more than at 2022-12-31, and none bought (0000950123-23-005270).
test('a line names the shares that another manager reported before (rule 2.12)', () => {
  const holders = [
    observation({
      currentShares: 915_560_382n,
      previousShares: 915_560_382n,
      reasons: ['taken_in_stated'],
    }),
  ];
  const line = quarterLine({
    quarterEnd: '2023-03-31' as QuarterEnd,
    holders,
    shares: new Map(),
    factors: [],
  });
  expect(line.limitations).toEqual([
    '1 earlier position includes shares that another manager reported before, as the cover of the report lists them.',
  ]);
});
