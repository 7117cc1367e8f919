import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { cikOf, observation } from '../brief/brief.sample.ts';
import type { QuarterEnd } from '../ids.ts';
import { changeItem, institutionalLeg } from './institutional.ts';
import type { ManagerObservation } from './observation.ts';

const held = (previousShares: bigint, currentShares: bigint, fields: Partial<ManagerObservation> = {}) =>
  observation({ previousShares, currentShares, ...fields });

describe('institutionalLeg', () => {
  test('each kind of observation has its own count, and they add up to all observations', () => {
    const leg = institutionalLeg([
      held(0n, 5n),
      held(1n, 5n),
      held(5n, 1n),
      held(5n, 0n),
      held(5n, 5n),
      held(0n, 5n, { comparable: false }),
    ]);
    expect(leg.counts).toEqual({
      initiated: 1,
      added: 1,
      reduced: 1,
      exited: 1,
      unchanged: 1,
      baseline_only: 1,
    });
    expect(leg.counted).toHaveLength(6);
  });

  test('a manager without a comparable quarter is a baseline, never a change', () => {
    const leg = institutionalLeg([held(0n, 5n, { comparable: false })]);
    expect(leg.changes).toEqual([]);
    expect(leg.stance).toBe('not_determined');
    expect(leg.judged[0]?.quality).toEqual({ status: 'clear', reasons: ['no_prior_comparable_filing'] });
  });

  test('excluded observations are not counted; uncertain ones are, but do not affect the direction', () => {
    const leg = institutionalLeg([
      held(0n, 100n),
      held(50n, 0n, { reasons: ['confidential_omitted'] }),
      held(0n, 9_000n, { reasons: ['cusip_checksum_failed'] }),
    ]);
    expect(leg.counted).toHaveLength(2);
    expect(leg.uncertain).toBe(1);
    expect([leg.stance, leg.totals.up.amount, leg.totals.down.amount]).toEqual(['net_increases', 100n, 0n]);
  });

  test.each([
    ['no uncertain change', [held(0n, 9n)], false],
    ['uncertain changes only', [held(0n, 9n, { reasons: ['split_suspected'] })], true],
    ['uncertain as large as clear', [held(0n, 9n), held(9n, 0n, { reasons: ['split_suspected'] })], false],
    ['uncertain larger by one share', [held(0n, 9n), held(10n, 0n, { reasons: ['split_suspected'] })], true],
    ['an uncertain holder without a change', [held(9n, 9n, { reasons: ['combination_report'] })], false],
  ])('direction suppressed with %s: %#', (_name, observations, expected) => {
    expect(institutionalLeg(observations).isSuppressed).toBe(expected);
  });

  test('ranks by absolute share change, then current value, prior value, and CIK', () => {
    const base = { cik: cikOf(5), currentValueCents: 7n, previousValueCents: 7n };
    const ranked = [
      held(100n, 0n, { ...base, cik: cikOf(9), currentValueCents: 0n }),
      held(0n, 50n, { ...base, currentValueCents: 9n }),
      held(50n, 0n, { ...base, currentValueCents: 8n, previousValueCents: 9n }),
      held(0n, 50n, { ...base, currentValueCents: 8n, cik: cikOf(3) }),
      held(0n, 50n, { ...base, currentValueCents: 8n, cik: cikOf(4) }),
    ];
    const shuffled = fc.shuffledSubarray(ranked, { minLength: ranked.length });
    fc.assert(
      fc.property(shuffled, (observations) => {
        expect(institutionalLeg(observations).changes.map((change) => change.observation)).toEqual(ranked);
      }),
    );
  });

  test('periods cover the counted managers, newest first', () => {
    const older = { quarterEnd: '2019-09-30' as QuarterEnd };
    const leg = institutionalLeg([
      held(1n, 2n, older),
      held(1n, 2n),
      held(2n, 2n),
      held(1n, 2n, { reasons: ['amount_negative'] }),
    ]);
    expect(leg.periods).toEqual([
      { quarter_end: '2019-12-31', managers: 2 },
      { quarter_end: '2019-09-30', managers: 1 },
    ]);
  });

  test('a manager that held nothing in either quarter is not an observation', () => {
    expect(institutionalLeg([held(0n, 0n), held(5n, 0n, { comparable: false })]).judged).toEqual([]);
  });
});

describe('changeItem', () => {
  test('an exit has no shares, no value, minus 100 percent and both quarters as evidence', () => {
    const [change] = institutionalLeg([held(1_234n, 0n, { currentValueCents: 0n })]).changes;
    if (change === undefined) throw new Error('the exit is a change');
    const [now, before] = change.observation.accessions;
    expect(changeItem(change)).toMatchObject({
      action: 'exited',
      current_shares: '0',
      previous_shares: '1234',
      share_delta: '-1234',
      pct_delta: -100,
      current_value_usd: 0,
      evidence_ids: [`sec:13f:${now}`, `sec:13f:${before}`],
    });
  });

  test('values are whole dollars, half-even, and percentages have four decimals', () => {
    const [change] = institutionalLeg([held(3n, 4n, { currentValueCents: 12_350n })]).changes;
    if (change === undefined) throw new Error('the addition is a change');
    expect(changeItem(change)).toMatchObject({
      pct_delta: 33.3333,
      current_value_usd: 124,
      share_delta: '1',
    });
  });

  test('a restated count comes with the factor and the count as reported (rule 5.3)', () => {
    const restated = {
      factor: { numerator: 4n, denominator: 1n },
      fromCusip: null,
      filedPriorAmount: 1_000n,
    };
    const [change] = institutionalLeg([held(4_000n, 5_000n, { restated })]).changes;
    const [plain] = institutionalLeg([held(4_000n, 5_000n)]).changes;
    if (change === undefined || plain === undefined) throw new Error('the additions are changes');
    expect(changeItem(change)).toMatchObject({
      previous_shares: '4000',
      share_delta: '1000',
      restated: {
        factor_numerator: '4',
        factor_denominator: '1',
        from_cusip: null,
        reported_previous_shares: '1000',
      },
    });
    expect(changeItem(plain).restated).toBeNull();
  });
});
