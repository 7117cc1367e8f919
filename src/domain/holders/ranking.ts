import { compare } from '../compare.ts';
import type { ManagerObservation } from './observation.ts';

export const RANKING_BASIS = 'absolute_reported_share_change';
/** Rule 8.2: at most eight changes and eight transactions are shown. */
export const MAX_INSTITUTIONAL_CHANGES = 8;
export const MAX_INSIDER_TRANSACTIONS = 8;

/** The size that ranks a change, in shares. Values would move with the price. */
export function absoluteDelta({ currentShares, previousShares }: ManagerObservation): bigint {
  return currentShares > previousShares ? currentShares - previousShares : previousShares - currentShares;
}

/**
 * Largest change first. Ties go by current value and prior value, both descending, then by CIK and
 * quarter, both ascending (rule 8.2). A total order over distinct observations.
 */
export function compareObservations(a: ManagerObservation, b: ManagerObservation): number {
  return (
    compare(absoluteDelta(b), absoluteDelta(a)) ||
    compare(b.currentValueCents, a.currentValueCents) ||
    compare(b.previousValueCents, a.previousValueCents) ||
    compare(a.cik, b.cik) ||
    compare(a.quarterEnd, b.quarterEnd)
  );
}
