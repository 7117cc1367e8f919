import type { Brief } from '../wire/brief.ts';
import { type Correction, hasSameFacts } from './correction.ts';

export const SUPERSEDED_REASONS = [
  'new_filings',
  'amendment',
  'reparsed',
  'algorithm',
  'day_or_coverage',
  'other_filings',
] as const;

/** Why a ticker shows another brief, and the filings since which it does (rule 8.10). */
export type Superseded = {
  /** The id of the brief that replaced it. */
  readonly by: string;
  readonly reason: (typeof SUPERSEDED_REASONS)[number];
  readonly evidenceIds: readonly string[];
};

/** Evidence of the later brief that the earlier one did not rest on. */
export type AddedEvidence = { readonly evidenceId: string; readonly isAmendment: boolean };

/** Enough to see what happened; the evidence of both briefs has the rest. */
const MAX_NAMED = 20;

/**
 * What replaced the earlier of two briefs of a ticker. Its figures changed by new filings, by amendments of
 * filed ones, by another reading (the correction), or by filings that it does not rest on; or only the day
 * and what is known of all filings moved.
 */
export function supersededBy(
  before: Brief,
  after: Brief,
  { correction, added }: { readonly correction: Correction | null; readonly added: readonly AddedEvidence[] },
): Superseded {
  const by = after.brief_id;
  if (correction !== null) {
    const reason = correction.cause === 'parser' ? 'reparsed' : 'algorithm';
    return { by, reason, evidenceIds: correction.evidenceIds.slice(0, MAX_NAMED) };
  }
  const isSameDay = before.insiders.window_end === after.insiders.window_end;
  if (hasSameFacts(before, after)) {
    // A later version of the rules may word the same figures otherwise.
    const isSameVersion = before.manifest.algorithm_version === after.manifest.algorithm_version;
    return { by, reason: isSameVersion ? 'day_or_coverage' : 'algorithm', evidenceIds: [] };
  }
  if (added.length === 0)
    return { by, reason: isSameDay ? 'other_filings' : 'day_or_coverage', evidenceIds: [] };
  const amendments = added.filter(({ isAmendment }) => isAmendment);
  const since = amendments.length > 0 ? amendments : added;
  return {
    by,
    reason: amendments.length > 0 ? 'amendment' : 'new_filings',
    evidenceIds: since.slice(0, MAX_NAMED).map(({ evidenceId }) => evidenceId),
  };
}
