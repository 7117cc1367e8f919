import { expect, test } from 'vitest';
import { unitThreads } from './pool.ts';

test('an import has a thread for each core, but not more than its 2 GB allow', () => {
  expect([1, 2, 3, 8, 64].map(unitThreads)).toEqual([1, 2, 3, 3, 3]);
});
