import { describe, expect, test } from 'vitest';
import { briefInput, form4, observation } from './brief.sample.ts';
import { buildBrief } from './brief.ts';
import { changeQualityOf, doubtsShares, REASONS, type Reason } from './quality.ts';

const reasons = Object.keys(REASONS) as Reason[];
const thirteenF = reasons.filter((reason) => REASONS[reason].leg === 'thirteen_f');

/** One clear change of 1,000 shares beside one of 3,000 that carries the reason. */
function briefWith(reason: Reason) {
  const clear = observation({ currentShares: 2_000n, previousShares: 1_000n });
  const marked = observation({ currentShares: 1_000n, previousShares: 4_000n, reasons: [reason] });
  return buildBrief(briefInput({ observations: [clear, marked], ownershipFilings: [form4({ number: 1 })] }));
}

describe('every reason of the 13F leg, on a change that outweighs the clear one', () => {
  test.each(thirteenF)(
    '%s has its documented severity, description and effect on the direction',
    (reason) => {
      const brief = briefWith(reason);
      const group = brief.quality_artifacts.groups.find((one) => one.reason === reason);
      const suppresses = doubtsShares(reason);
      expect(group).toMatchObject({
        leg: 'thirteen_f',
        severity: REASONS[reason].severity,
        description: REASONS[reason].description,
        observation_count: 1,
        suppresses_direction: suppresses,
      });
      expect(group?.examples).toHaveLength(1);
      expect(brief.quality_artifacts.suppresses_direction).toBe(suppresses);
      const expected = suppresses
        ? ['not_determined', 'uncertain', 2]
        : REASONS[reason].effect === 'excluded'
          ? ['net_increases', 'partial', 1]
          : ['net_decreases', reason === 'value_unit_unverified' ? 'partial' : 'complete', 2];
      const { stance, tracked_managers_observed } = brief.institutional;
      expect([stance, brief.outcome, tracked_managers_observed]).toEqual(expected);
    },
  );
});

test('an unverified unit is told at a change of shares and does not make it uncertain (domain 2.1)', () => {
  expect(changeQualityOf(['value_unit_unverified'])).toEqual({
    status: 'clear',
    reasons: ['value_unit_unverified'],
  });
  expect(changeQualityOf(['value_unit_unverified', 'split_suspected']).status).toBe('uncertain');
  expect(briefWith('value_unit_unverified').coverage.limitations.join(' ')).toContain(
    'in a unit that could not be checked',
  );
});

test('a reason is named in words, once, and belongs to one leg', () => {
  const descriptions = reasons.map((reason) => REASONS[reason].description);
  expect(new Set(descriptions).size).toBe(reasons.length);
  expect(reasons.every((reason) => /^[a-z0-9_]+$/.test(reason))).toBe(true);
});
