import type { JudgedObservation } from '../../holders/institutional.ts';
import type { ManagerObservation } from '../../holders/observation.ts';
import type { Trade } from '../../insider/trade.ts';
import type { CorporateAction } from '../../peers/verdict.ts';
import type { Reason } from '../../quality/quality.ts';
import { stoodStill } from '../../report/holding.ts';
import { isOneForOne } from '../../report/split-factor.ts';
import type { SecurityResolution } from '../../security/resolution.ts';
import { factorWords, grouped } from './numbers.ts';

/**
 * What one observation shows of a reason. Where the share counts of other holders decided, their vote
 * is part of it, so that a reader can judge the decision (rule 8.8).
 */
export function observationDetail({ observation, action }: JudgedObservation, reason: Reason): string {
  const shares = `${grouped(observation.previousShares)} shares before, ${grouped(observation.currentShares)} shares reported (${action}).`;
  switch (reason) {
    case 'split_adjusted':
      return `${splitVote(observation)}${restatement(observation)}`;
    case 'cusip_changed':
      return `${cusipVote(observation)}${restatement(observation)}`;
    case 'split_suspected':
      return missedSplit(observation) ?? `${shares} ${commonVote(observation)}`;
    case 'probable_corporate_action':
      return `${massMoveVote(observation)}${shares}`;
    default:
      return shares;
  }
}

export function mappingDetail({
  ticker,
  sources,
}: Extract<SecurityResolution, { kind: 'resolved' }>): string {
  return `${ticker} was mapped by ${sources.join(' and ')}.`;
}

export function tradeDetail({ id, row, filing, owners }: Trade): string {
  const who = owners[0]?.name ?? filing.issuer.name;
  const day = row.transactionDate ?? 'an unknown date';
  return `${who}: code ${row.code}, ${row.shares ?? 'no'} shares of ${row.securityTitle} on ${day} (${id}).`;
}

function splitVote(observation: ManagerObservation): string {
  const vote = corporateAction(observation, 'split');
  if (vote === null) return cusipVote(observation);
  return `${vote.votes} of ${vote.compared} holders moved by ${factorWords(vote.factor)}, ${vote.unchanged} did not move. `;
}

/** Null where nothing was restated by a factor. */
function missedSplit(observation: ManagerObservation): string | null {
  const { restated, currentShares, filedCurrentShares = currentShares } = observation;
  if (restated === null || isOneForOne(restated.factor)) return null;
  const before = restated.filedPriorAmount;
  const what = stoodStill(filedCurrentShares, before)
    ? 'share count did not move'
    : 'price did not move by that ratio';
  return `${splitVote(observation)}This holder's ${what}: ${grouped(before)} shares before, ${grouped(filedCurrentShares)} reported.`;
}

function commonVote(observation: ManagerObservation): string {
  const refuted = corporateAction(observation, 'refuted');
  if (refuted !== null) {
    return `The share counts of ${refuted.unchanged} of ${refuted.compared} holders did not move, but this holder's price moved differently from theirs.`;
  }
  const vote = corporateAction(observation, 'common_ratio');
  if (vote === null) return 'The share counts of other holders neither confirm nor refute a split.';
  return `${vote.votes} of ${vote.compared} holders moved by ${factorWords(vote.factor)} or a ratio near it.`;
}

function cusipVote(observation: ManagerObservation): string {
  const vote = corporateAction(observation, 'cusip_change');
  if (vote === null) return '';
  return `${vote.votes} of ${vote.compared} holders moved from CUSIP ${vote.from} at ${factorWords(vote.factor)}. `;
}

function massMoveVote(observation: ManagerObservation): string {
  const exit = corporateAction(observation, 'mass_exit');
  if (exit !== null) return `${exit.votes} of ${exit.compared} holders left the security in the quarter. `;
  const entry = corporateAction(observation, 'mass_entry');
  if (entry === null) return '';
  return `${entry.votes} of ${entry.compared} holders entered the security in the quarter as holders of another one. `;
}

function restatement(observation: ManagerObservation): string {
  const { currentShares, filedCurrentShares: filed = currentShares } = observation;
  const before = priorRestatement(observation);
  return filed === currentShares
    ? before
    : `${before} ${grouped(filed)} shares reported now are restated to ${grouped(currentShares)}.`;
}

function priorRestatement({ restated, previousShares }: ManagerObservation): string {
  if (restated === null) return `${grouped(previousShares)} shares before.`;
  const under = restated.fromCusip === null ? '' : ` under ${restated.fromCusip}`;
  return `${grouped(restated.filedPriorAmount)} shares reported before${under} are restated to ${grouped(previousShares)}.`;
}

function corporateAction<Kind extends CorporateAction['kind']>(
  { corporateActions }: ManagerObservation,
  kind: Kind,
): Extract<CorporateAction, { kind: Kind }> | null {
  const isOfKind = (one: CorporateAction): one is Extract<CorporateAction, { kind: Kind }> =>
    one.kind === kind;
  return corporateActions.find(isOfKind) ?? null;
}
