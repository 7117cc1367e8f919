import { AppError } from '../../errors.ts';
import type { InstitutionalLeg } from '../holders/institutional.ts';
import { type Accession, evidenceIdOf13f, evidenceIdOfForm4 } from '../ids.ts';
import { rowNumbers } from '../report/row-range.ts';
import type { ManifestBody } from '../wire/brief.ts';
import type { EvidenceSource } from './input.ts';
import type { InsiderLeg } from './insider-leg.ts';

export type CitedFilings = {
  readonly institutional: InstitutionalLeg;
  readonly insiders: InsiderLeg;
  readonly evidenceIds: readonly string[];
  readonly evidence: ReadonlyMap<Accession, EvidenceSource>;
};

/**
 * For every evidence id of the manifest, in its order: which bytes and which parser the numbers come
 * from, and the 1-based rows of the table that were read for this security. A report that proves an
 * absence was read whole and has no row. Throws `evidence_missing` when a filing was not loaded.
 */
export function manifestFilings(cited: CitedFilings): ManifestBody['filings'] {
  const sources = new Map([...cited.evidence.values()].map((source) => [idOf(source), source]));
  const rows = rowsById(cited);
  return cited.evidenceIds.map((id) => {
    const source = sources.get(id);
    if (source === undefined) {
      throw new AppError('evidence_missing', `No evidence was loaded for ${id}`, { retry: true });
    }
    return {
      evidence_id: id,
      raw_hash: source.rawHash,
      parser_version: source.parserVersion,
      rows: [...(rows.get(id) ?? [])].sort((a, b) => a - b),
    };
  });
}

function idOf({ kind, accession }: EvidenceSource): string {
  return kind === 'sec_13f' ? evidenceIdOf13f(accession) : evidenceIdOfForm4(accession);
}

function rowsById({ institutional, insiders }: CitedFilings): Map<string, Set<number>> {
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
