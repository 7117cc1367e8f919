import { canonicalJson } from '../canonical.ts';
import type { Brief } from '../wire/brief.ts';

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
  if (factsOf(before) === factsOf(after)) return null;
  const evidenceIds = readOtherwise(before, after);
  if (evidenceIds.length > 0) return { cause: 'parser', evidenceIds };
  if (before.manifest.evidence_digest !== after.manifest.evidence_digest) return null;
  if (before.manifest.algorithm_version !== after.manifest.algorithm_version) {
    return { cause: 'algorithm', evidenceIds };
  }
  return wasReparsed ? { cause: 'parser', evidenceIds } : null;
}

/** What a brief says of the stock itself: nothing that moves with the day or with other managers. */
function factsOf({ entity: { ticker, cusip }, institutional, insiders }: Brief): string {
  const {
    latest_reported_quarter_end: _latest,
    tracked_managers_observed: _tracked,
    periods_observed: _periods,
    stale_manager_observations: _stale,
    ...holders
  } = institutional;
  const { window_start: _start, window_end: _end, ...trades } = insiders;
  return canonicalJson({ ticker, cusip, institutional: holders, insiders: trades });
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
