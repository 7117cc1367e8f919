import { expect, test } from 'vitest';
import type { Cusip, QuarterEnd } from '../ids.ts';
import type { CusipChange } from '../peers/verdict.ts';
import { cusipsOf } from './former-cusips.ts';

const [A, B, C] = ['A00000001', 'B00000001', 'C00000001'] as Cusip[] as [Cusip, Cusip, Cusip];
const NOW = '2024-06-30' as QuarterEnd;
const change = (from: Cusip, cusip: Cusip, denominator: bigint): CusipChange => ({
  kind: 'cusip_change',
  cusip,
  from,
  factor: { numerator: 1n, denominator },
  votes: 5,
  compared: 5,
});

test('changes within one quarter are followed to the end, and a circle only once (rule 7.2)', () => {
  const corporateActions = [change(A, B, 2n), change(B, C, 5n), change(C, A, 1n)];
  const names = cusipsOf(C, [{ quarterEnd: NOW, corporateActions }], { reported: NOW, counted: NOW });
  expect(names.map(({ cusip, factor }) => [cusip, factor])).toEqual([
    [C, { numerator: 1n, denominator: 1n }],
    [B, { numerator: 1n, denominator: 5n }],
    [A, { numerator: 1n, denominator: 10n }],
  ]);
});
