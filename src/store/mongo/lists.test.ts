import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { inLists, MAX_LIST } from './lists.ts';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const HELPER = 'src/store/mongo/lists.ts';

/** Every other list in a filter, with what bounds it. */
const BOUNDED: Record<string, string> = {
  'src/credits/account/key-life.ts': 'the organizations of the keys that an operator lists',
  'src/read/audit/audit.ts': 'ISSUERS_AT_ONCE',
  'src/cli/rebuilt-briefs.ts': 'the tickers of a command',
  'src/store/filing/claims.ts': 'the lanes and the states',
  'src/store/filing/filings.ts': 'the two states that wait',
  'src/store/filing/events.ts': 'the filters of one request, or one watchlist',
  'src/store/invalidation/invalidate.ts': 'one batch of MAX_LIST keys; the lanes',
  'src/store/peers/market-prices.ts': 'the files of a quarter',
  'src/store/publish/search-index.ts': 'the parts of the search',
  'src/store/trade/list.ts': 'the filters of one request; the titles of one issuer',
  'src/store/trade/newest.ts': 'the filters of one request',
};

test('a list that grows with the data goes to the database in lists of MAX_LIST', () => {
  const found = ['src', 'jobs']
    .flatMap((folder) => readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts') && !entry.name.endsWith('.test.ts'))
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => /\$n?in\b/.test(readFileSync(path, 'utf8')))
    .map((path) => relative(ROOT, path));
  expect(found.sort()).toEqual([...Object.keys(BOUNDED), HELPER].sort());
});

test('lists have each value once, in its order, and none is longer than MAX_LIST', () => {
  const values = Array.from({ length: 2 * MAX_LIST + 1 }, (_, n) => n);
  const lists = inLists([...values, ...values]).map(({ $in }) => $in);
  expect(lists.map(({ length }) => length)).toEqual([MAX_LIST, MAX_LIST, 1]);
  expect(lists.flat()).toEqual(values);
  expect(inLists([])).toEqual([]);
});
