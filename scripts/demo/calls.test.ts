import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { callsOf, make } from './calls.ts';
import { DEFAULT_AS_OF } from './options.ts';

const served = {
  apiUrl: 'http://127.0.0.1:8080',
  boardUrl: 'http://127.0.0.1:8081/',
  boardUser: 'operator',
  boardPassword: 'secret',
  key: 'tm_live_x',
  ticker: 'AMZN',
};

const tickersOf = (asOf: string) =>
  callsOf({ ...served, asOf }).flatMap(({ url }) => /stocks\/(\w+)\/capital/.exec(url)?.[1] ?? []);

test('the first call is the brief of the ticker with the most managers, on any day', () => {
  expect(tickersOf('2016-03-31')).toEqual(['AMZN']);
});

test('on two days the demo shows more briefs, as the bundled filings describe them', () => {
  const shown = { [DEFAULT_AS_OF]: ['OXY', 'AAPL', 'MNST'], '2023-02-28': ['TECH'] };
  const described = readFileSync(new URL('../../demo/quarter/README.md', import.meta.url), 'utf8');
  const sections = described.split(/\*\*As of (?=\d)/).slice(1);
  expect(sections.map((section) => section.slice(0, 10))).toEqual(Object.keys(shown));
  for (const [place, [day, tickers]] of Object.entries(shown).entries()) {
    expect(tickersOf(day)).toEqual(['AMZN', ...tickers]);
    for (const ticker of tickers) expect(sections[place]).toContain(`| ${ticker} `);
  }
});

test('a call that a busy API refuses is made again', async () => {
  const statuses = [503, 200];
  const server = createServer((_, res) => res.writeHead(statuses.shift() ?? 500).end('done'));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  try {
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    expect(await make({ what: 'A call', url, authorization: 'Bearer x', curl: '' })).toBe('done');
  } finally {
    server.closeAllConnections();
    server.close();
  }
});
