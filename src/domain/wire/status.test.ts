import { expect, test } from 'vitest';
import { requireIsoDate } from '../ids.ts';
import { pollWords } from './status.ts';

test('a feed that was never read is explained by the "today" that a replay or an import set', () => {
  const at = '2018-11-30T12:00:00.000Z';
  const as_of = requireIsoDate('2018-11-30');
  expect(pollWords({ last_poll_at: at, as_of })).toBe(at);
  expect(pollWords({ last_poll_at: null, as_of: null })).toBe('not yet');
  expect(pollWords({ last_poll_at: null, as_of })).toBe('never: filings were replayed or imported');
});
