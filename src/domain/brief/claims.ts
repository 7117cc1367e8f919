import {
  changeItem,
  evidenceIdsOf,
  type InstitutionalLeg,
  type JudgedObservation,
  periodsCompared,
} from '../holders/institutional.ts';
import { evidenceIdOfForm4, type Ticker } from '../ids.ts';
import { dollarsFromCents } from '../money.ts';
import type { Claim, ClaimBody, Corroboration } from '../wire/brief.ts';
import { claimId } from './content-id.ts';
import type { InsiderLeg } from './insider-leg.ts';

/** An aggregate claim names its evidence itself up to this many ids, and refers to the manifest beyond. */
export const INLINE_EVIDENCE_IDS = 8;
export const MANIFEST_EVIDENCE_FIELD = 'manifest.evidence_ids';

export type ClaimFacts = {
  readonly security: { readonly ticker: Ticker; readonly cusip: string };
  readonly institutional: InstitutionalLeg;
  readonly insiders: InsiderLeg;
  readonly corroboration: Corroboration;
  readonly displayed: readonly JudgedObservation[];
  /** The corpus's: while its window is open, managers counted may have reported an older one only. */
  readonly latestReportedQuarterEnd: string | null;
  /** The whole of `manifest.evidence_ids`. */
  readonly manifestEvidenceIds: readonly string[];
};

/**
 * One claim for each displayed change, then both stances and the corroboration; of a security without a
 * CUSIP only the insiders' stance, since its 13F rows were never looked for. Subject and values are all
 * that the claim says, so that its id can be recomputed from the claim alone (rule 8.6).
 */
export function claimsOf(facts: ClaimFacts): Claim[] {
  const hasCusip = facts.security.cusip !== '';
  const bodies = [
    ...facts.displayed.map((judged) => changeClaim(judged, facts)),
    ...(hasCusip ? [institutionalClaim(facts)] : []),
    insiderClaim(facts),
    ...(hasCusip ? [corroborationClaim(facts)] : []),
  ];
  return bodies.map((body) => ({ claim_id: claimId(body), ...body }));
}

function changeClaim(judged: JudgedObservation, { security }: ClaimFacts): ClaimBody {
  const item = changeItem(judged);
  return {
    kind: 'institutional_change',
    subject: { ...security, fund_cik: item.fund.cik, quarter_end: item.quarter_end },
    values: {
      action: item.action,
      current_shares: item.current_shares,
      previous_shares: item.previous_shares,
      share_delta: item.share_delta,
      pct_delta: item.pct_delta,
      current_value_usd: item.current_value_usd,
      quality_status: item.quality.status,
    },
    evidence_ids: item.evidence_ids,
  };
}

function institutionalClaim(facts: ClaimFacts): ClaimBody {
  const { stance, counts, netDelta, grossDelta, counted, periods } = facts.institutional;
  return {
    kind: 'institutional_stance',
    subject: { ...facts.security, latest_reported_quarter_end: facts.latestReportedQuarterEnd },
    values: {
      stance,
      ...counts,
      net_share_delta: String(netDelta),
      gross_share_delta: String(grossDelta),
      periods_observed: periods.map((period) => ({ ...period })),
      periods_compared: periodsCompared(counted),
    },
    ...evidenceOf(
      counted.flatMap(({ observation }) => evidenceIdsOf(observation)),
      facts,
    ),
  };
}

function insiderClaim(facts: ClaimFacts): ClaimBody {
  const { stance, counts, netValueCents, window, trades } = facts.insiders;
  return {
    kind: 'insider_stance',
    subject: { ...facts.security, window_start: window.start, window_end: window.end },
    values: { stance, ...counts, net_value_usd: dollarsFromCents(netValueCents) },
    ...evidenceOf(
      trades.flatMap((trade) => trade.accessions.map(evidenceIdOfForm4)),
      facts,
    ),
  };
}

function corroborationClaim(facts: ClaimFacts): ClaimBody {
  const { institutional, insiders, corroboration } = facts;
  return {
    kind: 'corroboration',
    subject: {
      ...facts.security,
      latest_reported_quarter_end: facts.latestReportedQuarterEnd,
      window_end: insiders.window.end,
    },
    values: {
      corroboration,
      institutional_stance: institutional.stance,
      insiders_stance: insiders.stance,
      periods_compared: periodsCompared(institutional.counted),
    },
    ...evidenceOf(facts.manifestEvidenceIds, facts),
  };
}

function evidenceOf(
  ids: readonly string[],
  { manifestEvidenceIds }: ClaimFacts,
): Pick<ClaimBody, 'evidence_ids'> | Pick<ClaimBody, 'evidence_reference'> {
  const unique = new Set(ids);
  if (unique.size <= INLINE_EVIDENCE_IDS) return { evidence_ids: [...unique].sort() };
  return {
    evidence_reference: {
      field: MANIFEST_EVIDENCE_FIELD,
      evidence_id_count: manifestEvidenceIds.length,
    },
  };
}
