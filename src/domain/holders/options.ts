import type { Institutional } from '../wire/brief.ts';
import { holdsOrHeld, qualityOfObservation } from './judged.ts';
import type { Observed } from './observation.ts';

/** One manager's puts or calls on the security, in shares of the underlying. */
export type OptionObservation = Observed & { readonly putCall: 'PUT' | 'CALL' };

export type OptionsLeg = ReturnType<typeof optionsLeg>;

/**
 * Options beside the shares (rule 7.8): every manager that has some at either end counts, and as in the
 * totals of the shares only clear changes with a comparable quarter before are summed.
 */
export function optionsLeg(observations: readonly OptionObservation[]) {
  const counted = observations.filter(
    (one) => holdsOrHeld(one) && qualityOfObservation(one).status !== 'excluded',
  );
  const moved = { PUT: 0n, CALL: 0n };
  for (const one of counted) {
    if (!one.comparable || qualityOfObservation(one).status !== 'clear') continue;
    moved[one.putCall] += one.currentShares - one.previousShares;
  }
  return { counted, managers: new Set(counted.map(({ cik }) => cik)).size, put: moved.PUT, call: moved.CALL };
}

export function optionsItem({ managers, put, call }: OptionsLeg): Institutional['options'] {
  return { managers, put_underlying_delta: String(put), call_underlying_delta: String(call) };
}
