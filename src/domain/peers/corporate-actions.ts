import { compare } from '../compare.ts';
import { groupBy } from '../group.ts';
import { issuerOf } from '../ids.ts';
import {
  type Crossing,
  changeOfSuccession,
  changesOfHolders,
  crossingOf,
  eachOnce,
  isOfQuarter,
  stepsOf,
} from './cusip-change.ts';
import { type Changed, type FiledQuarters, securitiesIn } from './filed-quarter.ts';
import { type HolderMoves, holderMoves } from './holder-move.ts';
import { type Entered, enteredBy, isSpinOff, massExitFrom, newListingEnteredBy } from './mass-move.ts';
import { medianOf, numberOf } from './split.ts';
import { type SplitCase, splitCaseOf, splitVerdict } from './split-verdict.ts';
import { stockMergers } from './stock-merger.ts';
import { MIN_MARKET } from './thresholds.ts';
import type { CorporateAction } from './verdict.ts';

/** What the holders of one security did, by themselves. */
type Judged = {
  readonly massExit: CorporateAction | null;
  readonly split: SplitCase;
  readonly departure: Crossing | null;
  readonly arrival: Crossing | null;
  readonly entered: Entered | null;
  readonly newListing: CorporateAction | null;
  /** Compared managers that held it at the earlier end. */
  readonly before: number;
};

/**
 * Finds splits, CUSIP changes, mass exits, spin-offs and stock mergers since the quarter before. Remembers what
 * it judged of each security by itself, and judges again those that changed. What it concludes from several
 * together is concluded anew each time.
 */
export function corporateActions() {
  const judged: Judged[] = [];
  let compared = new Uint8Array(0);
  const mergers = stockMergers();
  return (quarters: FiledQuarters, changed: Changed): CorporateAction[] => {
    const { names, prior, current } = quarters;
    const { managers, isCompared, movesOf } = holderMoves(quarters);
    const isOther = (manager: number) => (compared[manager] ?? 0) !== isCompared[manager];
    // The first time all managers are, and `changed.compared` has every security already.
    const others = changed.isWhole ? [] : [...changed.managers].filter(isOther);
    compared = isCompared;
    const listed = [...securitiesIn(prior, others), ...securitiesIn(current, others)];
    for (const security of new Set([...changed.compared, ...listed]))
      judged[security] = judge(quarters, security, movesOf(security));
    // It was compared with all that its holders held before.
    const entrants = changed.isWhole ? [] : securitiesIn(current, changed.managers);
    for (const security of new Set(entrants)) {
      if (judged[security]?.entered) judged[security] = judge(quarters, security, movesOf(security));
    }
    const shareBefore = (security: number) => (judged[security]?.before ?? 0) / managers;
    const actions = [
      cusipChangesIn(quarters, judged, movesOf),
      judged.flatMap(({ massExit }) => massExit ?? []),
      splitsAmong(judged),
      judged.flatMap(({ entered }) =>
        entered !== null && isSpinOff(entered, shareBefore) ? entered.action : [],
      ),
      judged.flatMap(({ newListing }) => newListing ?? []),
    ].reduce<CorporateAction[]>(joined, []);
    const splits = actions.flatMap((action): [number, number][] =>
      action.kind === 'split' ? [[names.securities.numberOf(action.cusip), numberOf(action.factor)]] : [],
    );
    const mergersOf = mergers(quarters, changed, new Map(splits));
    const given = actions.flatMap(({ kind, cusip }) => {
      if (kind !== 'mass_exit') return [];
      const security = names.securities.numberOf(cusip);
      return mergersOf({ security, left: movesOf(security).left });
    });
    return [...actions, ...given].sort((a, b) => compare(placeOf(a), placeOf(b)));
  };
}

function judge(quarters: FiledQuarters, security: number, moves: HolderMoves): Judged {
  const { names, market, quarterEnd } = quarters;
  const cusip = names.securities.textOf(security);
  const { left, entered, throughout } = moves;
  return {
    massExit: massExitFrom(cusip, moves),
    split: splitCaseOf(throughout, { cusip, quarterEnd, days: market.pricesOf(cusip) }),
    departure: crossingOf(cusip, left, moves),
    arrival: crossingOf(cusip, entered, moves),
    entered: enteredBy(quarters, cusip, moves),
    newListing: newListingEnteredBy(quarters, cusip, moves),
    before: throughout.prior.length + left.length,
  };
}

/** A symbol that goes on decides before holders do. */
function cusipChangesIn(
  { names, market, quarterEnd }: FiledQuarters,
  judged: readonly Judged[],
  movesOf: (security: number) => HolderMoves,
) {
  const { known } = names.securities;
  const ofQuarter = market.successions().filter((one) => isOfQuarter(one, quarterEnd));
  const stated = stepsOf(ofQuarter, (cusip) => known(cusip) !== undefined).flatMap((one) => {
    const [from, to] = [known(one.from), known(one.to)];
    if (from === undefined || to === undefined) return [];
    return changeOfSuccession(one, { left: movesOf(from).left, entered: movesOf(to).entered }) ?? [];
  });
  const ofHolders = changesOfHolders(
    judged.flatMap(({ departure }) => departure ?? []),
    judged.flatMap(({ arrival }) => arrival ?? []),
  );
  return eachOnce([...stated, ...ofHolders]);
}

/** Each beside the median move of all securities, where these are enough to be a market. */
function splitsAmong(judged: readonly Judged[]): CorporateAction[] {
  const moves = judged.flatMap(({ split: { moved } }) => moved ?? []).sort((a, b) => a - b);
  const market = moves.length < MIN_MARKET ? 1 : medianOf(moves);
  const votes = judged.flatMap(({ split }) => splitVerdict(split, market) ?? []);
  const byIssuer = groupBy(votes, ({ cusip }) => issuerOf(cusip));
  return judged.flatMap(({ split }) => {
    const found = byIssuer.get(issuerOf(split.cusip));
    return found === undefined ? [] : (splitVerdict(split, market, found) ?? []);
  });
}

/** By CUSIP, then kind and `from`. */
function placeOf(action: CorporateAction): string {
  return [action.cusip, action.kind, 'from' in action ? action.from : ''].join(' ');
}

/** Adds what concerns no CUSIP that is known to have been left, or entered, together with another one. */
function joined(known: readonly CorporateAction[], next: readonly CorporateAction[]): CorporateAction[] {
  const ends = new Set(known.flatMap(endsOf));
  return [...known, ...next.filter((action) => !endsOf(action).some((end) => ends.has(end)))];
}

/** A CUSIP change has one of each; a split and a mass exit concern the holders at the earlier end. */
function endsOf(action: CorporateAction): string[] {
  const [left, entered] = [`from ${action.cusip}`, `to ${action.cusip}`];
  if ('from' in action) return [`from ${action.from}`, entered];
  return [action.kind === 'mass_entry' ? entered : left];
}
