import fc from 'fast-check';
import { expect, test } from 'vitest';
import { cikOf, observation } from '../brief/brief.sample.ts';
import { leftOutOf, quarterLine } from '../history/quarter-line.ts';
import type { QuarterEnd } from '../ids.ts';
import type { Reason } from '../quality/quality.ts';
import { holderList } from './holders.ts';
import { institutionalLeg } from './institutional.ts';
import type { ManagerObservation } from './observation.ts';

const LATEST = '2019-12-31' as QuarterEnd;
const BEFORE = '2019-09-30' as QuarterEnd;

const list = (observations: readonly ManagerObservation[]) => holderList(observations, LATEST);

const amount = fc.bigInt({ min: 0n, max: 3n });
const reasons: readonly Reason[] = ['split_suspected', 'implied_price_outlier', 'supplement_without_base'];
const observations = fc
  .array(
    fc.record({
      currentShares: amount,
      previousShares: amount,
      currentValueCents: amount,
      previousValueCents: amount,
      comparable: fc.boolean(),
      quarterEnd: fc.constantFrom(LATEST, BEFORE),
      reasons: fc.subarray([...reasons]),
    }),
    { maxLength: 12 },
  )
  .map((all) => all.map((fields, at) => observation({ ...fields, cik: cikOf(at + 1) })));

test('counts equal those of the brief for any observations', () => {
  fc.assert(
    fc.property(observations, (all) => {
      const { stale, ...counts } = list(all).counts;
      const leg = institutionalLeg(all);
      expect(counts).toEqual(leg.counts);
      const carried = leg.counted.filter((one) => one.observation.quarterEnd === BEFORE);
      expect(stale).toBe(carried.length);
    }),
  );
});

test('the order is total: held by value, exits by prior value, ties by CIK, in any order of arrival', () => {
  fc.assert(
    fc.property(observations, fc.infiniteStream(fc.nat()), (all, ranks) => {
      const { rows } = list(all);
      const shuffled = all
        .map((one) => ({ one, rank: ranks.next().value ?? 0 }))
        .sort((a, b) => a.rank - b.rank)
        .map(({ one }) => one);
      expect(list(shuffled).rows).toEqual(rows);
      for (const [at, row] of rows.entries()) {
        const next = rows[at + 1];
        if (next === undefined) continue;
        const isExit = row.changeType === 'EXITED';
        expect(isExit && next.changeType !== 'EXITED').toBe(false);
        if (isExit !== (next.changeType === 'EXITED')) continue;
        const rankedBy = ({ observation: one }: typeof row) =>
          isExit ? one.previousValueCents : one.currentValueCents;
        expect(rankedBy(row) >= rankedBy(next)).toBe(true);
        if (rankedBy(row) === rankedBy(next)) expect(row.observation.cik < next.observation.cik).toBe(true);
      }
    }),
  );
});

test('totals cover current holders, without excluded rows, values that are not prices and share counts that repeat values (rule 7.3)', () => {
  const held = { currentShares: 10n, previousShares: 10n, currentValueCents: 1_000n };
  const { totals, rows } = list([
    observation(held),
    observation({ ...held, quarterEnd: BEFORE }),
    observation({ ...held, reasons: ['split_suspected'] }),
    observation({ ...held, reasons: ['implied_price_outlier'], currentValueCents: 999_999n }),
    observation({ ...held, reasons: ['supplement_without_base'] }),
    observation({ ...held, reasons: ['shares_equal_value'], comparable: false, currentShares: 1_000n }),
    observation({ ...held, currentShares: 0n, currentValueCents: 0n }),
  ]);
  expect(rows).toHaveLength(7);
  expect(totals).toEqual({ holders: 5, shares: 40n, valueCents: 4_000n });
});

test('what a filing that is not believed lists is a row, and in no sum, which a sentence says (rules 2.10 and 7.3)', () => {
  const held = { currentShares: 10n, previousShares: 10n, currentValueCents: 1_000n };
  const reasons = ['unrelated_restatement_suspected'] as const;
  const { totals, rows } = list([observation(held), observation({ ...held, reasons, isDoubted: true })]);
  expect([rows.length, totals]).toEqual([2, { holders: 2, shares: 10n, valueCents: 1_000n }]);
  expect(leftOutOf(rows)).toEqual([
    '1 position is of filings that are not believed and left out of the shares and the value.',
  ]);
  const shares = new Map(rows.map(({ observation: { cik } }) => [cik, { now: 40n, before: 40n }]));
  const holders = rows.map(({ observation: one }) => one);
  const line = quarterLine({ quarterEnd: LATEST, holders, shares, factors: [] });
  expect(line).toMatchObject({ holders: 2, shares: '40', value_cents: '1000' });
});
