import { describe, expect, it, test } from 'vitest';
import type { CusipChange, SecurityEvent } from './consensus.ts';
import { diffReports } from './diff.ts';
import { APPLE, GOOGL, SPY, sampleRow } from './filing.sample.ts';
import type { InfoTableRow } from './filing.ts';
import type { Cusip } from './ids.ts';
import { BEFORE, NOW, sampleReport } from './report.sample.ts';
import { eventsByCusip, restatedAmount } from './restate.ts';

const OLD = '00165C104' as Cusip;
const NEW = '00165C302' as Cusip;
const ratio = (numerator: bigint, denominator = 1n) => ({ numerator, denominator });
const split = (factor = ratio(4n)): SecurityEvent => ({
  kind: 'split',
  cusip: APPLE,
  factor,
  votes: 37,
  compared: 41,
  unchanged: 1,
});
const moved: CusipChange = {
  kind: 'cusip_change',
  cusip: NEW,
  from: OLD,
  factor: ratio(1n, 10n),
  votes: 30,
  compared: 40,
};
const changesOf = (
  now: readonly InfoTableRow[],
  before: readonly InfoTableRow[],
  ...events: SecurityEvent[]
) => changesAfter([], now, before, ...events);
/** With changes of CUSIP of the quarters before. */
const changesAfter = (
  earlier: readonly CusipChange[],
  now: readonly InfoTableRow[],
  before: readonly InfoTableRow[],
  ...events: SecurityEvent[]
) =>
  diffReports(
    sampleReport(NOW, { rows: now }),
    sampleReport(BEFORE, { rows: before }),
    eventsByCusip(events),
    earlier,
  ).changes;
/** A second row keeps the sample above what a slip of the units would look like. */
const row = (amount: bigint, fields: Partial<InfoTableRow> = {}) => sampleRow({ amount, ...fields });

