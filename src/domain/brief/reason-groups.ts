import { compare } from '../compare.ts';
import { groupBy } from '../group.ts';
import { evidenceIdsOf, type InstitutionalLeg } from '../holders/institutional.ts';
import { isChange, type JudgedObservation } from '../holders/judged.ts';
import { evidenceIdOfForm4 } from '../ids.ts';
import type { Trade } from '../insider/trade.ts';
import { isAboutShares, qualityOf, REASONS, type Reason, type Severity } from '../quality/quality.ts';
import type { SecurityResolution } from '../security/resolution.ts';
import type { QualityArtifacts } from '../wire/brief.ts';
import type { InsiderLeg } from './insider-leg.ts';
import { mappingDetail, observationDetail, tradeDetail } from './words/example-detail.ts';
import { REASON_DESCRIPTIONS } from './words/reason-descriptions.ts';

/** Rule 8.2: one example a group, at most four evidence ids an example. */
export const EXAMPLES_PER_GROUP = 1;
export const EVIDENCE_IDS_PER_EXAMPLE = 4;

type Group = QualityArtifacts['groups'][number];
type Example = Group['examples'][number];
/** A reason at one observation or trade. Only an example that is shown is built. */
type Occurrence = { readonly reason: Reason; readonly suppresses: boolean; readonly example: () => Example };

const SEVERITY: Record<Severity, number> = { critical: 0, warning: 1, info: 2 };

/**
 * The wire's `quality_artifacts`: the reasons of all observations and trades read, the excluded ones
 * included. Groups are sorted by leg (13F first), severity (worst first), then reason. The example of
 * a group is its largest change or its newest trade.
 */
export function reasonGroups(
  institutional: InstitutionalLeg,
  insiders: InsiderLeg,
  resolution: SecurityResolution,
): QualityArtifacts {
  const occurrences = [
    ...institutional.judged.flatMap((judged) => ofObservation(judged, institutional.isSuppressed)),
    ...ofMapping(resolution, institutional.judged.length),
    ...insiders.considered.flatMap(ofTrade),
  ];
  const groups = groupBy(occurrences, ({ reason }) => reason);
  return {
    suppresses_direction: institutional.isSuppressed,
    uncertain_observations: institutional.uncertain,
    example_limit_per_group: EXAMPLES_PER_GROUP,
    evidence_id_limit_per_example: EVIDENCE_IDS_PER_EXAMPLE,
    groups: [...groups].map(([reason, all]) => groupOf(reason, all)).sort(compareGroups),
  };
}

function groupOf(reason: Reason, occurrences: readonly Occurrence[]): Group {
  const { leg, severity } = REASONS[reason];
  return {
    reason,
    severity,
    leg,
    observation_count: occurrences.length,
    suppresses_direction: occurrences.some(({ suppresses }) => suppresses),
    description: REASON_DESCRIPTIONS[reason],
    examples: occurrences.slice(0, EXAMPLES_PER_GROUP).map(({ example }) => example()),
  };
}

function compareGroups(a: Group, b: Group): number {
  const severity = SEVERITY[a.severity] - SEVERITY[b.severity];
  return compare(b.leg, a.leg) || severity || compare(a.reason, b.reason);
}

function ofObservation(judged: JudgedObservation, isSuppressed: boolean): Occurrence[] {
  const { observation, action, quality } = judged;
  const maySuppress = isSuppressed && quality.status === 'uncertain' && isChange(action);
  return quality.reasons.map((reason) => ({
    reason,
    suppresses: maySuppress && isAboutShares(reason),
    example: () => ({
      fund: { name: observation.name, cik: observation.cik },
      quarter_end: observation.quarterEnd,
      detail: observationDetail(judged, reason),
      evidence_ids: evidenceIdsOf(observation).slice(0, EVIDENCE_IDS_PER_EXAMPLE),
    }),
  }));
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
