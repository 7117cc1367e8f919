import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import type { Cusip, QuarterEnd } from '../ids.ts';
import { splitCaseOf, splitVerdict } from './split-verdict.ts';

const TSV = new URL('../../../test/splits/suspected-splits.tsv', import.meta.url);
const rows = readFileSync(TSV, 'utf8')
  .trim()
  .split('\n')
  .slice(1)
  .map((line) => line.split('\t'));

it('of real changes near a factor one holder is suspected of splits, and of nothing else (rule 4.7)', () => {
  const suspected = rows.filter(([quarterEnd, , cusip, , , , ...numbers]) => {
    const [prior = 0, amount = 0, before = 0, after = 0] = numbers.map(Number);
    const of = (one: number) => Float64Array.of(one);
    const holders = {
      prior: of(prior),
      amount: of(amount),
      priceBefore: of(before / prior),
      priceAfter: of(after / amount),
    };
    const asked = { cusip: cusip as Cusip, quarterEnd: quarterEnd as QuarterEnd, days: [] };
    return splitVerdict(splitCaseOf(holders, asked), 1) !== null;
  });
  const splitsIn = (some: typeof rows) => some.filter((fields) => fields[10] === 'yes').length;
  expect([rows.length, splitsIn(rows)]).toEqual([132, 23]);
  expect([suspected.length, splitsIn(suspected)]).toEqual([21, 21]);
});