describe('a confirmed split', () => {
  it('restates the earlier amount, so that who only held is HELD (domain 2.9)', () => {
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

  it('measures what was traded beside it from the restated amount (domain 2.9)', () => {
    const [change] = changesOf([row(40_000n)], [row(20_000n)], split());
    expect(change).toMatchObject({ change: 'REDUCED', amountDelta: -40_000n, pctDelta: -50 });
    expect(change?.reasons).toEqual(['split_adjusted']);
  });

  it('of a holder whose count stood still is suspected as well (domain 2.9)', () => {
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

  it('of a holder whose price stood still is suspected as well, whatever it traded beside (domain 2.9)', () => {
    const before = row(20_000n, { value: 2_000_000n });
    const at = (value: bigint) =>
      changesOf([row(19_400n, { value })], [before], split())[0]?.reasons.includes('split_suspected');
    expect([at(1_940_000n), at(980_000n), at(960_000n), at(485_000n)]).toEqual([true, true, false, false]);
    expect(at(0n)).toBe(false);
  });

  it('restates an exit too, and options, but no principal and no other security (domain 2.9)', () => {
    const before = [
      row(20_000n),
      row(20_000n, { putCall: 'CALL' }),
      row(20_000n, { unit: 'PRN' }),
      row(20_000n, { cusip: SPY }),
    ];
    const changes = changesOf([], before, split());
    expect(
      changes.map(({ cusip, unit, putCall, amountDelta }) => [cusip, unit, putCall, amountDelta]),
    ).toEqual([
      [APPLE, 'PRN', null, -20_000n],
      [APPLE, 'SH', null, -80_000n],
      [APPLE, 'SH', 'CALL', -80_000n],
      [SPY, 'SH', null, -20_000n],
    ]);
  });

  it('leaves a new position as it is (domain 2.9)', () => {
    expect(changesOf([row(20_000n)], [], split())[0]).toMatchObject({ restated: null, reasons: [] });
  });
});

test('shares that a reverse split leaves none of are neither left nor added to (domain 2.9)', () => {
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

test('where most moved by one ratio that restates nobody every holder is in doubt (domain 2.9)', () => {
  const common: SecurityEvent = {
    kind: 'common_ratio',
    cusip: APPLE,
    factor: ratio(10_500n, 10_000n),
    votes: 6,
    compared: 10,
  };
  const reasonsOf = (amount: bigint) => changesOf([row(amount)], [row(20_000n)], common)[0]?.reasons;
  const doubted = [21_000n, 20_000n, 23_000n].map(reasonsOf);
  expect(doubted).toEqual([['split_suspected'], ['split_suspected'], ['split_suspected']]);
  const [start, exit] = [changesOf([row(21_000n)], [], common), changesOf([], [row(20_000n)], common)];
  expect([...start, ...exit].map(({ reasons }) => reasons)).toEqual([[], []]);
});

test('a split that the others refute is not suspected of one holder (domain 2.9)', () => {
  const refuted: SecurityEvent = {
    kind: 'refuted',
    cusip: APPLE,
    compared: 40,
    unchanged: 38,
    pricePermille: 260,
  };
  expect(changesOf([row(80_000n)], [row(20_000n)])[0]?.reasons).toEqual(['split_suspected']);
  const unpriced = { ...refuted, pricePermille: null };
  for (const event of [refuted, unpriced]) {
    expect(changesOf([row(80_000n)], [row(20_000n)], event)[0]).toMatchObject({
      change: 'ADDED',
      restated: null,
      reasons: [],
    });
  }
});

test('who books a split a quarter late is suspected although the others stood still at a steady price (domain 2.9)', () => {
  const refuted: SecurityEvent = {
    kind: 'refuted',
    cusip: APPLE,
    compared: 12,
    unchanged: 11,
    pricePermille: 1010,
  };
  expect(changesOf([row(80_000n)], [row(20_000n)], refuted)[0]?.reasons).toEqual(['split_suspected']);
});

describe('a change of CUSIP', () => {
  const held = (cusip: Cusip, amount: bigint) => row(amount, { cusip });

  it('carries the position over: no exit under the old one, no start under the new (domain 2.9)', () => {
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

  it('without a factor restates no amount (domain 2.9)', () => {
    const renamed = { ...moved, factor: ratio(1n) };
    const [change] = changesOf([held(NEW, 20_000n)], [held(OLD, 20_000n)], renamed);
    expect(change).toMatchObject({ change: 'HELD', priorAmount: 20_000n, reasons: ['cusip_changed'] });
  });

  it('without a factor is suspected of a split like any other change (domain 2.9)', () => {
    const renamed = { ...moved, factor: ratio(1n) };
    const quadrupled = [held(NEW, 80_000n)];
    expect(changesOf(quadrupled, [held(OLD, 20_000n)], renamed)[0]).toMatchObject({
      change: 'ADDED',
      reasons: ['cusip_changed', 'split_suspected'],
    });
    const refuted: SecurityEvent = {
      kind: 'refuted',
      cusip: NEW,
      compared: 40,
      unchanged: 38,
      pricePermille: 260,
    };
    const [change] = changesOf(quadrupled, [held(OLD, 20_000n)], renamed, refuted);
    expect(change?.reasons).toEqual(['cusip_changed']);
  });

  it('shows who sold all as an exit of the new one (domain 2.9)', () => {
    expect(changesOf([], [held(OLD, 2_000_000n)], moved)).toMatchObject([
      { cusip: NEW, change: 'EXITED', amountDelta: -200_000n, reasons: ['cusip_changed', 'split_adjusted'] },
    ]);
  });

  it('leaves a manager alone that still reports the old one (domain 2.9)', () => {
    const changes = changesOf([held(OLD, 20_000n)], [held(OLD, 20_000n)], moved);
    expect(changes).toMatchObject([{ cusip: OLD, change: 'HELD', restated: null, reasons: [] }]);
  });

  it('adds the old position to one held under the new CUSIP already, in key order (domain 2.9)', () => {
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

  it('is compared with what it held under the old one, quarters later too (domain 2.9)', () => {
    expect(changesAfter([moved], [held(NEW, 2_000n)], [held(OLD, 20_000n)])).toMatchObject([
      {
        cusip: NEW,
        change: 'HELD',
        restated: { factor: ratio(1n, 10n), fromCusip: OLD, filedPriorAmount: 20_000n },
        reasons: ['cusip_changed', 'split_adjusted'],
      },
    ]);
  });

  it('has left the old one where it does not hold the new one either (domain 2.9)', () => {
    const [change, ...others] = changesAfter([moved], [row(20_000n)], [held(OLD, 2_000_000n), row(20_000n)]);
    expect(change).toMatchObject({ cusip: OLD, change: 'EXITED', restated: null, reasons: [] });
    expect(others).toMatchObject([{ change: 'HELD' }]);
  });

  it('is restated by a split of the new one since then as well (domain 2.9)', () => {
    const since: SecurityEvent = { ...split(ratio(4n)), kind: 'split', cusip: NEW } as SecurityEvent;
    expect(changesAfter([moved], [held(NEW, 8_000n)], [held(OLD, 20_000n)], since)).toMatchObject([
      { change: 'HELD', restated: { factor: ratio(4n, 10n) } },
    ]);
  });
});

test('a report that holds the old and the new CUSIP says nothing clear of either (domain 2.9)', () => {
  const at = (cusip: Cusip, amount: bigint) => row(amount, { cusip });
  const renamed = { ...moved, factor: ratio(1n) };
  const now = [at(OLD, 60_000n), at(NEW, 940_000n)];
  const before = [at(OLD, 1_000_000n)];
  const doubted = [
    [OLD, 'REDUCED', ['cusip_change_suspected']],
    [NEW, 'NEW', ['cusip_change_suspected']],
  ];
  const told = (changes: ReturnType<typeof changesOf>) =>
    changes.map(({ cusip, change, reasons }) => [cusip, change, reasons]);
  expect(told(changesOf(now, before, renamed))).toEqual(doubted);
  expect(told(changesAfter([renamed], now, before))).toEqual(doubted);
  expect(changesAfter([renamed], now, now).flatMap(({ reasons }) => reasons)).toEqual([]);
  expect(changesOf(now, before).flatMap(({ reasons }) => reasons)).toEqual([]);
});

test('an exit from a security that nearly all holders left is a corporate action (domain 2.9)', () => {
  const vanished: SecurityEvent = { kind: 'vanished', cusip: GOOGL, votes: 39, compared: 40 };
  const before = [row(20_000n, { cusip: GOOGL }), row(20_000n)];
  expect(changesOf([], before, vanished).map(({ cusip, reasons }) => [cusip, reasons])).toEqual([
    [GOOGL, ['probable_corporate_action']],
    [APPLE, []],
  ]);
});

test('a start in a security that its holders were given is a corporate action (domain 2.9)', () => {
  const appeared: SecurityEvent = { kind: 'appeared', cusip: GOOGL, votes: 39, compared: 40 };
  const now = [row(20_000n, { cusip: GOOGL }), row(20_000n)];
  expect(changesOf(now, [], appeared).map(({ cusip, reasons }) => [cusip, reasons])).toEqual([
    [GOOGL, ['probable_corporate_action']],
    [APPLE, []],
  ]);
  expect(changesOf(now, now, appeared).flatMap(({ reasons }) => reasons)).toEqual([]);
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
  '%s shares at %o against %s now are %s: a fraction is settled in cash (domain 2.9)',
  (filed, factor, now, expected) => {
    expect(restatedAmount(filed, factor, now)).toBe(expected);
  },
);
