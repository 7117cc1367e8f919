import { stoodStill } from '../../change/change.ts';
import type { JudgedObservation } from '../../holders/institutional.ts';
import type { ManagerObservation } from '../../holders/observation.ts';
import type { CorporateAction } from '../../peers/verdict.ts';
import type { Reason } from '../../quality/quality.ts';
import type { SplitFactor } from '../../report/split-factor.ts';

/**
 * What is to be seen of a reason at one observation, in one sentence. Where the filers voted, the vote
 * is in it: a reader can judge by that whether to agree (rule 8.8).
 */
export function detailOf({ observation, action }: JudgedObservation, reason: Reason): string {
  const shares = `${grouped(observation.previousShares)} shares before, ${grouped(observation.currentShares)} shares reported (${action}).`;
  switch (reason) {
    case 'split_adjusted':
      return `${splitVote(observation)}${restatement(observation)}`;
    case 'cusip_changed':
      return `${cusipVote(observation)}${restatement(observation)}`;
    case 'split_suspected':
      return missedSplit(observation) ?? `${shares} ${commonVote(observation)}`;
    case 'probable_corporate_action':
      return `${massExitVote(observation)}${shares}`;
    default:
      return shares;
  }
}

/** `4 for 1`, `3 for 2`, `1 for 10`. */
export function factorWords({ numerator, denominator }: SplitFactor): string {
  return `${numerator} for ${denominator}`;
}

/** Digits in threes, as `12,345,678`. */
export function grouped(amount: bigint): string {
  return String(amount).replace(/\B(?=(\d{3})+$)/g, ',');
}

function splitVote(observation: ManagerObservation): string {
  const vote = corporateActionOf(observation, 'split');
  if (vote === null) return cusipVote(observation);
  return `${vote.votes} of ${vote.compared} holders moved by ${factorWords(vote.factor)}, ${vote.unchanged} stood still; `;
}

/** Null where nothing was restated by a factor. */
function missedSplit(observation: ManagerObservation): string | null {
  const { restated, currentShares, filedCurrentShares = currentShares } = observation;
  if (restated === null || restated.factor.numerator === restated.factor.denominator) return null;
  const before = restated.filedPriorAmount;
  const what = stoodStill(filedCurrentShares, before) ? 'count stood still' : 'price did not move by it';
  return `${splitVote(observation)}this holder's ${what}: ${grouped(before)} shares before, ${grouped(filedCurrentShares)} reported.`;
}

function commonVote(observation: ManagerObservation): string {
  const refuted = corporateActionOf(observation, 'refuted');
  if (refuted !== null) {
    return `${refuted.unchanged} of ${refuted.compared} holders stood still, but this holder's price did not move as theirs.`;
  }
  const vote = corporateActionOf(observation, 'common_ratio');
  if (vote === null) return 'No vote of other holders confirms or refutes a split.';
  return `${vote.votes} of ${vote.compared} holders moved by one ratio or near it, ${factorWords(vote.factor)}.`;
}

function cusipVote(observation: ManagerObservation): string {
  const vote = corporateActionOf(observation, 'cusip_change');
  if (vote === null) return '';
  return `${vote.votes} of ${vote.compared} holders went over from CUSIP ${vote.from} at ${factorWords(vote.factor)}; `;
}

function massExitVote(observation: ManagerObservation): string {
  const vote = corporateActionOf(observation, 'mass_exit');
  if (vote === null) return massEntryVote(observation);
  return `${vote.votes} of ${vote.compared} holders left the security in the quarter; `;
}

function massEntryVote(observation: ManagerObservation): string {
  const vote = corporateActionOf(observation, 'mass_entry');
  if (vote === null) return '';
  return `${vote.votes} of ${vote.compared} holders entered the security in the quarter, as the holders of another one; `;
}

function restatement(observation: ManagerObservation): string {
  const { currentShares, filedCurrentShares: filed = currentShares } = observation;
  const before = restatementOfBefore(observation);
  return filed === currentShares
    ? before
    : `${before} ${grouped(filed)} shares reported now are ${grouped(currentShares)}.`;
}

function restatementOfBefore({ restated, previousShares }: ManagerObservation): string {
  if (restated === null) return `${grouped(previousShares)} shares before.`;
  const under = restated.fromCusip === null ? '' : ` under ${restated.fromCusip}`;
  return `${grouped(restated.filedPriorAmount)} shares reported before${under} are ${grouped(previousShares)}.`;
}

function corporateActionOf<Kind extends CorporateAction['kind']>(
  { corporateActions }: ManagerObservation,
  kind: Kind,
): Extract<CorporateAction, { kind: Kind }> | null {
  const found = corporateActions.find((action) => action.kind === kind);
  return (found as Extract<CorporateAction, { kind: Kind }> | undefined) ?? null;
}
