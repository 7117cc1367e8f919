import { compare } from '../compare.ts';
import { countBy } from '../group.ts';
import { evidenceIdOf13f } from '../ids.ts';
import { abs, wholeDollarsFromCents } from '../money.ts';
import { changeQualityOf, type Quality } from '../quality/quality.ts';
import { pctDelta } from '../ratio.ts';
import type { Change, Institutional } from '../wire/brief.ts';
import type { ManagerObservation } from './observation.ts';
import { institutionalStance } from './stance.ts';

/** Rule 8.2: at most this many are shown. */
export const MAX_INSTITUTIONAL_CHANGES = 8;
export const MAX_INSIDER_TRANSACTIONS = 8;

export type Action = keyof Institutional['counts'];

/** An observation with its action and its quality. */
export type JudgedObservation = {
  readonly observation: ManagerObservation;
  readonly action: Action;
  readonly quality: Quality;
};

type Period = Institutional['periods_observed'][number];

/** The 13F side of a brief, before anything is cut off for display, whatever the order of arrival. */
export type InstitutionalLeg = ReturnType<typeof institutionalLeg>;

export function institutionalLeg(observations: readonly ManagerObservation[]) {
  const judged = observations.filter(holdsOrHeld).sort(compareObservations).map(judge);
  const counted = judged.filter(({ quality }) => quality.status !== 'excluded');
  const changes = counted.filter(({ action }) => isChange(action));
  const clear = changes.filter(({ quality }) => quality.status === 'clear');
  const up = sideOf(clear, 1);
  const down = sideOf(clear, -1);
  const uncertain = changes.filter(({ quality }) => quality.status === 'uncertain');
  const isSuppressed = suppressesDirection(clear, uncertain);
  const clearlyUnchanged = counted.filter(
    ({ action, quality }) => action === 'unchanged' && quality.status === 'clear',
  ).length;
  return {
    /** All that were read, in ranking order, the excluded ones included. */
    judged,
    /** Those in `counts`: all but the excluded. */
    counted,
    /** Counted and comparable with a change of shares, in ranking order. */
    changes,
    counts: countActions(counted),
    stance: institutionalStance({ observed: counted.length, up, down, isSuppressed, clearlyUnchanged }),
    isSuppressed,
    uncertain: counted.filter(({ quality }) => quality.status === 'uncertain').length,
    periods: periodsOf(counted),
    netDelta: up.amount - down.amount,
    grossDelta: up.amount + down.amount,
  };
}

/**
 * Uncertain changes remove the direction when no clear change is left, or when they move more shares
 * than the clear ones (rule 7.5). What is left out could then turn any answer around, so a direction
 * would be a guess. A smaller uncertain part cannot outweigh the clear one and is only left out.
 */
function suppressesDirection(clear: readonly JudgedObservation[], uncertain: readonly JudgedObservation[]) {
  return uncertain.length > 0 && (clear.length === 0 || gross(uncertain) > gross(clear));
}

export function isChange(action: Action): boolean {
  return action !== 'unchanged' && action !== 'baseline_only';
}

/** The largest changes, as many as a brief shows. */
export function displayedChanges({ changes }: InstitutionalLeg): readonly JudgedObservation[] {
  return changes.slice(0, MAX_INSTITUTIONAL_CHANGES);
}

/** The wire item of a change (rule 8.2). */
export function changeItem({ observation, action, quality }: JudgedObservation): Change {
  const { currentShares, previousShares, amendment } = observation;
  if (action === 'unchanged' || action === 'baseline_only') throw new TypeError(`Not a change: ${action}`);
  return {
    fund: { name: observation.name, cik: observation.cik, slug: observation.slug },
    action,
    quarter_end: observation.quarterEnd,
    current_shares: String(currentShares),
    previous_shares: String(previousShares),
    share_delta: String(currentShares - previousShares),
    pct_delta: pctDelta(currentShares, previousShares),
    current_value_usd: wholeDollarsFromCents(observation.currentValueCents),
    published_at: { ...observation.publishedAt },
    quality: { status: quality.status, reasons: [...quality.reasons] },
    evidence_ids: evidenceIdsOf(observation),
    amendment: { is_amendment: amendment.isAmendment, amendment_type: amendment.amendmentType },
    restated: restatedItem(observation),
  };
}

function restatedItem({ restated }: ManagerObservation): Change['restated'] {
  if (restated === null) return null;
  return {
    factor_numerator: String(restated.factor.numerator),
    factor_denominator: String(restated.factor.denominator),
    from_cusip: restated.fromCusip,
    reported_previous_shares: String(restated.filedPriorAmount),
  };
}

/** The report's filings first, then the prior report's, each once (rule 8.6). */
export function evidenceIdsOf({ accessions }: ManagerObservation): string[] {
  return [...new Set(accessions)].map(evidenceIdOf13f);
}

/** A manager that holds nothing in either quarter does not observe the security. */
function holdsOrHeld({ currentShares, previousShares, comparable }: ManagerObservation): boolean {
  return currentShares > 0n || (comparable && previousShares > 0n);
}

function judge(observation: ManagerObservation): JudgedObservation {
  const reasons = observation.comparable
    ? observation.reasons
    : [...observation.reasons, 'no_prior_comparable_filing' as const];
  return { observation, action: actionOf(observation), quality: changeQualityOf(reasons) };
}

function actionOf({ comparable, currentShares, previousShares }: ManagerObservation): Action {
  if (!comparable) return 'baseline_only';
  if (currentShares === previousShares) return 'unchanged';
  if (previousShares === 0n) return 'initiated';
  if (currentShares === 0n) return 'exited';
  return currentShares > previousShares ? 'added' : 'reduced';
}

/** The size that ranks a change, in shares. Values would move with the price. */
function absoluteDelta({ currentShares, previousShares }: ManagerObservation): bigint {
  return abs(currentShares - previousShares);
}

/** The order of rule 8.2, total over distinct observations. */
function compareObservations(a: ManagerObservation, b: ManagerObservation): number {
  return (
    compare(absoluteDelta(b), absoluteDelta(a)) ||
    compare(b.currentValueCents, a.currentValueCents) ||
    compare(b.previousValueCents, a.previousValueCents) ||
    compare(a.cik, b.cik) ||
    compare(a.quarterEnd, b.quarterEnd)
  );
}

function countActions(counted: readonly JudgedObservation[]): Institutional['counts'] {
  const counts = { initiated: 0, added: 0, reduced: 0, exited: 0, unchanged: 0, baseline_only: 0 };
  for (const { action } of counted) counts[action] += 1;
  return counts;
}

function sideOf(changes: readonly JudgedObservation[], sign: 1 | -1): { exists: boolean; amount: bigint } {
  const side = changes.filter(
    ({ observation }) => observation.currentShares > observation.previousShares === (sign === 1),
  );
  return { exists: side.length > 0, amount: gross(side) };
}

function gross(changes: readonly JudgedObservation[]): bigint {
  return changes.reduce((sum, { observation }) => sum + absoluteDelta(observation), 0n);
}

/** The quarters that a stance is about, as {@link periodsOf}. A baseline is compared with nothing. */
export function periodsCompared(counted: readonly JudgedObservation[]): Period[] {
  return periodsOf(counted.filter(({ action }) => action !== 'baseline_only'));
}

/** How many managers are judged by each quarter, newest first. */
export function periodsOf(counted: readonly JudgedObservation[]): Period[] {
  return [...countBy(counted, ({ observation }) => observation.quarterEnd)]
    .map(([quarter_end, managers]) => ({ quarter_end, managers }))
    .sort((a, b) => compare(b.quarter_end, a.quarter_end));
}
