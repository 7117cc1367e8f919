import { compare } from '../compare.ts';
import { countBy } from '../group.ts';
import { type Cik, evidenceIdOf13f, type QuarterEnd } from '../ids.ts';
import { wholeDollarsFromCents } from '../money.ts';
import { pctDelta } from '../ratio.ts';
import type { Change, Institutional } from '../wire/brief.ts';
import {
  holdsOrHeld,
  isChange,
  type JudgedObservation,
  judge,
  type ManagerObservation,
  type Observed,
  sharesMoved,
  weightOf,
} from './observation.ts';
import { institutionalStance } from './stance.ts';
import { type OptionObservation, optionsLeg, totalsOf } from './totals.ts';

/** Rule 8.2: at most this many are shown. */
export const MAX_INSTITUTIONAL_CHANGES = 8;
export const MAX_INSIDER_TRANSACTIONS = 8;

export type Period = Institutional['periods_observed'][number];

/** The 13F side of a brief, before anything is cut off for display, whatever the order of arrival. */
export type InstitutionalLeg = ReturnType<typeof institutionalLeg>;

export function institutionalLeg(
  observations: readonly ManagerObservation[],
  options: readonly OptionObservation[] = [],
) {
  const judged = observations.filter(holdsOrHeld).sort(compareObservations).map(judge);
  const counted = judged.filter(({ quality }) => quality.status !== 'excluded');
  const changes = counted.filter(({ action }) => isChange(action));
  const totals = totalsOf(counted);
  const { up, down, unchanged: clearlyUnchanged } = totals;
  const isSuppressed = suppressesDirection(changes, up.amount + down.amount);
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
    periods: periodsIn(counted),
    totals,
    options: optionsLeg(options),
  };
}

/**
 * Uncertain changes remove the direction when no clear change is left, or when they move more shares
 * than the clear ones (rule 7.5). What is left out could then turn any answer around, so a direction
 * would be a guess. A smaller uncertain part cannot outweigh the clear one and is only left out.
 */
function suppressesDirection(changes: readonly JudgedObservation[], clearlyMoved: bigint): boolean {
  const uncertain = changes.filter(({ quality }) => quality.status === 'uncertain');
  const moved = uncertain.reduce((sum, { observation }) => sum + sharesMoved(observation), 0n);
  return moved > clearlyMoved;
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
    previous_value_usd: wholeDollarsFromCents(observation.previousValueCents),
    weight_pct: weightOf({ observation, quality }),
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
export function evidenceIdsOf({ accessions }: Observed): string[] {
  return [...new Set(accessions)].map(evidenceIdOf13f);
}

/** The order of rule 8.2, total over distinct observations. */
function compareObservations(a: ManagerObservation, b: ManagerObservation): number {
  return (
    compare(sharesMoved(b), sharesMoved(a)) ||
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

/** The quarters that a stance is about, as {@link periodsOf}. A baseline is compared with nothing. */
export function periodsCompared(counted: readonly JudgedObservation[]): Period[] {
  return periodsIn(counted.filter(({ action }) => action !== 'baseline_only'));
}

/** How many managers are judged by each quarter, newest first. */
function periodsIn(counted: readonly JudgedObservation[]): Period[] {
  return periodsOf(counted.map(({ observation }) => observation.quarterEnd));
}

export function managersIn(periods: readonly Period[]): number {
  return periods.reduce((sum, { managers }) => sum + managers, 0);
}

/** How many managers go by each quarter, newest first. */
export function periodsOf(quarters: readonly QuarterEnd[]): Period[] {
  return [...countBy(quarters, (quarterEnd) => quarterEnd)]
    .map(([quarter_end, managers]) => ({ quarter_end, managers }))
    .sort((a, b) => compare(b.quarter_end, a.quarter_end));
}

type Filed = { readonly cik: Cik; readonly quarterEnd: QuarterEnd };

/** The last quarters of managers that are behind one, but for those whose filing for it, or since, cannot be read. */
export function silentIn(
  quarterEnd: QuarterEnd,
  { late, unread }: { readonly late: readonly Filed[]; readonly unread: readonly Filed[] },
): Period[] {
  const filed = new Set(unread.flatMap((one) => (one.quarterEnd >= quarterEnd ? [one.cik] : [])));
  return periodsOf(late.flatMap((one) => (filed.has(one.cik) ? [] : [one.quarterEnd])));
}
