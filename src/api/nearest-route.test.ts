import { expect, test } from 'vitest';
import { noRoute } from './nearest-route.ts';

test.each([
  ['/v1/fund', '/v1/funds'],
  ['/funds', '/v1/funds'],
  ['/v2/funds', '/v1/funds'],
  ['/V1/FUNDS', '/v1/funds'],
  ['/v1/funds/', '/v1/funds'],
  ['/v1/fund/1067983/holding', '/v1/funds/{cik}/holdings'],
  ['/v1/stock/AAPL/capital_change_brief', '/v1/stocks/{ticker}/capital-change-brief'],
  ['/v1/insiders/transactions', '/v1/insider/transactions'],
  ['/doc', '/docs'],
  ['/openapi', '/openapi.json'],
])('%s is told %s', (path, found) => {
  expect(noRoute(path).message).toBe(
    `There is no resource at this address. You may mean ${found}. /docs/reference lists all.`,
  );
});

test.each(['/', '/v1', '/v1/weather', '/v1/funds/1/2/3', '/tm_live_secret'])('%s is near to none', (path) => {
  expect(noRoute(path).message).toBe('There is no resource at this address. /docs/reference lists all.');
});
