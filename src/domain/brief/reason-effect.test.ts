import { describe, expect, test } from 'vitest';
import { isEffective } from '../insider/trades.ts';
import { changeQualityOf, isAboutShares, REASONS, type Reason } from '../quality/quality.ts';
import { briefInput, form4, observation } from './brief.sample.ts';
import { buildBrief } from './brief.ts';
import { coverageOf } from './coverage.ts';
import { insiderLeg } from './insider-leg.ts';
import { isLimited } from './outcome.ts';
import { REASON_DESCRIPTIONS } from './words/reason-descriptions.ts';

type Severity = 'info' | 'warning' | 'critical';
type Effect = 'clear' | 'uncertain' | 'excluded';
type Line = readonly [reason: Reason, severity: Severity, effect: Effect, limits: boolean];

/** What each reason is documented to do. Written out again, so that no change goes unnoticed. */
const THIRTEEN_F: readonly Line[] = [
  ['no_prior_comparable_filing', 'info', 'clear', false],
  ['reported_elsewhere', 'info', 'clear', false],
  ['combination_report', 'warning', 'uncertain', true],
  ['confidential_omitted', 'warning', 'uncertain', true],
  ['prior_confidential_omitted', 'info', 'clear', true],
  ['below_reporting_threshold', 'info', 'uncertain', true],
  ['split_suspected', 'warning', 'uncertain', true],
  ['value_unit_unverified', 'warning', 'uncertain', true],
  ['partial_restatement_suspected', 'critical', 'uncertain', true],
  ['restated_thousandfold_suspected', 'critical', 'uncertain', true],
  ['unrelated_restatement_suspected', 'critical', 'uncertain', true],
  ['doubled_table_suspected', 'critical', 'uncertain', true],
  ['repeated_new_holdings_suspected', 'critical', 'uncertain', true],
  ['amendment_type_missing', 'warning', 'uncertain', true],
  ['supplement_without_base', 'critical', 'excluded', true],
  ['entry_total_mismatch', 'warning', 'clear', true],
  ['value_total_mismatch', 'info', 'clear', true],
  ['cusip_malformed', 'critical', 'excluded', true],
  ['cusip_checksum_failed', 'warning', 'excluded', true],
  ['cusip_mistyped_elsewhere', 'warning', 'uncertain', true],
  ['amount_fractional', 'info', 'clear', false],
  ['amount_missing', 'critical', 'excluded', true],
  ['amount_negative', 'critical', 'excluded', true],
  ['amount_implausible', 'critical', 'excluded', true],
  ['implied_price_outlier', 'warning', 'clear', false],
  ['value_unit_thousands_after_2023', 'warning', 'clear', false],
  ['value_unit_dollars_before_2023', 'warning', 'clear', false],
  ['shares_equal_value', 'critical', 'uncertain', true],
  ['split_adjusted', 'info', 'clear', false],
  ['cusip_changed', 'info', 'clear', false],
  ['cusip_change_suspected', 'warning', 'uncertain', true],
  ['probable_corporate_action', 'warning', 'uncertain', true],
  ['taken_in_stated', 'info', 'clear', false],
  ['moved_between_reports', 'warning', 'uncertain', true],
  ['manager_reorganised', 'warning', 'clear', false],
  ['identical_positions', 'warning', 'clear', false],
  ['confidential_revealed', 'info', 'clear', false],
  ['option_class_cusip', 'info', 'clear', false],
  ['option_by_title', 'info', 'clear', false],
  ['option_side_unknown', 'warning', 'uncertain', true],
  ['text_table', 'info', 'clear', false],
  ['encoding_guessed', 'info', 'clear', false],
  ['text_value_unsure', 'warning', 'uncertain', true],
  ['mapping_later_source', 'info', 'clear', false],
];
const FORM_4: readonly Line[] = [
  ['acquired_disposed_mismatch', 'warning', 'excluded', true],
  ['equity_swap', 'info', 'excluded', false],
  ['price_missing', 'info', 'clear', true],
  ['price_zero', 'info', 'clear', true],
  ['weighted_average_price', 'info', 'clear', false],
  ['shares_not_positive', 'critical', 'excluded', true],
  ['date_implausible', 'warning', 'clear', false],
  ['duplicate_trade', 'info', 'excluded', false],
  ['superseded_by_amendment', 'info', 'excluded', false],
  ['unreconciled_amendment', 'warning', 'clear', true],
  ['share_class_unresolved', 'info', 'clear', true],
  ['other_share_class', 'info', 'excluded', false],
  ['price_implausible', 'warning', 'clear', true],
  ['possible_offering', 'info', 'clear', false],
  ['depositary_ratio', 'info', 'clear', false],
  ['footnote_mentions_10b5_1', 'info', 'clear', false],
  ['plan_sale', 'info', 'clear', false],
  ['sell_to_cover', 'info', 'clear', false],
  ['exercise_and_sell', 'info', 'clear', false],
  ['foreign_currency_price', 'info', 'clear', true],
  ['price_of_other_security', 'warning', 'clear', true],
  ['row_unreadable', 'critical', 'excluded', true],
];

