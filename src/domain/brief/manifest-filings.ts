import { evidenceIdOf13f, evidenceIdOfForm4 } from '../ids.ts';
import { rowNumbers } from '../report/row-range.ts';
import type { ManifestBody } from '../wire/brief.ts';
import { evidenceIdOf, loaded } from './evidence.ts';
import type { Legs } from './facts.ts';
import type { BriefInput } from './input.ts';

/**
 * The bytes, the parser and the 1-based table rows behind each evidence id, in the order of the ids.
 * A report that proves an absence was read whole and has no row. Throws `evidence_missing` when a
 * filing was not loaded.
 */
export function manifestFilings(
  evidenceIds: readonly string[],
  { evidence }: BriefInput,
  legs: Legs,
): ManifestBody['filings'] {
  const sources = new Map([...evidence.values()].map((source) => [evidenceIdOf(source), source]));
  const rows = rowsById(legs);
  return evidenceIds.map((id) => {
    const { rawHash, parserVersion } = loaded(sources.get(id), id);
    return {
      evidence_id: id,
      raw_hash: rawHash,
      parser_version: parserVersion,
      rows: [...(rows.get(id) ?? [])].sort((a, b) => a - b),
    };
  });
}

function rowsById({ institutional, insiders }: Legs): Map<string, Set<number>> {
  const rows = new Map<string, Set<number>>();
  const add = (id: string, numbers: readonly number[]): void => {
    const known = rows.get(id) ?? new Set();
    for (const number of numbers) known.add(number);
    rows.set(id, known);
  };
  for (const { observation } of institutional.judged) {
    for (const used of observation.rowsUsed) add(evidenceIdOf13f(used.accession), rowNumbers(used.rows));
  }
  for (const { filing, row } of insiders.considered) {
    add(evidenceIdOfForm4(filing.header.accession), [row.row]);
  }
  return rows;
}
