import { expect, test } from 'vitest';
import { nearest } from './nearest.ts';

const TOOLS = ['fund.list', 'fund.get', 'capital_change_brief', 'events.latest'];

test.each([
  ['limt', ['page', 'limit'], 'limit'],
  ['ticker', ['form', 'since', 'tickers'], 'tickers'],
  ['fund', ['all', 'funds', 'managers'], 'funds'],
  ['doc', ['docs', 'connect'], 'docs'],
  ['FUND_LIST', TOOLS, 'fund.list'],
  ['capital-change-brief', TOOLS, 'capital_change_brief'],
  ['capital_chnage_bref', TOOLS, 'capital_change_brief'],
  ['q', ['quarter'], null],
  ['sum', ['fund.list'], null],
  ['', ['limit'], null],
])('%j among %j is %j', (given, names, found) => {
  expect(nearest(given, names)).toBe(found);
});

test('a name with fewer errors comes before one that begins alike', () => {
  expect(nearest('events', ['events.latest', 'event'])).toBe('event');
});
