import { groupBy } from '../group.ts';
import { evidenceIdsOf, type InstitutionalLeg } from '../holders/institutional.ts';
import { isChange, type JudgedObservation } from '../holders/observation.ts';
import { isAboutShares, REASONS, type Reason } from '../quality/quality.ts';
import type { QualityArtifacts } from '../wire/brief.ts';
import { observationDetail } from './words/example-detail.ts';
import { REASON_DESCRIPTIONS } from './words/reason-descriptions.ts';

/** Rule 8.2: one example a group, at most four evidence ids an example. */
export const EXAMPLES_PER_GROUP = 1;
export const EVIDENCE_IDS_PER_EXAMPLE = 4;

export type ReasonGroup = QualityArtifacts['groups'][number];
type Example = ReasonGroup['examples'][number];
/** A reason at one observation or trade. Only an example that is shown is built. */
export type Occurrence = {
  readonly reason: Reason;
  readonly suppresses: boolean;
  readonly example: () => Example;
};

/** The occurrences by reason, with the first ones as examples. */
export function groupsOf(occurrences: readonly Occurrence[]): ReasonGroup[] {
  return [...groupBy(occurrences, ({ reason }) => reason)].map(([reason, all]) => groupOf(reason, all));
}

function groupOf(reason: Reason, occurrences: readonly Occurrence[]): ReasonGroup {
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

/** The reasons of all observations read, the excluded ones included. An example is the largest change. */
export function groupsOfHolders({ judged, isSuppressed }: InstitutionalLeg): ReasonGroup[] {
  return groupsOf(judged.flatMap((one) => ofObservation(one, isSuppressed)));
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
