import { displayedChanges, evidenceIdsOf } from '../holders/institutional.ts';
import type { JudgedObservation } from '../holders/judged.ts';
import type { Observed } from '../holders/observation.ts';
import { evidenceIdOf13f, evidenceIdOfForm4 } from '../ids.ts';
import type { Trade } from '../insider/trade.ts';
import { rowNumbers } from '../report/row-range.ts';
import type { QualityArtifacts } from '../wire/brief.ts';
import type { Legs } from './facts.ts';
import { displayedTrades } from './insider-leg.ts';

/** Rule 8.6: up to so many ids a brief lists all its evidence, beyond that what it displays. */
export const MAX_EVIDENCE_IDS = 500;

/** All evidence of a brief, and the part of it that the brief names itself. Both are sorted. */
export type CitedEvidence = { readonly all: readonly string[]; readonly displayed: readonly string[] };

/**
 * All: of every counted observation, option and trade, displayed or not, and of the examples of the quality
 * artifacts. Displayed: of the displayed changes and trades, and of the examples.
 */
export function citedEvidence({ institutional, insiders }: Legs, artifacts: QualityArtifacts): CitedEvidence {
  const examples = artifacts.groups.flatMap((group) =>
    group.examples.flatMap((example) => example.evidence_ids),
  );
  const idsOf = (observations: readonly Observed[], trades: readonly Trade[]): string[] => {
    const filed = observations.flatMap(evidenceIdsOf);
    const traded = trades.flatMap(({ accessions }) => accessions.map(evidenceIdOfForm4));
    return [...new Set([...filed, ...traded, ...examples])].sort();
  };
  return {
    all: idsOf([...observationsIn(institutional.counted), ...institutional.options.counted], insiders.trades),
    displayed: idsOf(observationsIn(displayedChanges(institutional)), displayedTrades(insiders)),
  };
}

function observationsIn(judged: readonly JudgedObservation[]): Observed[] {
  return judged.map(({ observation }) => observation);
}

/** The ids that the brief lists: all, or those displayed when these are too many. */
export function listedEvidence({ all, displayed }: CitedEvidence): readonly string[] {
  return isComplete(all) ? all : displayed;
}

/** Whether the brief lists every id. */
export function isComplete(all: readonly string[]): boolean {
  return all.length <= MAX_EVIDENCE_IDS;
}

/** The 1-based table rows that were read of a filing; none of a report that proves an absence. */
export type EvidenceRows = { readonly evidence_id: string; readonly rows: readonly number[] };

/**
 * The rows behind evidence ids, in the order of the ids. A report that proves an absence was read whole
 * and has no row.
 */
export function rowsBehind(ids: readonly string[], { institutional, insiders }: Legs): EvidenceRows[] {
  const read = new Map<string, number[]>(ids.map((id) => [id, []]));
  for (const { rowsUsed } of [...observationsIn(institutional.judged), ...institutional.options.counted]) {
    for (const { accession, rows } of rowsUsed) {
      read.get(evidenceIdOf13f(accession))?.push(...rowNumbers(rows));
    }
  }
  for (const { filing, row } of insiders.considered) {
    read.get(evidenceIdOfForm4(filing.header.accession))?.push(row.row);
  }
  return [...read].map(([evidence_id, rows]) => ({ evidence_id, rows: ascending(rows) }));
}

/** Each once. Most filings have one row. */
function ascending(rows: readonly number[]): readonly number[] {
  return rows.length < 2 ? rows : [...new Set(rows)].sort((a, b) => a - b);
}
