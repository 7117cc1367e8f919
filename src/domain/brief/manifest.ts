import { evidenceIdsOf } from '../holders/institutional.ts';
import { MAX_INSIDER_TRANSACTIONS, MAX_INSTITUTIONAL_CHANGES } from '../holders/ranking.ts';
import { evidenceIdOfForm4 } from '../ids.ts';
import type { Manifest, ManifestBody, QualityArtifacts } from '../wire/brief.ts';
import { type ClaimFacts, claimsOf } from './claims.ts';
import { manifestId } from './content-id.ts';
import type { BriefFacts, Legs } from './facts.ts';
import { FORM4_WINDOW_DAYS } from './insider-leg.ts';
import { manifestFilings } from './manifest-filings.ts';

/** Raised when the same filings may give other numbers or words. */
export const ALGORITHM_VERSION = 'tidemark.capital_change.3';

/**
 * Every evidence id that the brief's statements rest on, sorted: of all counted observations and
 * trades, displayed or not, and of the examples of the quality artifacts.
 */
export function citedEvidenceIds({ institutional, insiders }: Legs, artifacts: QualityArtifacts): string[] {
  const ids = [
    ...institutional.counted.flatMap(({ observation }) => evidenceIdsOf(observation)),
    ...insiders.trades.flatMap(({ accessions }) => accessions.map(evidenceIdOfForm4)),
    ...artifacts.groups.flatMap(({ examples }) => examples.flatMap((example) => example.evidence_ids)),
  ];
  return [...new Set(ids)].sort();
}

/** Parameters, quality, complete evidence and claims, with the id over exactly these. */
export function manifestOf(facts: BriefFacts & ClaimFacts): Manifest {
  const { input, insiders, coverage, outcome, evidenceIds } = facts;
  const body: ManifestBody = {
    algorithm_version: ALGORITHM_VERSION,
    current_only: true,
    parameters: {
      ticker: input.requestedTicker,
      form4_window_days: FORM4_WINDOW_DAYS,
      max_institutional_changes: MAX_INSTITUTIONAL_CHANGES,
      max_insider_transactions: MAX_INSIDER_TRANSACTIONS,
      window_start: insiders.window.start,
      window_end: insiders.window.end,
    },
    quality: {
      outcome,
      thirteen_f_status: coverage.thirteen_f.status,
      form4_status: coverage.form4.status,
      institutional_truncated: coverage.thirteen_f.truncated,
      form4_truncated: coverage.form4.truncated,
    },
    evidence_ids: [...evidenceIds],
    filings: manifestFilings(evidenceIds, input, facts),
    claims: claimsOf(facts),
  };
  return { manifest_id: manifestId(body), ...body };
}
