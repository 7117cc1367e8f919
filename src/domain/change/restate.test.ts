import { describe, expect, it, test } from 'vitest';
import { APPLE, SPY } from '../filing/filing.sample.ts';
import type { Cusip } from '../ids.ts';
import type { CorporateAction } from '../peers/verdict.ts';
import { changesAfter, changesOf, moved, NEW, OLD, ratio, row, split } from './report.sample.ts';
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

  it('is suspected for a holder whose share count did not change (rule 5.3)', () => {
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

  it('is suspected for a holder whose price did not change, whatever it traded (rule 5.3)', () => {
    const before = row(20_000n, { value: 2_000_000n });
    const at = (value: bigint) =>
      changesOf([row(19_400n, { value })], [before], split())[0]?.reasons.includes('split_suspected');
    expect([at(1_940_000n), at(980_000n), at(960_000n), at(485_000n)]).toEqual([true, true, false, false]);
    expect(at(0n)).toBe(false);
  });

  it('is not suspected for a holder that moved by the factor, with any rounding of values (rule 5.3)', () => {
    const change = changesOf([row(120n, { value: 2n })], [row(30n, { value: 1n })], split())[0];
    expect(change).toMatchObject({ change: 'HELD' });
    expect(change?.reasons).not.toContain('split_suspected');
  });

  it('restates exits and options too, but not principal or other securities (rule 5.3)', () => {
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

test('a position that a reverse split reduces to zero shares is neither EXITED nor ADDED (rule 5.3)', () => {
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
  // Rounded up for the holder to one whole share.
  expect(changesOf([row(1n), kept], few, reverse)[0]).toMatchObject({ change: 'HELD', priorAmount: 1n });
});

describe('a change of CUSIP', () => {
  const held = (cusip: Cusip, amount: bigint) => row(amount, { cusip });

  it('moves the position: no exit under the old CUSIP, no start under the new one (rule 5.3)', () => {
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

  it('without a factor can be suspected of a split like any other change (rule 5.3)', () => {
    const renamed = { ...moved, factor: ratio(1n) };
    const suspected: CorporateAction = {
      ...{ kind: 'split_suspected', cusip: NEW, factor: ratio(4n), votes: 1, compared: 2 },
    };
    expect(changesOf([held(NEW, 80_000n)], [held(OLD, 20_000n)], renamed, suspected)[0]).toMatchObject({
      change: 'ADDED',
      reasons: ['cusip_changed', 'split_suspected'],
    });
  });

  it('shows a complete sale as an exit from the new one (rule 5.3)', () => {
    expect(changesOf([], [held(OLD, 2_000_000n)], moved)).toMatchObject([
      { cusip: NEW, change: 'EXITED', amountDelta: -200_000n, reasons: ['cusip_changed', 'split_adjusted'] },
    ]);
  });

  it('does not change a manager that still reports the old CUSIP (rule 5.3)', () => {
    const changes = changesOf([held(OLD, 20_000n)], [held(OLD, 20_000n)], moved);
    expect(changes).toMatchObject([{ cusip: OLD, change: 'HELD', restated: null, reasons: [] }]);
  });

  it('adds the old position to one already held under the new CUSIP, in key order (rule 5.3)', () => {
    const before = [held(OLD, 20_000n), held(NEW, 500n), held(APPLE, 20_000n)];
    const changes = changesOf([held(NEW, 2_500n), held(APPLE, 20_000n)], before, moved);
    expect(changes.map(({ cusip, change, priorAmount }) => [cusip, change, priorAmount])).toEqual([
      [NEW, 'HELD', 2_500n],
      [APPLE, 'HELD', 20_000n],
    ]);
    expect(changes[0]?.restated?.filedPriorAmount).toBe(20_500n);
  });
});

describe('a holder that reports a CUSIP change late', () => {
  const held = (cusip: Cusip, amount: bigint) => row(amount, { cusip });

  it('is compared with its position under the old CUSIP, even quarters later (rule 5.3)', () => {
    expect(changesAfter([moved], [held(NEW, 2_000n)], [held(OLD, 20_000n)])).toMatchObject([
      {
        cusip: NEW,
        change: 'HELD',
        restated: { factor: ratio(1n, 10n), fromCusip: OLD, filedPriorAmount: 20_000n },
        reasons: ['cusip_changed', 'split_adjusted'],
      },
    ]);
  });

  it('has exited the old CUSIP when it does not hold the new one (rule 5.3)', () => {
    const [change, ...others] = changesAfter([moved], [row(20_000n)], [held(OLD, 2_000_000n), row(20_000n)]);
    expect(change).toMatchObject({ cusip: OLD, change: 'EXITED', restated: null, reasons: [] });
    expect(others).toMatchObject([{ change: 'HELD' }]);
  });

  it('is also restated by a later split of the new CUSIP (rule 5.3)', () => {
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
  '%s shares restated by %o, with %s now, are %s: a fraction is settled in cash (rule 5.3)',
  (filed, factor, now, expected) => {
    expect(restatedAmount(filed, factor, now)).toBe(expected);
  },
);
