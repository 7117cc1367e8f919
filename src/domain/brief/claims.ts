import { evidenceIdOfForm4, type Ticker } from '../ids.ts';
import type { Trade } from '../insider/trade.ts';
import { dollarsFromCents } from '../money.ts';
import type { Claim, ClaimBody, QualityArtifacts } from '../wire/brief.ts';
import { claimId } from './content-id.ts';
import type { Comparison } from './corroboration.ts';
import type { Legs } from './facts.ts';
import { type EvidenceRows, INLINE_EVIDENCE_IDS, MAX_EVIDENCE_IDS, rowsBehind } from './holder-facts.ts';
import type { BriefInput } from './input.ts';
import { displayedTrades, type InsiderLeg } from './insider-leg.ts';
import { changeClaim } from './restated-claims.ts';

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

export type ClaimFacts = Legs & {
  readonly input: BriefInput;
  readonly comparison: Comparison;
  readonly cited: CitedEvidence;
};

type Security = { readonly ticker: Ticker; readonly cusip: string };

/**
 * One claim for each displayed change, then both stances and the corroboration. A security without a
 * CUSIP has only the insiders' stance, because its 13F rows were not searched. Without a security
 * there is no claim. Subject and values are all that a claim says, so that its id can be recomputed
 * from the claim alone (rule 8.6).
 */
export function claimsOf(facts: ClaimFacts): Claim[] {
  const { resolution } = facts.input;
  if (resolution.kind !== 'resolved') return [];
  const { ticker, cusip } = resolution;
  const security = { ticker, cusip: cusip ?? '' };
  const bodies = [
    ...facts.holders.leg.changes.map((change) => changeClaim(change, security)),
    ...(cusip === null ? [] : [institutionalClaim(facts, security)]),
    insiderClaim(facts, security),
    ...(cusip === null ? [] : [corroborationClaim(facts, security)]),
  ];
  return bodies.map((body) => ({ claim_id: claimId(body), ...body }));
}

function institutionalClaim(facts: ClaimFacts, security: Security): ClaimBody {
  const { leg, periodsCompared, claimed } = facts.holders;
  const { net_share_delta, gross_share_delta } = leg.totals;
  return {
    kind: 'institutional_stance',
    subject: { ...security, latest_reported_quarter_end: facts.input.corpus.latestReportedQuarterEnd },
    values: {
      stance: leg.stance,
      ...leg.counts,
      net_share_delta,
      gross_share_delta,
      periods_observed: leg.periods_observed,
      periods_compared: [...periodsCompared],
    },
    ...evidenceOf(claimed, facts),
  };
}

function insiderClaim(facts: ClaimFacts, security: Security): ClaimBody {
  const { stance, stanceDiscretionary, counts, totals, netValueCents, window, trades } = facts.insiders;
  return {
    kind: 'insider_stance',
    subject: { ...security, window_start: window.start, window_end: window.end },
    values: {
      stance,
      stance_discretionary: stanceDiscretionary,
      ...counts,
      ...totals,
      net_value_usd: dollarsFromCents(netValueCents),
    },
    ...evidenceOf(
      trades.flatMap((trade) => trade.accessions.map(evidenceIdOfForm4)),
      facts,
    ),
  };
}

function corroborationClaim(facts: ClaimFacts, security: Security): ClaimBody {
  const { input, holders, insiders, comparison } = facts;
  return {
    kind: 'corroboration',
    subject: {
      ...security,
      latest_reported_quarter_end: input.corpus.latestReportedQuarterEnd,
      window_end: insiders.window.end,
    },
    values: {
      corroboration: comparison.corroboration,
      institutional_stance: holders.leg.stance,
      insiders_stance: comparison.insidersStance,
      ...comparison.detail,
      periods_compared: [...holders.periodsCompared],
    },
    ...evidenceOf(facts.cited.first, facts),
  };
}

function evidenceOf(
  ids: Iterable<string>,
  { cited }: ClaimFacts,
): Pick<ClaimBody, 'evidence_ids' | 'evidence_reference'> {
  const unique = new Set<string>();
  for (const id of ids) {
    unique.add(id);
    if (unique.size > INLINE_EVIDENCE_IDS) break;
  }
  if (unique.size <= INLINE_EVIDENCE_IDS) return { evidence_ids: [...unique].sort() };
  const field = isComplete(cited) ? 'manifest.evidence_ids' : 'manifest.evidence_digest';
  return { evidence_reference: { field, evidence_id_count: cited.count } };
}

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
