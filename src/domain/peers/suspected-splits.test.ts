import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { splitSuspected } from './split.ts';

const TABLE = new URL('../../../test/splits/suspected-splits.tsv', import.meta.url);
/** Changes of shares in the report pairs that the table was drawn from. */
const [ADDITIONS, CUTS] = [967, 1_032];

const [names = '', ...lines] = readFileSync(TABLE, 'utf8').trim().split('\n');
const columns = names.split('\t');
const marks = lines.map((line) => {
  const fields = line.split('\t');
  const of = (name: string): string => fields[columns.indexOf(name)] ?? '';
  const change = {
    ...{ amountType: 'SH' as const, putCall: null, reasons: [] },
    ...{ priorAmount: BigInt(of('prior_shares')), amount: BigInt(of('shares')) },
    ...{ priorValueCents: BigInt(of('prior_value_cents')), valueCents: BigInt(of('value_cents')) },
  };
  const name = `${of('quarter_end')} ${of('issuer')}`;
  return { name, change, isSplit: of('is_split') === 'yes', isMarked: splitSuspected(change) };
});
const marked = marks.filter(({ isMarked }) => isMarked);

it('of changes judged by hand, 85 % of the suspected ones are splits and 90 % of the splits are suspected (rule 4.7)', () => {
  expect(marks).toHaveLength(132);
  const splits = marks.filter(({ isSplit }) => isSplit);
  const found = marked.filter(({ isSplit }) => isSplit);
  expect([splits.length, found.length, marked.length]).toEqual([23, 21, 22]);
  expect(found.length / marked.length).toBeGreaterThanOrEqual(0.85);
  expect(found.length / splits.length).toBeGreaterThanOrEqual(0.9);
});

it('additions and cuts are withheld equally: one of 967 and none of 1,032 (rule 4.7)', () => {
  const wrong = marked.filter(({ isSplit }) => !isSplit);
  const added = wrong.filter(({ change }) => change.amount > change.priorAmount);
  expect(wrong.map(({ name }) => name)).toEqual(['2007-09-30 United Health Group Inc']);
  const rates = [added.length / ADDITIONS, (wrong.length - added.length) / CUTS];
  expect(Math.max(...rates)).toBeLessThan(0.002);
});
