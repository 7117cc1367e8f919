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
