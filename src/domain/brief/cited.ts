import { evidenceIdOfForm4 } from '../ids.ts';
import type { Trade } from '../insider/trade.ts';
import type { QualityArtifacts } from '../wire/brief.ts';
import { type EvidenceRows, rowsBehind } from './evidence-rows.ts';
import type { Legs } from './facts.ts';
import { MAX_EVIDENCE_IDS } from './holder-facts.ts';
import { displayedTrades, type InsiderLeg } from './insider-leg.ts';

/** All evidence of a brief, and the part of it that the brief names itself. All lists are sorted. */
export type CitedEvidence = {
  /** How many ids there are. */
  readonly count: number;
  /** The first of all ids: each where the brief lists them all. */
  readonly first: readonly string[];
  /** Those of all ids that are Forms 4: the last ones. */
  readonly forms: readonly string[];
  readonly displayed: readonly string[];
};

/**
 * All: of every counted observation, option and trade, displayed or not, and of the examples of the quality
 * artifacts. Displayed: of the displayed changes and trades, and of the examples.
 */
export function citedEvidence({ holders, insiders }: Legs, artifacts: QualityArtifacts): CitedEvidence {
  const examples = artifacts.groups.flatMap((group) =>
    group.examples.flatMap((example) => example.evidence_ids),
  );
  const forms = sortedOnce([...idsOf(insiders.trades), ...examples.filter(isForm4)]);
  const changes = holders.leg.changes.flatMap((change) => change.evidence_ids);
  return {
    count: holders.evidence.count + forms.length,
    first: [...holders.evidence.ids, ...forms],
    forms,
    displayed: sortedOnce([...changes, ...idsOf(displayedTrades(insiders)), ...examples]),
  };
}

function idsOf(trades: readonly Trade[]): string[] {
  return trades.flatMap(({ accessions }) => accessions.map(evidenceIdOfForm4));
}

/** Ids of 13F filings sort before these. */
function isForm4(evidenceId: string): boolean {
  return evidenceId.startsWith('sec:form4:');
}

function sortedOnce(ids: readonly string[]): string[] {
  return [...new Set(ids)].sort();
}

/** The ids that the brief lists: all, or those displayed when these are too many. */
export function listedEvidence(cited: CitedEvidence): readonly string[] {
  return isComplete(cited) ? cited.first : cited.displayed;
}

/** Whether the brief lists every id. */
export function isComplete({ count }: CitedEvidence): boolean {
  return count <= MAX_EVIDENCE_IDS;
}

/** The rows behind Forms 4, in the order of the ids. */
export function rowsOfForms(ids: readonly string[], { considered }: InsiderLeg): EvidenceRows[] {
  const read = considered.map(({ filing, row }) => ({
    evidenceId: evidenceIdOfForm4(filing.header.accession),
    rows: [row.row],
  }));
  return rowsBehind(ids, read);
}
