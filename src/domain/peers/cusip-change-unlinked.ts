import type { Cusip } from '../ids.ts';
import {
  type Arrival,
  arrivalsOfSame,
  type Departure,
  entrantsOf,
  FACTOR_PCT,
  isOfIssuer,
  wentOver,
} from './cusip-change.ts';
import { isMovedBy, isUnchanged } from './holder-move.ts';
import { MIN_MASS_EXIT_HOLDERS } from './mass-exit.ts';
import { medianOf } from './price.ts';
import { ratioOf } from './split-unlisted.ts';
import type { CusipChange, MassEntry, MassExit } from './verdict.ts';

/** Securities that most of their holders left for, and entered from, another one of the issuer. */
export type UnlinkedMoves = {
  readonly massExits: readonly MassExit[];
  readonly massEntries: readonly MassEntry[];
};

/**
 * Where most holders of a CUSIP went over to another one of its issuer, and no ratio is agreed on that
 * would link the two: neither did they sell the one nor buy the other. `changes` are those that were linked.
 */
export function unlinkedMoves(
  departures: readonly Departure[],
  arrivals: readonly Arrival[],
  changes: readonly CusipChange[],
): UnlinkedMoves {
  const linked = new Set<Cusip>(changes.flatMap(({ cusip, from }) => [cusip, from]));
  const entrants = entrantsOf(arrivals.filter(({ cusip }) => !linked.has(cusip)));
  const massExits: MassExit[] = [];
  const massEntries = new Map<Cusip, MassEntry>();
  for (const departure of departures.filter(({ cusip }) => !linked.has(cusip))) {
    const into = arrivalsOfSame(departure, entrants).filter((arrival) => isUnlinked(departure, arrival));
    if (into.length === 0) continue;
    const { cusip, left, compared } = departure;
    massExits.push({ kind: 'mass_exit', cusip, votes: left.length, compared });
    for (const { cusip, entered, compared } of into) {
      massEntries.set(cusip, { kind: 'mass_entry', cusip, votes: entered.size, compared });
    }
  }
  return { massExits, massEntries: [...massEntries.values()] };
}

/** So many go over together by no chance, or at one ratio; as many shares of a sister fund may be chance. */
function isUnlinked({ cusip, left }: Departure, arrival: Arrival): boolean {
  if (arrival.cusip === cusip || !isOfIssuer(arrival.cusip, cusip)) return false;
  const moves = wentOver(left, arrival.entered);
  if (moves.length >= MIN_MASS_EXIT_HOLDERS) return true;
  const factor = ratioOf(medianOf(Float64Array.from(moves, ({ prior, amount }) => amount / prior).sort()));
  const agreeing = moves.filter((move) => isMovedBy(move, factor) && !isUnchanged(move)).length;
  return agreeing * 100 >= moves.length * FACTOR_PCT;
}
