import { evidenceIdsOf, type InstitutionalLeg } from '../holders/institutional.ts';
import { MAX_INSIDER_TRANSACTIONS, MAX_INSTITUTIONAL_CHANGES } from '../holders/ranking.ts';
import { evidenceIdOfForm4 } from '../ids.ts';
import type {
  Corroboration,
  Coverage,
  Manifest,
  ManifestBody,
  Outcome,
  QualityArtifacts,
} from '../wire/brief.ts';
import { claimsOf } from './claims.ts';
import { manifestId } from './content-id.ts';
import type { BriefInput } from './input.ts';
import { FORM4_WINDOW_DAYS, type InsiderLeg } from './insider-leg.ts';
import { manifestFilings } from './manifest-filings.ts';

/** Raised whenever the same filings may give other numbers or words. */
export const ALGORITHM_VERSION = 'tidemark.capital_change.2';

/**
 * Every evidence id that the brief's statements rest on, sorted: all counted observations (baseline
 * and uncertain ones too) and trades, displayed or not, and the examples of the quality artifacts.
 */
export function citedEvidenceIds(cited: {
  readonly institutional: InstitutionalLeg;
  readonly insiders: InsiderLeg;
  readonly artifacts: QualityArtifacts;
}): string[] {
  const ids = new Set<string>();
  for (const { observation } of cited.institutional.counted) {
    for (const id of evidenceIdsOf(observation)) ids.add(id);
  }
  for (const trade of cited.insiders.trades) {
    for (const accession of trade.accessions) ids.add(evidenceIdOfForm4(accession));
  }
  for (const { examples } of cited.artifacts.groups) {
    for (const id of examples.flatMap((example) => example.evidence_ids)) ids.add(id);
  }
  return [...ids].sort();
}

export type ManifestFacts = {
  readonly input: BriefInput;
  readonly institutional: InstitutionalLeg;
  readonly insiders: InsiderLeg;
  readonly coverage: Omit<Coverage, 'limitations'>;
  readonly outcome: Outcome;
  readonly corroboration: Corroboration;
  readonly evidenceIds: readonly string[];
};

/** Parameters, quality, complete evidence and claims, under the id of just these. */
export function manifestOf(facts: ManifestFacts): Manifest {
  const { input, insiders, coverage, outcome } = facts;
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
    evidence_ids: [...facts.evidenceIds],
    filings: manifestFilings({ ...facts, evidence: input.evidence }),
    claims: claims(facts),
  };
  return { manifest_id: manifestId(body), ...body };
}

/** Without a security there is nothing to claim anything about. */
function claims(facts: ManifestFacts): Manifest['claims'] {
  const { resolution, corpus } = facts.input;
  if (resolution.kind !== 'resolved') return [];
  return claimsOf({
    security: { ticker: resolution.ticker, cusip: resolution.cusip ?? '' },
    institutional: facts.institutional,
    insiders: facts.insiders,
    corroboration: facts.corroboration,
    displayed: facts.institutional.changes.slice(0, MAX_INSTITUTIONAL_CHANGES),
    latestReportedQuarterEnd: corpus.latestReportedQuarterEnd,
    manifestEvidenceIds: facts.evidenceIds,
  });
}
