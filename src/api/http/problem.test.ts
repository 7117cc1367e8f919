import { expect, test } from 'vitest';
import { ERRORS, type ErrorCode, type ErrorEntry, problem } from './problem.ts';

const CODES = Object.keys(ERRORS) as ErrorCode[];

test.each(CODES)('%s says when to try again exactly if its documents say so', (code) => {
  const { remedy, waitSeconds }: ErrorEntry = ERRORS[code];
  const { headers = [] } = problem(code, 'No.', { headers: ['Allow', 'GET'] });
  const waits = waitSeconds === undefined ? [] : ['Retry-After', String(waitSeconds)];
  expect(headers).toEqual(['Allow', 'GET', ...waits]);
  expect(remedy.includes('Retry-After')).toBe(waitSeconds !== undefined);
});

test('a wait that is known stands alone', () => {
  const headers = ['Retry-After', '7'];
  expect(problem('rate_limited', 'No.', { headers }).headers).toEqual(headers);
});
