import { expect, test } from 'vitest';
import { observation } from '../brief/brief.sample.ts';
import type { Cik } from '../ids.ts';
import { institutionalLeg } from './institutional.ts';
import type { ManagerObservation } from './observation.ts';
import { type OptionObservation, optionsItem, totalsItem } from './totals.ts';

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

test('the value of the net is rounded once', () => {
  // Renaissance in Crawford & Company A for 2023-03-31: 42,638.502 dollars.
  const sold = held(525_524n, 520_424n, { currentValueCents: 435_100_000n });
  expect(totals(sold)).toMatchObject({ net_share_delta: '-5100', net_value_usd: -42_639 });
});

test('a value that is no price of the security prices nothing', () => {
  const outlier = held(100n, 200n, {
    currentValueCents: 9_000_000_000n,
    reasons: ['implied_price_outlier'],
  });
  expect(totals(outlier, held(100n, 110n))).toMatchObject({ net_share_delta: '110', net_value_usd: 2_200 });
});

const side = (
  putCall: 'PUT' | 'CALL',
  [previousShares, currentShares]: readonly [before: bigint, now: bigint],
  fields: Partial<OptionObservation> = {},
): OptionObservation => ({ ...observation({ previousShares, currentShares }), putCall, ...fields });
const leg = (...options: OptionObservation[]) => institutionalLeg([], options);

test('options of either end count their manager once, and clear changes are summed by side (rule 7.8)', () => {
  const both = '0000000007' as Cik;
  const { options } = leg(
    side('PUT', [1_000_000n, 5_000_000n], { cik: both }),
    side('CALL', [300n, 0n], { cik: both }),
    side('CALL', [0n, 100n]),
    side('PUT', [50n, 50n]),
  );
  expect(optionsItem(options)).toEqual({
    managers: 3,
    put_underlying_delta: '4000000',
    call_underlying_delta: '-200',
  });
});

test('baselines and uncertain changes count their manager and move nothing; excluded ones do neither', () => {
  const { options } = leg(
    side('PUT', [0n, 900n], { comparable: false }),
    side('PUT', [100n, 900n], { reasons: ['split_suspected'] }),
    side('PUT', [0n, 900n], { reasons: ['amount_negative'] }),
    side('PUT', [900n, 0n], { comparable: false }),
  );
  expect(optionsItem(options)).toEqual({
    managers: 2,
    put_underlying_delta: '0',
    call_underlying_delta: '0',
  });
});

test('options are in no other figure of the leg', () => {
  const { options: _none, ...shares } = institutionalLeg([]);
  const { options: _some, ...beside } = leg(side('PUT', [1n, 500n]));
  expect(beside).toEqual(shares);
});
