import type { Observed } from '../holders/observation.ts';
import { evidenceIdOf13f } from '../ids.ts';
import { rowNumbers } from '../report/row-range.ts';

/** The 1-based table rows that were read of a filing; none of a report that proves an absence. */
export type EvidenceRows = { readonly evidence_id: string; readonly rows: readonly number[] };

/** Some rows of a filing. */
type Read = { readonly evidenceId: string; readonly rows: readonly number[] };

/**
 * The rows behind evidence ids, in the order of the ids. A report that proves an absence was read whole
 * and has no row.
 */
export function rowsBehind(ids: readonly string[], read: Iterable<Read>): EvidenceRows[] {
  const found = new Map<string, number[]>(ids.map((id) => [id, []]));
  for (const { evidenceId, rows } of read) found.get(evidenceId)?.push(...rows);
  return [...found].map(([evidence_id, rows]) => ({ evidence_id, rows: ascending(rows) }));
}

/** What observations were read from. */
export function* rowsRead(observed: Iterable<Observed>): Generator<Read> {
  for (const { rowsUsed } of observed) {
    for (const { accession, rows } of rowsUsed) {
      yield { evidenceId: evidenceIdOf13f(accession), rows: rowNumbers(rows) };
    }
  }
}

/** Each once. Most filings have one row. */
function ascending(rows: readonly number[]): readonly number[] {
  return rows.length < 2 ? rows : [...new Set(rows)].sort((a, b) => a - b);
}
