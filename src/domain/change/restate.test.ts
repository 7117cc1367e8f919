import { describe, expect, it, test } from 'vitest';
import { APPLE, SPY } from '../filing/filing.sample.ts';
import type { Cusip } from '../ids.ts';
import type { CorporateAction } from '../peers/verdict.ts';
import { changesAfter, changesOf, moved, NEW, OLD, ratio, row, split } from './restate.sample.ts';
import { restatedAmount } from './restate.ts';

describe('a confirmed split', () => {
  it('restates the earlier amount, so that a holder without trades is HELD (rule 5.3)', () => {
    expect(changesOf([row(80_000n)], [row(20_000n)], split())).toMatchObject([
      {
        change: 'HELD',
        priorAmount: 80_000n,
        amountDelta: 0n,
        pctDelta: 0,
        restated: { factor: ratio(4n), fromCusip: null, filedPriorAmount: 20_000n },
        reasons: ['split_adjusted'],
      },
    ]);
  });

  it('measures trades in addition to it from the restated amount (rule 5.3)', () => {
    const [change] = changesOf([row(40_000n)], [row(20_000n)], split());
    expect(change).toMatchObject({ change: 'REDUCED', amountDelta: -40_000n, pctDelta: -50 });
    expect(change?.reasons).toEqual(['split_adjusted']);
  });

  it('of a holder whose count stood still is suspected as well (rule 5.3)', () => {
    const sold = (amount: bigint) => {
      const now = row(amount, { value: (amount * 100n) / 4n });
      return changesOf([now], [row(20_000n, { value: 2_000_000n })], split())[0];
    };
    expect(sold(20_050n)).toMatchObject({
      change: 'REDUCED',
      reasons: ['split_adjusted', 'split_suspected'],
    });
    expect(sold(20_100n)?.reasons).toEqual(['split_adjusted']);
  });

  it('of a holder whose price stood still is suspected as well, whatever else it traded (rule 5.3)', () => {
    const before = row(20_000n, { value: 2_000_000n });
    const at = (value: bigint) =>
      changesOf([row(19_400n, { value })], [before], split())[0]?.reasons.includes('split_suspected');
    expect([at(1_940_000n), at(980_000n), at(960_000n), at(485_000n)]).toEqual([true, true, false, false]);
    expect(at(0n)).toBe(false);
  });

  it('of a holder that moved by the factor is not, however its values are rounded (rule 5.3)', () => {
    const change = changesOf([row(120n, { value: 2n })], [row(30n, { value: 1n })], split())[0];
    expect(change).toMatchObject({ change: 'HELD' });
    expect(change?.reasons).not.toContain('split_suspected');
  });

  it('restates an exit too, and options, but no principal and no other security (rule 5.3)', () => {
    const before = [
      row(20_000n),
      row(20_000n, { putCall: 'CALL' }),
      row(20_000n, { amountType: 'PRN' }),
      row(20_000n, { cusip: SPY }),
    ];
    const changes = changesOf([], before, split());
    expect(
      changes.map(({ cusip, amountType, putCall, amountDelta }) => [cusip, amountType, putCall, amountDelta]),
    ).toEqual([
      [APPLE, 'PRN', null, -20_000n],
      [APPLE, 'SH', null, -80_000n],
      [APPLE, 'SH', 'CALL', -80_000n],
      [SPY, 'SH', null, -20_000n],
    ]);
  });

  it('leaves a new position as it is (rule 5.3)', () => {
    expect(changesOf([row(20_000n)], [], split())[0]).toMatchObject({ restated: null, reasons: [] });
  });
});

test('shares that a reverse split leaves none of are neither left nor added to (rule 5.3)', () => {
  const reverse = split(ratio(1n, 10n));
  const few = [row(4n), row(20_000n, { cusip: SPY })];
  const kept = row(20_000n, { cusip: SPY });
  expect(changesOf([kept], few, reverse).map(({ cusip, change }) => [cusip, change])).toEqual([
    [SPY, 'HELD'],
  ]);
  expect(changesOf([row(700n), kept], few, reverse)[0]).toMatchObject({
    change: 'NEW',
    priorAmount: 0n,
    pctDelta: 100,
    restated: null,
  });
  // Rounded up for the holder: one whole share is what it has.
  expect(changesOf([row(1n), kept], few, reverse)[0]).toMatchObject({ change: 'HELD', priorAmount: 1n });
});

