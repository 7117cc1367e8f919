import type { BriefInput } from './brief-input.ts';
import type { Coverage, Outcome } from './brief-shape.ts';
import type { InsiderLeg } from './insider-leg.ts';
import type { InstitutionalLeg } from './institutional.ts';
import { REASONS } from './quality.ts';

/** What decides the outcome, and nothing else. */
export type OutcomeFacts = {
  readonly resolution: 'resolved' | 'unknown' | 'ambiguous';
  /** Counted 13F observations and counted trades. */
  readonly observed: number;
  readonly isSuppressed: boolean;
  readonly hasLimits: boolean;
};

/**
 * First row that applies (contract 5):
 *
 * | resolution | observed | suppressed | limits | outcome   |
 * | ---------- | -------- | ---------- | ------ | --------- |
 * | ambiguous  |          |            |        | refused   |
 * | unknown    |          |            |        | no_data   |
 * | resolved   | 0        |            |        | no_data   |
 * | resolved   | > 0      | yes        |        | uncertain |
 * | resolved   | > 0      | no         | some   | partial   |
 * | resolved   | > 0      | no         | none   | complete  |
 */
export function outcomeOf(facts: OutcomeFacts): Outcome {
  if (facts.resolution === 'ambiguous') return 'refused';
  if (facts.resolution === 'unknown' || facts.observed === 0) return 'no_data';
  if (facts.isSuppressed) return 'uncertain';
  return facts.hasLimits ? 'partial' : 'complete';
}

/**
 * Something limits the brief when either leg's coverage is less than full, the quarter's window is
 * still open, the ticker rests on a later source, or an observation is uncertain (in its shares or
 * its value), excluded or a mere baseline. Cutting the lists for display limits nothing: the numbers cover all.
 */
export function hasLimits(
  input: BriefInput,
  coverage: Omit<Coverage, 'limitations'>,
  institutional: InstitutionalLeg,
): boolean {
  const hasFullCoverage =
    coverage.thirteen_f.status === 'available' &&
    coverage.form4.status === 'complete' &&
    input.corpus.filingWindow === 'closed';
  if (!hasFullCoverage) return true;
  if (input.resolution.kind === 'resolved' && input.resolution.reasons.length > 0) return true;
  const isAllClear = institutional.judged.every(({ quality }) =>
    quality.reasons.every((reason) => REASONS[reason].effect === 'clear'),
  );
  return !isAllClear || institutional.counts.baseline_only > 0;
}

export function outcomeFacts(
  input: BriefInput,
  coverage: Omit<Coverage, 'limitations'>,
  legs: { readonly institutional: InstitutionalLeg; readonly insiders: InsiderLeg },
): OutcomeFacts {
  return {
    resolution: input.resolution.kind,
    observed: legs.institutional.counted.length + legs.insiders.trades.length,
    isSuppressed: legs.institutional.isSuppressed,
    hasLimits: hasLimits(input, coverage, legs.institutional),
  };
}
