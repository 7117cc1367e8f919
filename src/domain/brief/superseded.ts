import type { Brief } from '../wire/brief.ts';
import { factsId } from './content-id.ts';

/**
 * Why a brief's figures changed although no filing did: another parser read the same filings otherwise, or
 * another version of the algorithm counted them otherwise.
 */
export type Correction = {
  readonly cause: 'parser' | 'algorithm';
  /** The displayed evidence of both briefs that another parser version read; sorted. */
  readonly evidenceIds: readonly string[];
};

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

/**
 * The correction that the later of two briefs of a ticker is. Null where the facts about the stock are
 * equal, and where filings are others: that is news, and corrects nothing.
 * @param wasReparsed whether stored filings were read again since the earlier one: of filings that are not
 * on display a brief does not say by which parser they were read
 */
export function correctionOf(before: Brief, after: Brief, wasReparsed: boolean): Correction | null {
  if (hasSameFacts(before, after)) return null;
  const evidenceIds = readOtherwise(before, after);
  if (evidenceIds.length > 0) return { cause: 'parser', evidenceIds };
  if (before.manifest.evidence_digest !== after.manifest.evidence_digest) return null;
  if (before.manifest.algorithm_version !== after.manifest.algorithm_version) {
    return { cause: 'algorithm', evidenceIds };
  }
  return wasReparsed ? { cause: 'parser', evidenceIds } : null;
}

/** Whether both say the same of the stock itself. */
export function hasSameFacts(before: Brief, after: Brief): boolean {
  return factsId(before) === factsId(restrictedTo(before, after));
}

/** `after` without the members that `before` does not have: a new field corrects no figure. */
function restrictedTo<T>(before: T, after: T): T;
function restrictedTo(before: unknown, after: unknown): unknown {
  if (Array.isArray(before) && Array.isArray(after)) {
    return after.map((item, at) => (at < before.length ? restrictedTo(before[at], item) : item));
  }
  if (!isObject(before) || !isObject(after)) return after;
  const shared = Object.entries(after).filter(([key]) => key in before);
  return Object.fromEntries(shared.map(([key, value]) => [key, restrictedTo(before[key], value)]));
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

function readOtherwise({ manifest: { filings } }: Brief, after: Brief): string[] {
  const parsers = new Map(filings.map((filing) => [filing.evidence_id, filing.parser_version]));
  return after.manifest.filings
    .filter(({ evidence_id, parser_version }) => {
      const earlier = parsers.get(evidence_id);
      return earlier !== undefined && earlier !== parser_version;
    })
    .map(({ evidence_id }) => evidence_id)
    .sort();
}
