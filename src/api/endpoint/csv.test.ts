import { expect, test } from 'vitest';
import { ENDPOINTS } from '../endpoints/index.ts';
import { csvOf } from './csv.ts';
import type { Endpoint } from './endpoint.ts';
import { exampleOf } from './examples.ts';

const endpoint = (name: string): Endpoint => {
  const found = ENDPOINTS.find((one) => one.name === name);
  if (found === undefined) throw new Error(`no endpoint ${name}`);
  return found;
};

const lines = (name: string, body: unknown) => csvOf(endpoint(name), body).split('\r\n');

test('every endpoint with CSV has a column for each field of its example, and as many cells in each line', () => {
  const withCsv = ENDPOINTS.filter(({ csv }) => csv === true).map(({ name }) => name);
  expect(withCsv.sort()).toEqual(['fund.holdings', 'fund.list', 'insider.transactions', 'stock.owners']);
  for (const name of withCsv) {
    const [header = '', ...rows] = lines(name, exampleOf(name));
    expect([name, rows.at(-1), rows.length > 1]).toEqual([name, '', true]);
    expect(header).not.toMatch(/^,|,,|,$/);
  }
});

test('an empty page is the header line', () => {
  expect(lines('fund.list', { data: [] })).toEqual([
    'cik,name,slug,aum_cents,latest_quarter,holdings_count,manager',
    '',
  ]);
});

test.each([
  ['ACME;=cmd|x', "ACME;'=cmd|x"],
  ['ACME\t@SUM(A1)', "ACME\t'@SUM(A1)"],
  ['ACME\n=1', `"ACME\n'=1"`],
  ['\n=1', `"\n'=1"`],
  ['＝1+1', "'＝1+1"],
  [' =cmd', "' =cmd"],
  ['\u3000\u00a0+A1', "'\u3000\u00a0+A1"],
  ['\t =1', "\t' =1"],
  ['ACME;  @x', "ACME;'  @x"],
  ['ACME;"=cmd', `"ACME;'""=cmd"`],
  ['＠x;－y', "'＠x;'－y"],
  ['7;-5;+2.5', '7;-5;+2.5'],
  ['A-B; C', 'A-B; C'],
])('no cell computes, wherever a spreadsheet splits: %j', (name, cell) => {
  const fund = {
    cik: '1',
    name,
    slug: 'a',
    aum_cents: '5',
    latest_quarter: null,
    holdings_count: 3,
    manager: null,
  };
  expect(
    lines('fund.list', { data: [fund] })
      .slice(1)
      .join('\r\n'),
  ).toBe(`1,${cell},a,5,,3,\r\n`);
});

test('nested fields, lists, nulls, quotes and formulas are what RFC 4180 and a spreadsheet can read', () => {
  const fund = { cik: '0000000001', slug: 'a', aum_cents: '-5', latest_quarter: '2018Q3', holdings_count: 3 };
  const [, row] = lines('fund.list', { data: [{ ...fund, name: '=SUM("A,B")', manager: null }] });
  expect(row).toBe(`0000000001,"'=SUM(""A,B"")",a,-5,2018Q3,3,`);
  const owner = {
    fund: { cik: '1', name: '+1 Capital', slug: 'x' },
    evidence_ids: ['sec:13f:1', 'sec:13f:2'],
    quality: { status: 'clear', reasons: [] },
    share_delta: '-100',
    pct_delta: -2.5,
  };
  const [header = '', line = ''] = lines('stock.owners', { data: { owners: [owner] } });
  const cells = Object.fromEntries(header.split(',').map((name, at) => [name, line.split(',')[at]]));
  expect(cells).toMatchObject({
    fund_name: "'+1 Capital",
    evidence_ids: 'sec:13f:1;sec:13f:2',
    quality_reasons: '',
    share_delta: '-100',
    pct_delta: '-2.5',
    stale: '',
  });
});
