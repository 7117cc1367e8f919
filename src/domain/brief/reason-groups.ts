import { compare } from '../compare.ts';
import { evidenceIdOfForm4 } from '../ids.ts';
import type { Trade } from '../insider/trade.ts';
import { qualityOf, type Severity } from '../quality/quality.ts';
import type { SecurityResolution } from '../security/resolution.ts';
import type { QualityArtifacts } from '../wire/brief.ts';
import type { HolderFacts } from './holder-facts.ts';
import type { InsiderLeg } from './insider-leg.ts';
import {
  EVIDENCE_IDS_PER_EXAMPLE,
  EXAMPLES_PER_GROUP,
  groupsOf,
  type Occurrence,
  type ReasonGroup,
} from './reason-group.ts';
import { mappingDetail, tradeDetail } from './words/example-detail.ts';

const SEVERITY: Record<Severity, number> = { critical: 0, warning: 1, info: 2 };

/**
 * The wire's `quality_artifacts`: the reasons of all observations and trades read, the excluded ones
 * included. Groups are sorted by leg (13F first), severity (worst first), then reason. The example of
 * a group is its largest change or its newest trade. Observations, mappings and trades have no reason in common.
 */
export function reasonGroups(
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
