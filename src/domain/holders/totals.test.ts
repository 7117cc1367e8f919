import { expect, test } from 'vitest';
import { observation } from '../brief/brief.sample.ts';
import { institutionalLeg } from './institutional.ts';
import type { ManagerObservation } from './observation.ts';
import { totalsItem } from './totals.ts';

const held = (previousShares: bigint, currentShares: bigint, fields: Partial<ManagerObservation> = {}) =>
  observation({
    previousShares,
    currentShares,
    previousValueCents: previousShares * 1_000n,
    currentValueCents: currentShares * 2_000n,
    ...fields,
  });
const totals = (...observations: ManagerObservation[]) => totalsItem(institutionalLeg(observations).totals);

test('sums cover clear observations of both quarters, unmoved ones included (rule 7.6)', () => {
  const all = totals(
    held(100n, 150n),
    held(100n, 90n),
    held(0n, 40n),
    held(30n, 0n),
    held(770n, 770n),
    held(0n, 5_000n, { comparable: false }),
    held(10n, 900n, { reasons: ['split_suspected'] }),
    held(0n, 7_000n, { reasons: ['amount_negative'] }),
  );
  expect(all).toEqual({
    net_share_delta: '50',
    gross_share_delta: '130',
    shares_now: '1050',
    shares_before: '1000',
    net_pct_of_held: 5,
    net_value_usd: 1_000,
    holders_up: 2,
    holders_down: 2,
    // Of +50 %, -10 % and 0 %: initiated and exited positions have no percentage.
    median_pct_delta: 0,
  });
});

test('the median of an even number of holders is the mean of the two in the middle', () => {
  const all = totals(held(3n, 4n), held(100n, 110n), held(100n, 100n), held(100n, 50n));
  expect(all.median_pct_delta).toBe(5);
});

test('percentages and money are null without a base or a price, sums of shares never are', () => {
  expect(totals(held(0n, 5n, { currentValueCents: 0n }))).toMatchObject({
    net_share_delta: '5',
    net_pct_of_held: null,
    net_value_usd: null,
    median_pct_delta: null,
  });
  expect(totals()).toMatchObject({ net_share_delta: '0', shares_now: '0', net_value_usd: null });
});

test('when all sold, the value is that of the quarter before', () => {
  expect(totals(held(30n, 0n), held(10n, 0n))).toMatchObject({ net_share_delta: '-40', net_value_usd: -400 });
});

test('a value that is no price of the security prices nothing', () => {
  const outlier = held(100n, 200n, {
    currentValueCents: 9_000_000_000n,
    reasons: ['implied_price_outlier'],
  });
  expect(totals(outlier, held(100n, 110n))).toMatchObject({ net_share_delta: '110', net_value_usd: 2_200 });
});
