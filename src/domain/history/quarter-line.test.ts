import { expect, test } from 'vitest';
import { suspectedSplits } from './quarter-line.ts';

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
