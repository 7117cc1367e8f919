import {
  evidenceIdsOf,
  type InstitutionalLeg,
  isChange,
  type JudgedObservation,
} from '../holders/institutional.ts';
import { evidenceIdOfForm4 } from '../ids.ts';
import { compareText } from '../insider/amendment.ts';
import type { Trade } from '../insider/trade.ts';
import { doubtsShares, qualityOf, REASONS, type Reason, type Severity } from '../quality/quality.ts';
import type { SecurityResolution } from '../security/resolution.ts';
import type { QualityArtifacts } from '../wire/brief.ts';
import type { InsiderLeg } from './insider-leg.ts';
import { detailOf } from './words/artifact-detail.ts';

/** Rule 8.2: one example a group, at most four evidence ids an example. */
export const EXAMPLES_PER_GROUP = 1;
export const EVIDENCE_IDS_PER_EXAMPLE = 4;

type Group = QualityArtifacts['groups'][number];
type Example = Group['examples'][number];
/** One observation of a reason: what it would look like as an example, made only when it is one. */
type Sighting = { readonly reason: Reason; readonly suppresses: boolean; readonly example: () => Example };

const SEVERITY: Record<Severity, number> = { critical: 0, warning: 1, info: 2 };

/**
 * Everything of note about the observations and trades read, grouped by reason; those that are in
 * no number are only here. Groups go by leg (13F first), severity (worst first), then reason; the
 * example is the largest change, or the newest trade.
 */
export function qualityArtifacts(
  institutional: InstitutionalLeg,
  insiders: InsiderLeg,
  resolution: SecurityResolution,
): QualityArtifacts {
  const sightings = [
    ...institutional.judged.flatMap((judged) => observationSightings(judged, institutional.isSuppressed)),
    ...resolutionSightings(resolution, institutional.judged.length),
    ...insiders.considered.flatMap(tradeSightings),
  ];
  const groups = new Map<Reason, Sighting[]>();
  for (const sighting of sightings) {
    const group = groups.get(sighting.reason);
    if (group === undefined) groups.set(sighting.reason, [sighting]);
    else group.push(sighting);
  }
  return {
    suppresses_direction: institutional.isSuppressed,
    uncertain_observations: institutional.uncertain,
    example_limit_per_group: EXAMPLES_PER_GROUP,
    evidence_id_limit_per_example: EVIDENCE_IDS_PER_EXAMPLE,
    groups: [...groups].map(([reason, seen]) => groupOf(reason, seen)).sort(compareGroups),
  };
}

function groupOf(reason: Reason, seen: readonly Sighting[]): Group {
  const { leg, severity, description } = REASONS[reason];
  return {
    reason,
    severity,
    leg,
    observation_count: seen.length,
    suppresses_direction: seen.some((sighting) => sighting.suppresses),
    description,
    examples: seen.slice(0, EXAMPLES_PER_GROUP).map((sighting) => sighting.example()),
  };
}

function compareGroups(a: Group, b: Group): number {
  if (a.leg !== b.leg) return a.leg === 'thirteen_f' ? -1 : 1;
  return SEVERITY[a.severity] - SEVERITY[b.severity] || compareText(a.reason, b.reason);
}

function observationSightings(judged: JudgedObservation, isSuppressed: boolean): Sighting[] {
  const { observation, action, quality } = judged;
  const isPartOfIt = isSuppressed && quality.status === 'uncertain' && isChange(action);
  return quality.reasons.map((reason) => ({
    reason,
    suppresses: isPartOfIt && doubtsShares(reason),
    example: () => ({
      fund: { name: observation.name, cik: observation.cik },
      quarter_end: observation.quarterEnd,
      detail: detailOf(judged, reason),
      evidence_ids: evidenceIdsOf(observation).slice(0, EVIDENCE_IDS_PER_EXAMPLE),
    }),
  }));
}

/** The mapping touches every observation, and is worth a group even when there is none. */
function resolutionSightings(resolution: SecurityResolution, observed: number): Sighting[] {
  if (resolution.kind !== 'resolved') return [];
  const detail = `${resolution.ticker} was mapped by ${resolution.sources.join(' and ')}.`;
  const example = (): Example => ({ fund: null, quarter_end: null, detail, evidence_ids: [] });
  return resolution.reasons.flatMap((reason) =>
    Array.from({ length: Math.max(observed, 1) }, () => ({ reason, suppresses: false, example })),
  );
}

function tradeSightings(trade: Trade): Sighting[] {
  const { row, filing, owners } = trade;
  return qualityOf(trade.reasons).reasons.map((reason) => ({
    reason,
    suppresses: false,
    example: () => ({
      fund: null,
      quarter_end: null,
      detail: `${owners[0]?.name ?? filing.issuer.name}: code ${row.code}, ${row.shares ?? 'no'} shares of ${row.securityTitle} dated ${row.transactionDate ?? 'nowhere'} (${trade.id}).`,
      evidence_ids: trade.accessions.slice(0, EVIDENCE_IDS_PER_EXAMPLE).map(evidenceIdOfForm4),
    }),
  }));
}
