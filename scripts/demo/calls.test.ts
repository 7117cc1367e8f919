import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { callsOf } from './calls.ts';
import { DEFAULT_AS_OF } from './options.ts';

const served = {
  apiUrl: 'http://127.0.0.1:8080',
  boardUrl: 'http://127.0.0.1:8081/',
  boardUser: 'operator',
  boardPassword: 'secret',
  key: 'tm_live_x',
  ticker: 'AAPL',
};

const tickersOf = (asOf: string) =>
  callsOf({ ...served, asOf }).flatMap(({ url }) => /stocks\/(\w+)\/capital/.exec(url)?.[1] ?? []);

test('the first call is the brief of the ticker with the most managers, on any day', () => {
  expect(tickersOf('2016-03-31')).toEqual(['AAPL']);
});

test('on the default day the demo shows both legs and sales under a plan, as the corpus describes them', () => {
  expect(tickersOf(DEFAULT_AS_OF)).toEqual(['AAPL', 'TSLA', 'FB']);
  expect(tickersOf('2020-03-31')).toEqual(['AAPL', 'BATRA', 'FICO']);
  const corpus = readFileSync(new URL('../../demo/corpus/README.md', import.meta.url), 'utf8');
  const [, first = '', second = ''] = corpus.split(/\*\*As of (?=\d)/);
  expect([first.slice(0, 10), second.slice(0, 10)]).toEqual([DEFAULT_AS_OF, '2020-03-31']);
  for (const ticker of ['TSLA', 'FB']) expect(first).toContain(`${ticker},`);
  for (const ticker of ['BATRA', 'FICO']) expect(second).toContain(ticker);
});
