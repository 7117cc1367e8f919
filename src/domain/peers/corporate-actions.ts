import { compare } from '../compare.ts';
import { type Changed, securitiesIn } from './changed.ts';
import {
  type Arrival,
  arrivalIn,
  changeOfSuccession,
  changesOfHolders,
  type Departure,
  departureFrom,
  eachOnce,
  isOfQuarter,
  stepsOf,
} from './cusip-change.ts';
import type { FiledQuarters } from './filed-quarter.ts';
import { type HolderMoves, holderMoves } from './holder-move.ts';
import { type Entered, enteredBy, isSpinOff, massExitFrom, newListingEnteredBy } from './mass-move.ts';
import { medianOf } from './price.ts';
import { numberOf } from './split.ts';
import { type SplitCase, splitCaseOf, splitVerdict } from './split-verdict.ts';
import { stockMergers } from './stock-merger.ts';
import { MIN_MARKET } from './thresholds.ts';
import type { CorporateAction } from './verdict.ts';

/** What the holders of one security did, by themselves. */
type Judged = {
  readonly massExit: CorporateAction | null;
  readonly split: SplitCase;
  readonly departure: Departure | null;
  readonly arrival: Arrival | null;
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
    const { managers, isCompared, movesOf } = holderMoves(quarters);
    const isOther = (manager: number) => (compared[manager] ?? 0) !== isCompared[manager];
    // The first time all managers are, and `changed.compared` has every security already.
    const others = changed.isWhole ? [] : [...changed.managers].filter(isOther);
    compared = isCompared;
    const judgedNow = new Set([...changed.compared, ...listedBy(quarters, others)]);
    for (const security of judgedNow) judged[security] = judge(quarters, security, movesOf(security));
    // It was compared with all that its holders held before.
    const entrants = changed.isWhole ? [] : securitiesIn(quarters.current, changed.managers);
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
    const mergersOf = mergers(quarters, changed, splitsIn(actions, quarters.names));
    const given = actions.flatMap(({ kind, cusip }) => {
      if (kind !== 'mass_exit') return [];
      const security = quarters.names.securities.numberOf(cusip);
      return mergersOf({ security, left: movesOf(security).left });
    });
    return [...actions, ...given].sort(compareActions);
  };
}

/** All that the managers list in the two quarters. */
function listedBy({ prior, current }: FiledQuarters, managers: readonly number[]): number[] {
  return [...securitiesIn(prior, managers), ...securitiesIn(current, managers)];
}

function judge(quarters: FiledQuarters, security: number, moves: HolderMoves): Judged {
  const { names, market, quarterEnd } = quarters;
  const cusip = names.securities.textOf(security);
  const throughout = moves.throughout.prior.length;
  return {
    massExit: massExitFrom(cusip, moves),
    split: splitCaseOf(moves.throughout, { cusip, quarterEnd, days: market.pricesOf(cusip) }),
    departure: departureFrom(cusip, moves),
    arrival: arrivalIn(cusip, moves),
    entered: enteredBy(quarters, cusip, moves),
    newListing: newListingEnteredBy(quarters, cusip, moves),
    before: throughout + moves.left.length,
  };
}

type MovesOf = (security: number) => HolderMoves;

/** A symbol that goes on decides before holders do. */
function cusipChangesIn(
  { names, market, quarterEnd }: FiledQuarters,
  judged: readonly Judged[],
  movesOf: MovesOf,
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
  return judged.flatMap(({ split }) => splitVerdict(split, market) ?? []);
}

/** New shares for each one before, by the number of the security. */
function splitsIn(actions: readonly CorporateAction[], names: FiledQuarters['names']): Map<number, number> {
  return new Map(
    actions.flatMap((action) =>
      action.kind === 'split' ? [[names.securities.numberOf(action.cusip), numberOf(action.factor)]] : [],
    ),
  );
}

function compareActions(a: CorporateAction, b: CorporateAction): number {
  return compare(a.cusip, b.cusip) || compare(a.kind, b.kind) || compare(fromOf(a), fromOf(b));
}

function fromOf(action: CorporateAction): string {
  return 'from' in action ? action.from : '';
}

/** Adds what concerns no CUSIP that is known to have been left, or entered, together with another one. */
function joined(known: readonly CorporateAction[], next: readonly CorporateAction[]): CorporateAction[] {
  const ends = new Set(known.flatMap(endsOf));
  return [...known, ...next.filter((action) => !endsOf(action).some((end) => ends.has(end)))];
}

/** A split has both ends of its CUSIP, a mass exit the earlier one, a CUSIP change one of each. */
function endsOf(action: CorporateAction): string[] {
  const [left, entered] = [`from ${action.cusip}`, `to ${action.cusip}`];
  switch (action.kind) {
    case 'cusip_change':
    case 'cusip_change_suspected':
      return [`from ${action.from}`, entered];
    case 'mass_exit':
      return [left];
    case 'mass_entry':
      return [entered];
    case 'split':
    case 'split_suspected':
      return [left];
    case 'stock_merger':
      return [];
    default:
      return action satisfies never;
  }
}