/** One clear change of 1,000 shares and one of 3,000 with the reason. */
function briefWith(reason: Reason) {
  const clear = observation({ currentShares: 2_000n, previousShares: 1_000n });
  const marked = observation({ currentShares: 1_000n, previousShares: 4_000n, reasons: [reason] });
  return buildBrief(briefInput({ observations: [clear, marked], ownershipFilings: [form4({ number: 1 })] }));
}

/** Stance, outcome and number of managers counted in {@link briefWith}. */
function expectedOf([reason, , effect, limits]: Line): readonly unknown[] {
  const outcome = limits ? 'partial' : 'complete';
  if (effect === 'excluded') return ['net_increases', outcome, 1];
  const isOfValue = reason === 'value_unit_unverified';
  if (effect === 'clear' || isOfValue) return ['net_decreases', outcome, 2];
  return ['not_determined', 'uncertain', 2];
}

test('the two lists are closed: every reason has its leg, severity and effect, and no other is there', () => {
  const table = [
    ...THIRTEEN_F.map((line) => ['thirteen_f', ...line] as const),
    ...FORM_4.map((line) => ['form4', ...line] as const),
  ];
  const expected = table.map(([leg, reason, severity, effect]) => [reason, leg, severity, effect]);
  const actual = Object.entries(REASONS).map(([reason, { leg, severity, effect }]) => [
    reason,
    leg,
    severity,
    effect,
  ]);
  expect(actual).toEqual(expected);
});

describe('every reason of the 13F leg, on a change that outweighs the clear one', () => {
  test.each(THIRTEEN_F)('%s, %s: %s', (...line) => {
    const [reason, severity, effect] = line;
    const brief = briefWith(reason);
    const group = brief.quality_artifacts.groups.find((one) => one.reason === reason);
    const suppresses = effect === 'uncertain' && reason !== 'value_unit_unverified';
    expect(group).toMatchObject({
      leg: 'thirteen_f',
      severity,
      description: REASON_DESCRIPTIONS[reason],
      observation_count: 1,
      suppresses_direction: suppresses,
    });
    expect(group?.examples).toHaveLength(1);
    expect(brief.quality_artifacts.suppresses_direction).toBe(suppresses);
    expect(isAboutShares(reason)).toBe(suppresses);
    const { stance, tracked_managers_observed } = brief.institutional;
    expect([stance, brief.outcome, tracked_managers_observed]).toEqual(expectedOf(line));
  });
});

describe('every reason of the Form 4 leg, on a trade', () => {
  const input = briefInput({ observations: [observation()], ownershipFilings: [form4({ number: 1 })] });
  const { holders } = input;
  const leg = insiderLeg(input, true);
  const [trade] = leg.considered;
  if (trade === undefined) throw new Error('the form has a trade');

  test.each(FORM_4)('%s, %s: %s, limits the brief: %s', (reason, _severity, effect, limits) => {
    const marked = { ...trade, reasons: [reason] };
    expect(isEffective(marked)).toBe(effect !== 'excluded');
    const insiders = { ...leg, considered: [marked] };
    const coverage = coverageOf(input, { holders, insiders });
    expect(isLimited(input, coverage, { holders, insiders })).toBe(limits);
  });

  test.each(['duplicate_trade', 'equity_swap', 'other_share_class', 'superseded_by_amendment'] as const)(
    'a trade that is put aside by %s limits nothing, whatever its other reasons',
    (reason) => {
      const insiders = { ...leg, considered: [{ ...trade, reasons: ['price_missing' as const, reason] }] };
      const coverage = coverageOf(input, { holders, insiders });
      expect(isLimited(input, coverage, { holders, insiders })).toBe(false);
    },
  );
});

test('an unverified scale is shown at a change of shares and does not make it uncertain (rule 5.8)', () => {
  expect(changeQualityOf(['value_unit_unverified'])).toEqual({
    status: 'clear',
    reasons: ['value_unit_unverified'],
  });
  expect(changeQualityOf(['value_unit_unverified', 'split_suspected']).status).toBe('uncertain');
  expect(briefWith('value_unit_unverified').coverage.limitations.join(' ')).toContain(
    'could not be checked against other filers',
  );
});

test('every reason is a code in snake_case with a sentence of its own', () => {
  expect(Object.keys(REASONS).every((reason) => /^[a-z0-9_]+$/.test(reason))).toBe(true);
  const descriptions = Object.values(REASON_DESCRIPTIONS);
  expect(new Set(descriptions).size).toBe(Object.keys(REASONS).length);
  for (const description of descriptions) expect(description).toMatch(/^[A-Z].*\.$/);
});
