import { expect, test } from 'vitest';
import type { Ownership } from '../filing/filing.ts';
import { briefInput, form4 } from './brief.sample.ts';
import { buildBrief } from './brief.ts';
import { verifyBrief } from './verify.ts';

const noted = (number: number, footnotes: Ownership['footnotes'], rows = 1) =>
  form4({
    number,
    footnotes,
    rows: Array.from({ length: rows }, () => ({
      // Equal trades of one owner would be one.
      shares: `${number}00`,
      footnoteIds: { transactionPricePerShare: footnotes.map(({ id }) => id) },
    })),
  });
const transactionsOf = (...ownershipFilings: Ownership[]) =>
  buildBrief(briefInput({ ownershipFilings })).insiders.transactions;

test('a footnote that tranches or forms repeat stands once, and the others say where (rule 8.6)', () => {
  const [first, second, other] = transactionsOf(
    noted(2, [{ id: 'F1', text: 'Sold under a plan.' }], 2),
    noted(1, [{ id: 'F7', text: 'Sold under a plan.' }]),
  );
  const qualifies = ['price_per_share'];
  expect(first?.footnotes).toEqual([{ id: 'F1', text: 'Sold under a plan.', qualifies }]);
  const same_as = { transaction_id: first?.transaction_id, id: 'F1' };
  expect(second?.footnotes).toEqual([{ id: 'F1', text: null, same_as, qualifies }]);
  expect(other?.footnotes).toEqual([{ id: 'F7', text: null, same_as, qualifies }]);
});

test('long footnotes are left out beyond 8,000 bytes, and the brief still verifies', () => {
  const texts = Array.from({ length: 30 }, (_, n) => ({ id: `F${n}`, text: `${n} ${'é'.repeat(500)}` }));
  const brief = buildBrief(briefInput({ ownershipFilings: [noted(1, texts)] }));
  const [transaction] = brief.insiders.transactions;
  expect(transaction?.footnotes.filter(({ text }) => text !== null)).toHaveLength(7);
  expect(transaction?.footnotes).toHaveLength(30);
  expect(verifyBrief(brief)).toEqual({ ok: true, problems: [] });
});
