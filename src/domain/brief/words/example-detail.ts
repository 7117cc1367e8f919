import {
  isInEarlierTerms,
  isRestatedForSplit,
  type JudgedObservation,
  type ManagerObservation,
} from '../../holders/observation.ts';
import type { Trade } from '../../insider/trade.ts';
import type { PriceStep } from '../../market/market.ts';
import type { CorporateAction } from '../../peers/verdict.ts';
import type { Reason } from '../../quality/quality.ts';
import { stoodStill } from '../../report/holding.ts';
import type { Restatement } from '../../report/report.ts';
import type { SecurityResolution } from '../../security/mapping.ts';
import { counted, factorWords, filedShares, grouped, listed } from './numbers.ts';

/**
 * What one observation shows of a reason. Where the share counts of other holders decided, their vote
 * is part of it, so that a reader can judge the decision (rule 8.8).
 */
export function observationDetail({ observation, action }: JudgedObservation, reason: Reason): string {
  const before = action === 'baseline_only' ? 'Share count before unknown' : beforeWords(observation);
  const shares = `${before}, ${heldWords(observation.currentShares)} reported (${action.replace('_', ' ')}).`;
  switch (reason) {
    case 'split_adjusted':
      return `${splitVote(observation)}${restatement(observation)}`;
    case 'cusip_changed':
      return `${voteOf(observation, 'cusip_change') ?? ''}${restatement(observation)}`;
    case 'split_suspected':
      return missedSplit(observation) ?? `${shares} ${commonVote(observation)}`;
    case 'probable_corporate_action':
      return `${massVote(observation)}${shares}`;
    case 'taken_in_stated':
      return restatement(observation);
    case 'moved_between_reports':
      return `Positions moved between the reports of ${listed([observation.name, ...(observation.movedWith ?? [])])}. ${shares}`;
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
  const code = row.unreadable === undefined ? `code ${row.code}` : row.unreadable.join(', ');
  return `${who}: ${code}, ${filedShares(row.shares)} of ${row.securityTitle} on ${day} (${id}).`;
}

function splitVote(observation: ManagerObservation): string {
  return voteOf(observation, 'split') ?? voteOf(observation, 'cusip_change') ?? '';
}

/** Null where nothing was restated by a factor. */
function missedSplit(observation: ManagerObservation): string | null {
  const { restated, currentShares, filedCurrentShares = currentShares } = observation;
  if (restated === null || !isRestatedForSplit(observation)) return null;
  const before = restated.filedPriorAmount;
  const what = stoodStill(filedCurrentShares, before)
    ? 'share count did not move'
    : 'price did not move by that ratio';
  return `${splitVote(observation)}This holder's ${what}: ${heldWords(before)} before, ${grouped(filedCurrentShares)} reported.`;
}

function commonVote(observation: ManagerObservation): string {
  return voteOf(observation, 'split_suspected') ?? 'The share count and the price may be those of a split.';
}

/** More targets than one may have been merged into the security: each ratio is told. */
function massVote({ corporateActions }: ManagerObservation): string {
  const of = (kind: CorporateAction['kind']) => corporateActions.filter((action) => action.kind === kind);
  const left = of('mass_exit');
  return (left.length > 0 ? left : [...of('stock_merger'), ...of('mass_entry')]).map(voteWords).join('');
}

/** The vote of the holders on the security, in the one kind; null without one. */
function voteOf({ corporateActions }: ManagerObservation, kind: CorporateAction['kind']): string | null {
  const action = corporateActions.find((one) => one.kind === kind);
  return action === undefined ? null : voteWords(action);
}

function voteWords(action: CorporateAction): string {
  const { kind } = action;
  const holders = `${action.votes} of ${counted(action.compared, 'holder')}`;
  switch (kind) {
    case 'split':
      return `${priceWords(action)}${holders} moved by ${factorWords(action.factor)} or near it. `;
    case 'split_suspected':
      return `${priceWords(action)}It may be a split of about ${factorWords(action.factor)}: ${action.votes === 0 ? 'the price fell so far' : `${holders} moved by about that factor`}.`;
    case 'cusip_change':
      return `${priceWords(action)}${holders} moved from CUSIP ${action.from} at ${factorWords(action.factor)}. `;
    case 'cusip_change_suspected':
      return `${priceWords(action)}${holders} left CUSIP ${action.from} and entered this one. `;
    case 'mass_exit':
      return `${holders} left the security in the quarter. `;
    case 'mass_entry':
      if (action.listedOn !== undefined)
        return `The SEC's daily prices begin on ${action.listedOn}: shares may have been given, as in a spin-off. `;
      return `${holders} entered the security in the quarter as holders of another one. `;
    case 'stock_merger':
      return `${holders} that left CUSIP ${action.from} gained about ${action.multiple} shares for each share of it. `;
    default:
      return kind satisfies never;
  }
}

/** The two days between which the files show the change. */
function priceWords({ prices }: { readonly prices?: PriceStep }): string {
  if (prices === undefined) return '';
  const [last, first] = [prices.last, prices.first].map(
    ({ day, price, file, row, sha256 }) =>
      `${price} dollars on ${day} (sec:ftd:${file}:${row}, sha256:${sha256})`,
  );
  return `The price was ${last} and ${first}. `;
}

function restatement(observation: ManagerObservation): string {
  return [priorRestatement(observation), currentRestatement(observation)].filter(Boolean).join(' ');
}

/** Empty where nothing is known of the quarter before, or nothing was held. */
function priorRestatement({ comparable, restated, previousShares }: ManagerObservation): string {
  if (restated === null) return `${heldWords(previousShares, 'No shares')} before.`;
  const { filedPriorAmount: filed } = restated;
  if (!comparable || filed === 0n) return '';
  return `${heldWords(filed)} reported before${under(restated)} ${isAre(filed)} restated to ${grouped(previousShares)}.`;
}

/** Empty where the report has the terms of today. */
function currentRestatement(observation: ManagerObservation): string {
  const { restated, currentShares, filedCurrentShares: filed = currentShares } = observation;
  if (restated === null || !isInEarlierTerms(observation)) return '';
  return filed === currentShares
    ? `${heldWords(filed, 'No shares')} ${isAre(filed)} reported${under(restated)}.`
    : `${heldWords(filed)} reported now${under(restated)} ${isAre(filed)} restated to ${grouped(currentShares)}.`;
}

function under({ fromCusip }: Restatement): string {
  return fromCusip === null ? '' : ` under ${fromCusip}`;
}

function beforeWords({ previousShares }: ManagerObservation): string {
  return `${heldWords(previousShares, 'None')} before`;
}

function heldWords(shares: bigint, none = 'none'): string {
  return shares === 0n ? none : `${grouped(shares)} ${shares === 1n ? 'share' : 'shares'}`;
}

function isAre(shares: bigint): string {
  return shares === 1n ? 'is' : 'are';
}
