import { expect, test } from 'vitest';
import { copyOrder } from './dump.ts';

test.each([
  ['index_days', 'filings'],
  ['data_sets', 'filings'],
  ['filings', 'raw'],
  ['raw', 'raw_parts'],
  ['filings', 'events'],
  ['ledger', 'grants'],
  ['vouchers', 'grants'],
  ['grants', 'organizations'],
  ['current_briefs', 'briefs'],
  ['briefs', 'evidence_pages'],
])('%s is copied before %s, to which it refers', (first, second) => {
  expect(copyOrder([second, first])).toEqual([first, second]);
});

test('every collection is copied once, but what is of processes alone; invalidations have their own way', () => {
  const names = ['zebra', 'heartbeats', 'filings', 'invalidations', 'settings', 'positions'];
  expect(copyOrder(names)).toEqual(['settings', 'filings', 'positions', 'zebra']);
});
