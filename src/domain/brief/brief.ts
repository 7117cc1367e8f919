import { compare } from '../compare.ts';
import { managersIn } from '../holders/institutional.ts';
import { evidenceIdOfForm4 } from '../ids.ts';
import type { Trade } from '../insider/trade.ts';
import { qualityOf, type Severity } from '../quality/quality.ts';
import type { SecurityResolution } from '../security/mapping.ts';
import type { Brief, BriefBody, Insiders, Institutional, QualityArtifacts } from '../wire/brief.ts';
import { scopeOf } from '../wire/limitation.ts';
import { type CitedEvidence, citedEvidence, isComplete, listedEvidence, rowsOfForms } from './claims.ts';
import { briefId, factsId } from './content-id.ts';
import { comparisonOf } from './corroboration.ts';
import { coverageOf, form4Status } from './coverage.ts';
import { displayedAccessions, evidenceFor } from './evidence.ts';
import type { BriefFacts, Legs } from './facts.ts';
import { type EvidenceRows, type HolderFacts, NO_HOLDERS } from './holder-facts.ts';
import type { BriefInput } from './input.ts';
import { FORM4_WINDOW_DAYS, type InsiderLeg, insiderLeg, windowOf } from './insider-leg.ts';
import { manifestOf } from './manifest.ts';
import { outcomeFacts, outcomeOf } from './outcome.ts';
import {
  EVIDENCE_IDS_PER_EXAMPLE,
  EXAMPLES_PER_GROUP,
  groupsOf,
  type Occurrence,
  type ReasonGroup,
} from './reason-group.ts';
import { mappingDetail, tradeDetail } from './words/example-detail.ts';
import { DISCLAIMER, EXPLANATION, headlineOf } from './words/headline.ts';
import { limitationsOf } from './words/limitations.ts';

/**
 * A brief, and the rows behind its Forms 4. It binds these and what its holders were read from by
 * `manifest.evidence_digest`.
 */
type BuiltBrief = { readonly brief: Brief; readonly forms: readonly EvidenceRows[] };

/**
 * The capital-change brief, a pure function of its input (rules 8.1 and 8.2). The same filings, as-of
 * date and coverage give the same ids, in any order of observations and filings. Only `generated_at`
 * and each `retrieved_at` are outside the ids. Throws `evidence_missing` when a filing on display is not
 * in `input.evidence`.
 */
export function buildBrief(input: BriefInput): Brief {
  return buildWithEvidence(input).brief;
}

/** The same with the rows behind its Forms 4. */
export function buildWithEvidence(input: BriefInput): BuiltBrief {
  const legs = legsOf(input);
  const coverage = coverageOf(input, legs);
  const outcome = outcomeOf(outcomeFacts(input, coverage, legs));
  const artifacts = reasonGroups(legs.holders, legs.insiders, input.resolution);
  const cited = citedEvidence(legs, artifacts);
  const body = bodyOf({ ...legs, input, coverage, outcome }, { artifacts, cited });
  const brief = { ...body, brief_id: briefId(body) };
  return { brief, forms: rowsOfForms(cited.forms, legs.insiders) };
}

/** Both legs, before anything is cut off for display. */
function legsOf(input: Omit<BriefInput, 'evidence'>): Legs {
  return {
    holders: hasCusip(input.resolution) ? input.holders : NO_HOLDERS,
    insiders: insiderLeg(input, form4Status(input, windowOf(input.asOf)) !== 'unavailable'),
  };
}

type Proof = {
  readonly artifacts: QualityArtifacts;
  readonly cited: CitedEvidence;
};

/** The brief before its id, which is empty. */
function bodyOf(facts: BriefFacts, { artifacts, cited }: Proof): Brief {
  const { input, coverage, outcome } = facts;
  const comparison = comparisonOf(facts);
  const evidence = evidenceFor(displayedAccessions(facts), input.evidence);
  const limitations = limitationsOf(facts);
  const about = {
    entity: entityOf(input.resolution),
    institutional: institutionalPart(facts),
    insiders: insidersPart(facts),
  };
  return {
    schema_version: 'capital_change_brief.v1',
    outcome,
    current_only: true,
    generated_at: input.generatedAt,
    requested_ticker: input.requestedTicker,
    brief_id: '',
    facts_id: factsId(about),
    entity: about.entity,
    headline: headlineOf(facts),
    explanation: EXPLANATION,
    institutional: about.institutional,
    insiders: about.insiders,
    corroboration: comparison.corroboration,
    corroboration_detail: comparison.detail,
    quality_artifacts: artifacts,
    coverage: {
      ...coverage,
      limitations: limitations.map(({ sentence }) => sentence),
      limitation_codes: limitations.map(({ code }) => ({ code, scope: scopeOf(code) })),
    },
    evidence,
    evidence_scope: {
      object_scope: 'displayed_changes_and_transactions',
      returned_object_count: evidence.length,
      manifest_evidence_id_count: listedEvidence(cited).length,
      aggregate_claim_evidence_ids_complete: isComplete(cited),
    },
    manifest: manifestOf({ ...facts, comparison, cited }),
    disclaimer: DISCLAIMER,
  };
}

