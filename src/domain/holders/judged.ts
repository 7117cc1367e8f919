import { abs } from '../money.ts';
import { changeQualityOf, type Quality } from '../quality/quality.ts';
import { weightPct } from '../ratio.ts';
import { isValued } from '../report/holding.ts';
import type { Institutional } from '../wire/brief.ts';
import type { ManagerObservation, Observed } from './observation.ts';

export type Action = keyof Institutional['counts'];

/** An observation with its action and its quality. */
export type JudgedObservation = {
  readonly observation: ManagerObservation;
  readonly action: Action;
  readonly quality: Quality;
};

export function judge(observation: ManagerObservation): JudgedObservation {
  return { observation, action: actionOf(observation), quality: qualityOfObservation(observation) };
}

export function qualityOfObservation({ comparable, reasons }: Observed): Quality {
  return changeQualityOf(comparable ? reasons : [...reasons, 'no_prior_comparable_filing']);
}

/** A manager that holds nothing in either quarter does not observe the security. */
export function holdsOrHeld({ currentShares, previousShares, comparable }: Observed): boolean {
  return currentShares > 0n || (comparable && previousShares > 0n);
}

function actionOf({ comparable, currentShares, previousShares }: ManagerObservation): Action {
  if (!comparable) return 'baseline_only';
  if (currentShares === previousShares) return 'unchanged';
  if (previousShares === 0n) return 'initiated';
  if (currentShares === 0n) return 'exited';
  return currentShares > previousShares ? 'added' : 'reduced';
}

export function isChange(action: Action): boolean {
  return action !== 'unchanged' && action !== 'baseline_only';
}

/** The size that ranks a change, in shares. Values would move with the price. */
export function sharesMoved({ currentShares, previousShares }: ManagerObservation): bigint {
  return abs(currentShares - previousShares);
}

/** Share of the position in the equity of its report, in percent; 0 where its value does not count. */
export function weightOf({ observation, quality }: Pick<JudgedObservation, 'observation' | 'quality'>) {
  return isValued(quality) ? weightPct(observation.currentValueCents, observation.reportAumCents) : 0;
}
