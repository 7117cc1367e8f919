import { corroborate } from '../../domain/brief/corroboration.ts';
import { type OutcomeFacts, outcomeOf } from '../../domain/brief/outcome.ts';
import { REASON_DESCRIPTIONS } from '../../domain/brief/words/reason-descriptions.ts';
import {
  type InstitutionalEvidence,
  insiderStance,
  institutionalStance,
  NET_SHARE_PERCENT,
  type Weight,
} from '../../domain/holders/stance.ts';
import { doubtsShares, REASONS, type Reason } from '../../domain/quality/quality.ts';

/** What decides each word of a brief: the words themselves come from the functions that decide. */

const OUTCOME_CASES: readonly (readonly [when: string, facts: OutcomeFacts])[] = [
  ['The ticker stands for several securities that cannot be told apart.', facts({ resolution: 'ambiguous' })],
  ['No source knows the ticker.', facts({ resolution: 'unknown' })],
  ['No counted 13F observation and no counted trade.', facts({ observed: 0 })],
  ['Uncertain changes could turn the direction around.', facts({ isSuppressed: true })],
  [
    'Something limits it: coverage that is not full, an open filing window, a manager that held the security a quarter ago and has not reported since, a mapping of a later source; an observation that is uncertain, excluded, a mere baseline or of a report that is incomplete by its own account; a trade that is unusable, without a plausible price, of a share class that is not told, or in an amendment that no original matches.',
    facts({ isLimited: true }),
  ],
  ['Nothing limits it.', facts({})],
];

/** First line that applies. */
export const OUTCOME_LINES = OUTCOME_CASES.map(([when, given]) => ({
  when,
  outcome: outcomeOf(given),
  given,
}));

const NONE: Weight = { exists: false, amount: 0n };
const some = (amount: bigint): Weight => ({ exists: true, amount });
/** Of a gross of 200: exactly the share that makes a direction, and just below it. */
const HEAVIER = some(100n + NET_SHARE_PERCENT);
const LIGHTER = some(100n - NET_SHARE_PERCENT);
const BARELY = some(99n + NET_SHARE_PERCENT);
const OTHER = some(101n - NET_SHARE_PERCENT);

/** Every case of two opposing sides, in the words of one leg. */
function sides(ups: string, downs: string): readonly (readonly [when: string, up: Weight, down: Weight])[] {
  const both = `Both ${ups} and ${downs}`;
  const net = `the net is at least ${NET_SHARE_PERCENT} % of the gross`;
  return [
    [`Only ${ups}.`, some(1n), NONE],
    [`Only ${downs}.`, NONE, some(1n)],
    [`${both}: ${ups} are heavier, and ${net}.`, HEAVIER, LIGHTER],
    [`${both}: ${downs} are heavier, and ${net}.`, LIGHTER, HEAVIER],
    [`${both}, and the net is below ${NET_SHARE_PERCENT} % of the gross.`, BARELY, OTHER],
  ];
}

const seen = (fields: Partial<InstitutionalEvidence>): InstitutionalEvidence => ({
  observed: 1,
  up: NONE,
  down: NONE,
  isSuppressed: false,
  clearlyUnchanged: 0,
  ...fields,
});

const INSTITUTIONAL_CASES: readonly (readonly [when: string, evidence: InstitutionalEvidence])[] = [
  ['No manager is observed.', seen({ observed: 0 })],
  ['The direction is suppressed.', seen({ isSuppressed: true, up: some(1n) })],
  ...sides('clear increases', 'clear decreases').map(
    ([when, up, down]) => [when, seen({ up, down })] as const,
  ),
  ['No clear change, but a position that clearly stood still.', seen({ clearlyUnchanged: 1 })],
  ['Nothing but baselines: no manager has a report of the quarter before.', seen({})],
];

/** First line that applies; by shares, of clear changes only. */
export const INSTITUTIONAL_LINES = INSTITUTIONAL_CASES.map(([when, evidence]) => ({
  when,
  stance: institutionalStance(evidence),
}));

/** First line that applies; by priced value. */
export const INSIDER_LINES = [
  { when: 'Form 4 filings of the window were not read.', stance: insiderStance(false, NONE, NONE) },
  { when: 'No open-market trade in the window.', stance: insiderStance(true, NONE, NONE) },
  ...sides('buys', 'sales').map(([when, up, down]) => ({ when, stance: insiderStance(true, up, down) })),
];

type InstitutionalStance = ReturnType<typeof institutionalStance>;
type InsiderStance = ReturnType<typeof insiderStance>;

export const INSTITUTIONAL_STANCES: readonly InstitutionalStance[] = unique(INSTITUTIONAL_LINES);
export const INSIDER_STANCES: readonly InsiderStance[] = unique(INSIDER_LINES);

/** One line for each institutional stance, one word for each stance of the insiders. */
export const CORROBORATION_LINES = INSTITUTIONAL_STANCES.map((institutional) => ({
  institutional,
  words: INSIDER_STANCES.map((insiders) => corroborate(institutional, insiders)),
}));

/** In the order of the list, 13F first. */
export const REASON_LINES = (Object.keys(REASONS) as Reason[]).map((reason) => ({
  reason,
  ...REASONS[reason],
  description: REASON_DESCRIPTIONS[reason],
  /** Only changes of shares have a direction, and only a doubt about shares can take it away. */
  maySuppress: REASONS[reason].leg === 'thirteen_f' && doubtsShares(reason),
  /** A doubt about values alone leaves the change clear: changes are judged by shares. */
  isOfValues: REASONS[reason].effect === 'uncertain' && !doubtsShares(reason),
}));

/** What is said behind the status of such a reason. */
export const OF_VALUES = ' of values alone';

function facts(fields: Partial<OutcomeFacts>): OutcomeFacts {
  return { resolution: 'resolved', observed: 1, isSuppressed: false, isLimited: false, ...fields };
}

function unique<T extends string>(lines: readonly { readonly stance: T }[]): T[] {
  return [...new Set(lines.map(({ stance }) => stance))];
}
