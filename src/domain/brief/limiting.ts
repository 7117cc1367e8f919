import type { InstitutionalLeg } from '../holders/institutional.ts';
import { isChange, type JudgedObservation, sharesMoved } from '../holders/judged.ts';
import { REASONS, type Reason } from '../quality/quality.ts';

/** Rule 8.3: what is in doubt or unread limits a brief from this part of the whole on. */
const LIMITING_PERCENT = 5;

export function isLimiting(part: bigint | number, whole: bigint | number): boolean {
  return part > 0 && BigInt(part) * 100n >= BigInt(whole) * BigInt(LIMITING_PERCENT);
}

/** Managers without a comparable quarter before hold too much of what is held. */
export function lacksComparison({ counted }: InstitutionalLeg): boolean {
  const baselines = counted.filter(({ action }) => action === 'baseline_only');
  return isLimiting(sharesHeld(baselines), sharesHeld(counted));
}

/** The observation stays clear, but positions may be missing from its report or the one before. */
const MISSING_POSITIONS: ReadonlySet<Reason> = new Set([
  'entry_total_mismatch',
  'prior_confidential_omitted',
  'value_total_mismatch',
]);

/** Too much of what moved is in doubt. */
export function isMoveDoubted({ judged }: InstitutionalLeg): boolean {
  const changes = judged.filter(({ action }) => isChange(action));
  const doubted = changes.filter(({ quality }) => quality.reasons.some(limitsObservation));
  return isLimiting(sharesChanged(doubted), sharesChanged(changes));
}

function sharesHeld(observed: readonly JudgedObservation[]): bigint {
  return observed.reduce((sum, { observation }) => sum + observation.currentShares, 0n);
}

function sharesChanged(changes: readonly JudgedObservation[]): bigint {
  return changes.reduce((sum, { observation }) => sum + sharesMoved(observation), 0n);
}

function limitsObservation(reason: Reason): boolean {
  return REASONS[reason].effect !== 'clear' || MISSING_POSITIONS.has(reason);
}
