import { MAX_INSIDER_TRANSACTIONS, MAX_INSTITUTIONAL_CHANGES } from '../holders/institutional.ts';
import { evidenceIdOfForm4 } from '../ids.ts';
import type { Brief, Manifest, ManifestBody } from '../wire/brief.ts';
import { type ClaimFacts, claimsOf, listedEvidence, rowsOfForms } from './claims.ts';
import { evidenceDigest, factsId, manifestId, type Reading, rowsText } from './content-id.ts';
import { accessionOf, loaded, readingOf } from './evidence.ts';
import type { BriefFacts } from './facts.ts';
import type { BriefInput } from './input.ts';
import { displayedTrades, FORM4_WINDOW_DAYS } from './insider-leg.ts';

/** Raised when the same filings may give other numbers or words. */
export const ALGORITHM_VERSION = 'tidemark.capital_change.18';

/** Parameters, quality, evidence and claims, with the id over exactly these. */
export function manifestOf(facts: BriefFacts & ClaimFacts): Manifest {
  const { input, holders, insiders, coverage, outcome, cited } = facts;
  const readings = holders.evidence.count === 0 ? [] : input.holderReadings;
  const manifest: Manifest = {
    manifest_id: '',
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
    evidence_ids: [...listedEvidence(cited)],
    evidence_id_count: cited.count,
    // Ids of 13F filings sort before those of Forms 4.
    evidence_digest: evidenceDigest([...readings, ...readingsOf(cited.forms, input)]),
    filings: filingsOf(facts),
    claims: claimsOf(facts),
  };
  return { ...manifest, manifest_id: manifestId(manifest) };
}

/**
 * The bytes, the parser and the rows behind the evidence on display, in the order of the ids. Throws
 * `evidence_missing` when a filing was not loaded.
 */
function filingsOf(facts: ClaimFacts): ManifestBody['filings'] {
  const { holders, insiders, input } = facts;
  const forms = displayedTrades(insiders).flatMap(({ accessions }) => accessions.map(evidenceIdOfForm4));
  const rows = [...holders.displayedRows, ...rowsOfForms([...new Set(forms)].sort(), insiders)];
  const ids = rows.map(({ evidence_id }) => evidence_id);
  return readingsOf(ids, input).map((reading, at) => ({ ...reading, rows: rowsText(rows[at]?.rows ?? []) }));
}

function readingsOf(ids: readonly string[], { evidence }: BriefInput): Reading[] {
  return ids.map((id) => readingOf(loaded(evidence.get(accessionOf(id)), id)));
}

/** What a list of briefs says of one. */
export type BriefSummary = Pick<Brief, 'facts_id' | 'outcome'> & {
  readonly as_of: string;
  readonly stances: {
    readonly institutional: Brief['institutional']['stance'];
    readonly insiders: Brief['insiders']['stance'];
  };
};

/** Briefs of earlier versions do not say their `facts_id`. */
export function summaryOf(brief: Brief): BriefSummary {
  const { outcome, institutional, insiders } = brief;
  return {
    facts_id: factsId(brief),
    as_of: insiders.window_end,
    outcome,
    stances: { institutional: institutional.stance, insiders: insiders.stance },
  };
}