describe('a change of CUSIP', () => {
  const held = (cusip: Cusip, amount: bigint) => row(amount, { cusip });

  it('carries the position over: no exit under the old one, no start under the new (rule 5.3)', () => {
    expect(changesOf([held(NEW, 2_000n)], [held(OLD, 20_000n)], moved)).toMatchObject([
      {
        cusip: NEW,
        change: 'HELD',
        priorAmount: 2_000n,
        restated: { factor: ratio(1n, 10n), fromCusip: OLD, filedPriorAmount: 20_000n },
        reasons: ['cusip_changed', 'split_adjusted'],
      },
    ]);
  });

  it('without a factor restates no amount (rule 5.3)', () => {
    const renamed = { ...moved, factor: ratio(1n) };
    const [change] = changesOf([held(NEW, 20_000n)], [held(OLD, 20_000n)], renamed);
    expect(change).toMatchObject({ change: 'HELD', priorAmount: 20_000n, reasons: ['cusip_changed'] });
  });

  it('without a factor is suspected of a split like any other change (rule 5.3)', () => {
    const renamed = { ...moved, factor: ratio(1n) };
    const quadrupled = [held(NEW, 80_000n)];
    expect(changesOf(quadrupled, [held(OLD, 20_000n)], renamed)[0]).toMatchObject({
      change: 'ADDED',
      reasons: ['cusip_changed', 'split_suspected'],
    });
    const refuted: CorporateAction = {
      kind: 'refuted',
      cusip: NEW,
      compared: 40,
      unchanged: 38,
      pricePermille: 260,
    };
    const [change] = changesOf(quadrupled, [held(OLD, 20_000n)], renamed, refuted);
    expect(change?.reasons).toEqual(['cusip_changed']);
  });

  it('shows a complete sale as an exit from the new one (rule 5.3)', () => {
    expect(changesOf([], [held(OLD, 2_000_000n)], moved)).toMatchObject([
      { cusip: NEW, change: 'EXITED', amountDelta: -200_000n, reasons: ['cusip_changed', 'split_adjusted'] },
    ]);
  });

  it('leaves a manager alone that still reports the old one (rule 5.3)', () => {
    const changes = changesOf([held(OLD, 20_000n)], [held(OLD, 20_000n)], moved);
    expect(changes).toMatchObject([{ cusip: OLD, change: 'HELD', restated: null, reasons: [] }]);
  });

  it('adds the old position to one held under the new CUSIP already, in key order (rule 5.3)', () => {
    const before = [held(OLD, 20_000n), held(NEW, 500n), held(APPLE, 20_000n)];
    const changes = changesOf([held(NEW, 2_500n), held(APPLE, 20_000n)], before, moved);
    expect(changes.map(({ cusip, change, priorAmount }) => [cusip, change, priorAmount])).toEqual([
      [NEW, 'HELD', 2_500n],
      [APPLE, 'HELD', 20_000n],
    ]);
    expect(changes[0]?.restated?.filedPriorAmount).toBe(20_500n);
  });
});

describe('a holder that comes late after a change of CUSIP', () => {
  const held = (cusip: Cusip, amount: bigint) => row(amount, { cusip });

  it('is compared with what it held under the old one, quarters later too (rule 5.3)', () => {
    expect(changesAfter([moved], [held(NEW, 2_000n)], [held(OLD, 20_000n)])).toMatchObject([
      {
        cusip: NEW,
        change: 'HELD',
        restated: { factor: ratio(1n, 10n), fromCusip: OLD, filedPriorAmount: 20_000n },
        reasons: ['cusip_changed', 'split_adjusted'],
      },
    ]);
  });

  it('has left the old one where it does not hold the new one either (rule 5.3)', () => {
    const [change, ...others] = changesAfter([moved], [row(20_000n)], [held(OLD, 2_000_000n), row(20_000n)]);
    expect(change).toMatchObject({ cusip: OLD, change: 'EXITED', restated: null, reasons: [] });
    expect(others).toMatchObject([{ change: 'HELD' }]);
  });

  it('is restated by a split of the new one since then as well (rule 5.3)', () => {
    const since: CorporateAction = { ...split(ratio(4n)), kind: 'split', cusip: NEW } as CorporateAction;
    expect(changesAfter([moved], [held(NEW, 8_000n)], [held(OLD, 20_000n)], since)).toMatchObject([
      { change: 'HELD', restated: { factor: ratio(4n, 10n) } },
    ]);
  });
});

test.each([
  [1_001n, ratio(3n, 2n), 1_501n, 1_501n],
  [1_001n, ratio(3n, 2n), 1_502n, 1_502n],
  [1_001n, ratio(3n, 2n), 1_503n, 1_502n],
  [1_003n, ratio(3n, 2n), null, 1_504n],
  [1_009n, ratio(1n, 10n), 101n, 101n],
  [1_009n, ratio(1n, 10n), 102n, 101n],
  [20_000n, ratio(4n), 80_001n, 80_000n],
])(
  '%s shares at %o against %s now are %s: a fraction is settled in cash (rule 5.3)',
  (filed, factor, now, expected) => {
    expect(restatedAmount(filed, factor, now)).toBe(expected);
  },
);