function institutionalPart({ input, holders: { leg, late } }: BriefFacts): Institutional {
  return {
    stance: leg.stance,
    ranking_basis: leg.ranking_basis,
    changes: leg.changes,
    counts: leg.counts,
    totals: leg.totals,
    options: leg.options,
    latest_reported_quarter_end: input.corpus.latestReportedQuarterEnd,
    tracked_managers_observed: leg.tracked_managers_observed,
    periods_observed: leg.periods_observed,
    stale_manager_observations: managersIn(late),
  };
}

function insidersPart({ insiders }: BriefFacts): Insiders {
  return {
    stance: insiders.stance,
    stance_discretionary: insiders.stanceDiscretionary,
    totals: insiders.totals,
    window_days: FORM4_WINDOW_DAYS,
    window_start: insiders.window.start,
    window_end: insiders.window.end,
    transactions: insiders.shown,
    counts: insiders.counts,
  };
}

function entityOf(resolution: SecurityResolution): BriefBody['entity'] {
  if (resolution.kind !== 'resolved') return { ticker: '', name: '', cusip: '', cik: null };
  const { ticker, name, cusip, issuerCik } = resolution;
  return { ticker, name, cusip: cusip ?? '', cik: issuerCik };
}

function hasCusip(resolution: SecurityResolution): boolean {
  return resolution.kind === 'resolved' && resolution.cusip !== null;
}

const SEVERITY: Record<Severity, number> = { critical: 0, warning: 1, info: 2 };

/**
 * The wire's `quality_artifacts`: the reasons of all observations and trades read, the excluded ones
 * included. Groups are sorted by leg (13F first), severity (worst first), then reason. The example of
 * a group is its largest change or its newest trade. Observations, mappings and trades have no reason in common.
 */
function reasonGroups(
  holders: HolderFacts,
  insiders: InsiderLeg,
  resolution: SecurityResolution,
): QualityArtifacts {
  const occurrences = [...ofMapping(resolution, holders.read), ...insiders.considered.flatMap(ofTrade)];
  return {
    suppresses_direction: holders.isSuppressed,
    uncertain_observations: holders.uncertain,
    example_limit_per_group: EXAMPLES_PER_GROUP,
    evidence_id_limit_per_example: EVIDENCE_IDS_PER_EXAMPLE,
    groups: [...holders.reasons, ...groupsOf(occurrences)].sort(compareGroups),
  };
}

function compareGroups(a: ReasonGroup, b: ReasonGroup): number {
  const severity = SEVERITY[a.severity] - SEVERITY[b.severity];
  return compare(b.leg, a.leg) || severity || compare(a.reason, b.reason);
}

/** A reason of the mapping counts for every observation. Without observations it still gets a group. */
function ofMapping(resolution: SecurityResolution, observed: number): Occurrence[] {
  if (resolution.kind !== 'resolved') return [];
  const example = () => ({
    fund: null,
    quarter_end: null,
    detail: mappingDetail(resolution),
    evidence_ids: [],
  });
  return resolution.reasons.flatMap((reason) =>
    Array.from({ length: Math.max(observed, 1) }, () => ({ reason, suppresses: false, example })),
  );
}

function ofTrade(trade: Trade): Occurrence[] {
  return qualityOf(trade.reasons).reasons.map((reason) => ({
    reason,
    suppresses: false,
    example: () => ({
      fund: null,
      quarter_end: null,
      detail: tradeDetail(trade),
      evidence_ids: trade.accessions.slice(0, EVIDENCE_IDS_PER_EXAMPLE).map(evidenceIdOfForm4),
    }),
  }));
}
