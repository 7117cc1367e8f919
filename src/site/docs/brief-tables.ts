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
import { isAboutShares, REASONS, type Reason } from '../../domain/quality/quality.ts';

/** The decision tables of the guide. Their words come from the functions that decide. */

const OUTCOME_CASES: readonly (readonly [when: string, facts: OutcomeFacts])[] = [
  [
    'The ticker stands for several securities, and no source says which one.',
    facts({ resolution: 'ambiguous' }),
  ],
  ['No source knows the ticker.', facts({ resolution: 'unknown' })],
  ['No 13F observation and no trade is counted, and no filing of them is unread.', facts({ observed: 0 })],
  [
    'Uncertain changes could reverse the direction, or none of what was filed could be read.',
    facts({ isSuppressed: true }),
  ],
  [
    'Something limits it. **Coverage:** it is not full, the filing window is open, or a manager that held the security a quarter ago has no stored report since, or filed what cannot be read. **Ticker:** it is mapped by a later source. **Observation:** one is uncertain, excluded, a baseline, or from a report that is incomplete by its own account. **Trade:** one is unusable, without a plausible price, of an unknown share class, or in an amendment that matches no original.',
    facts({ isLimited: true }),
  ],
  ['Nothing limits it.', facts({})],
];

/** The first line that applies decides. */
export const OUTCOME_LINES = OUTCOME_CASES.map(([when, given]) => ({
  when,
  outcome: outcomeOf(given),
  given,
}));

const NONE: Weight = { exists: false, amount: 0n };
const some = (amount: bigint): Weight => ({ exists: true, amount });
/** Of a gross of 200: exactly the share that makes a direction, and a net just below it. */
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
    [`${both}. The ${ups} weigh more, and ${net}.`, HEAVIER, LIGHTER],
    [`${both}. The ${downs} weigh more, and ${net}.`, LIGHTER, HEAVIER],
    [`${both}. The net is below ${NET_SHARE_PERCENT} % of the gross.`, BARELY, OTHER],
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
  ['No clear change, but a position that is clearly unchanged.', seen({ clearlyUnchanged: 1 })],
  ['Only baselines: no manager has a report for the quarter before.', seen({})],
];

/** By shares, over clear changes only. The first line that applies decides. */
export const INSTITUTIONAL_LINES = INSTITUTIONAL_CASES.map(([when, evidence]) => ({
  when,
  stance: institutionalStance(evidence),
}));

/** By priced value. The first line that applies decides. */
export const INSIDER_LINES = [
  { when: 'Form 4 filings of the window are not covered.', stance: insiderStance('not_covered', NONE, NONE) },
  {
    when: 'No open-market trade in the window, and its insiders file no Form 4: a fund, or a foreign issuer before 2026-03-18.',
    stance: insiderStance('not_available', NONE, NONE),
  },
  { when: 'No open-market trade in the window.', stance: insiderStance('none_found', NONE, NONE) },
  ...sides('buys', 'sales').map(([when, up, down]) => ({
    when,
    stance: insiderStance('none_found', up, down),
  })),
];

type InstitutionalStance = ReturnType<typeof institutionalStance>;
type InsiderStance = ReturnType<typeof insiderStance>;

const INSTITUTIONAL_STANCES: readonly InstitutionalStance[] = unique(INSTITUTIONAL_LINES);
export const INSIDER_STANCES: readonly InsiderStance[] = unique(INSIDER_LINES);

/** One line for each institutional stance, with one word for each stance of the insiders. */
export const CORROBORATION_LINES = INSTITUTIONAL_STANCES.map((institutional) => ({
  institutional,
  words: INSIDER_STANCES.map((insiders) => corroborate(institutional, insiders)),
}));

/** In the order of the list, 13F first. */
export const REASON_LINES = (Object.keys(REASONS) as Reason[]).map((reason) => ({
  reason,
  ...REASONS[reason],
  description: REASON_DESCRIPTIONS[reason],
  /** Only changes of shares have a direction, and only uncertain share counts can remove it. */
  maySuppress: REASONS[reason].leg === 'thirteen_f' && isAboutShares(reason),
  /** An uncertain value leaves the change clear, because changes are judged by shares. */
  isOfValues: REASONS[reason].effect === 'uncertain' && !isAboutShares(reason),
}));

/** Follows the status of such a reason. */
export const OF_VALUES = ' for values only';

function facts(fields: Partial<OutcomeFacts>): OutcomeFacts {
  return { resolution: 'resolved', observed: 1, isSuppressed: false, isLimited: false, ...fields };
}

function unique<T extends string>(lines: readonly { readonly stance: T }[]): T[] {
  return [...new Set(lines.map(({ stance }) => stance))];
}
