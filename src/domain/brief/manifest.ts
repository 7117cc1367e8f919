import { groupBy } from '../group.ts';
import {
  evidenceIdsOf,
  MAX_INSIDER_TRANSACTIONS,
  MAX_INSTITUTIONAL_CHANGES,
} from '../holders/institutional.ts';
import { evidenceIdOf13f, evidenceIdOfForm4 } from '../ids.ts';
import { rowNumbers } from '../report/row-range.ts';
import type { Manifest, ManifestBody, QualityArtifacts } from '../wire/brief.ts';
import { type ClaimFacts, claimsOf } from './claims.ts';
import { manifestId } from './content-id.ts';
import { evidenceIdOf, loaded } from './evidence.ts';
import type { BriefFacts, Legs } from './facts.ts';
import { FORM4_WINDOW_DAYS } from './insider-leg.ts';

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
    filings: filingsOf(facts),
    claims: claimsOf(facts),
  };
  return { manifest_id: manifestId(body), ...body };
}

/**
 * The bytes, the parser and the 1-based table rows behind each evidence id, in the order of the ids.
 * A report that proves an absence was read whole and has no row. Throws `evidence_missing` when a
 * filing was not loaded.
 */
function filingsOf(facts: ClaimFacts): ManifestBody['filings'] {
  const sources = new Map([...facts.input.evidence.values()].map((source) => [evidenceIdOf(source), source]));
  const read = groupBy(rowsRead(facts), ({ id }) => id);
  return facts.evidenceIds.map((id) => {
    const { rawHash, parserVersion } = loaded(sources.get(id), id);
    const rows = new Set(read.get(id)?.flatMap((one) => one.rows));
    return {
      evidence_id: id,
      raw_hash: rawHash,
      parser_version: parserVersion,
      rows: [...rows].sort((a, b) => a - b),
    };
  });
}

function rowsRead({ institutional, insiders }: Legs) {
  const used = institutional.judged.flatMap(({ observation }) => observation.rowsUsed);
  return [
    ...used.map(({ accession, rows }) => ({ id: evidenceIdOf13f(accession), rows: rowNumbers(rows) })),
    ...insiders.considered.map(({ filing, row }) => ({
      id: evidenceIdOfForm4(filing.header.accession),
      rows: [row.row],
    })),
  ];
}
