import { type Cik, type Cusip, issuerOf } from '../ids.ts';
import { ONE_FOR_ONE } from '../report/split-factor.ts';
import { compareNames } from '../security/issuer-name.ts';
import { type HolderMove, type HolderMoves, isMovedBy } from './holder-move.ts';
import { medianOf } from './price.ts';
import { SPLIT_RATIOS } from './split.ts';
import { SPLIT_VOTE_SHARE } from './split-vote.ts';
import type { CusipChange } from './verdict.ts';

/** Part of the holders that leave the old CUSIP, and part of them that hold the new one (rule 4.8). */
export const CUSIP_CHANGE_PCT = 60;
/** Fewer holders that went over prove nothing. */
export const MIN_WENT_OVER = 3;
/** Part of them that must agree on a factor other than one for one: it restates their share counts. */
export const FACTOR_PCT = 60;
/**
 * The price of a security that only changed its number, either way within a quarter. Funds of one
 * family share the issuer's digits, and those who leave one for another may buy as many shares.
 */
export const RENAMED_PRICE_RATIO = 2;

const FACTORS = [ONE_FOR_ONE, ...SPLIT_RATIOS];

/** A security that most of its holders left, or one that most of its holders have just entered. */
export type Departure = {
  readonly cusip: Cusip;
  readonly left: readonly HolderMove[];
  readonly compared: number;
};
export type Arrival = {
  readonly cusip: Cusip;
  readonly entered: ReadonlyMap<Cik, HolderMove>;
  readonly compared: number;
};

/** Null unless enough of the holders left for the security to have changed its CUSIP. */
export function departureFrom(cusip: Cusip, { left, throughout }: HolderMoves): Departure | null {
  const compared = left.length + throughout.length;
  return isMost(left.length, compared) ? { cusip, left, compared } : null;
}

/** Null unless enough of the holders are new for the CUSIP to be new. */
export function arrivalAt(cusip: Cusip, { entered, throughout }: HolderMoves): Arrival | null {
  const compared = entered.length + throughout.length;
  if (!isMost(entered.length, compared)) return null;
  return { cusip, entered: new Map(entered.map((move) => [move.cik, move])), compared };
}

/**
 * The CUSIPs that their holders carried over to another one: 60 % of those that reported both
 * quarters, at one ratio as far as they did not trade besides. A ratio that restates shares takes 60 %
 * of them, and no test of the price, which a reverse split often foretells; one for one within the
 * issuer's digits takes a price like the old one's. A new prefix, as after a change of domicile, takes names of one
 * issuer and that nothing else came to the holders: with a spun-off company, the names mislead.
 * Each CUSIP is in one change at most, that of the most holders.
 */
export function cusipChanges(departures: readonly Departure[], arrivals: readonly Arrival[]): CusipChange[] {
  const entrants = entrantsOf(arrivals);
  const possible = departures
    .flatMap((departure) => changesFrom(departure, arrivalsOfSame(departure, entrants)))
    .sort(compareChanges);
  const taken = new Set<string>();
  const changes: CusipChange[] = [];
  for (const { from, cusip, factor, votes, compared } of possible) {
    const [out, into] = [`from ${from}`, `to ${cusip}`];
    if (taken.has(out) || taken.has(into)) continue;
    taken.add(out).add(into);
    changes.push({ kind: 'cusip_change', cusip, from, factor, votes, compared });
  }
  return changes;
}

/** Shares of the old CUSIP and of the new one. */
type Shares = Pick<HolderMove, 'prior' | 'amount'>;

type Ranked = Omit<CusipChange, 'kind'> & {
  /** Holders that moved by the factor itself. */
  readonly agreeing: number;
  /** Place of the factor among the candidates. */
  readonly rank: number;
  readonly hasOneName: boolean;
};

/** What each manager entered. */
export type Entrants = ReadonlyMap<Cik, readonly Arrival[]>;

export function entrantsOf(arrivals: readonly Arrival[]): Entrants {
  const entrants = new Map<Cik, Arrival[]>();
  for (const arrival of arrivals) {
    for (const cik of arrival.entered.keys()) {
      const known = entrants.get(cik);
      if (known === undefined) entrants.set(cik, [arrival]);
      else known.push(arrival);
    }
  }
  return entrants;
}

/** The arrivals that enough of the departed entered: of many securities, a few. */
export function arrivalsOfSame({ left, compared }: Departure, entrants: Entrants): Arrival[] {
  const counts = new Map<Arrival, number>();
  for (const { cik } of left) {
    for (const arrival of entrants.get(cik) ?? []) counts.set(arrival, (counts.get(arrival) ?? 0) + 1);
  }
  return [...counts].filter(([, count]) => isMost(count, compared)).map(([arrival]) => arrival);
}

function changesFrom(departure: Departure, arrivals: readonly Arrival[]): Ranked[] {
  const all = arrivals.map((arrival) => changeBetween(departure, arrival)).filter((one) => one !== null);
  const ofIssuer = all.filter(({ cusip }) => isOfIssuer(cusip, departure.cusip));
  if (ofIssuer.length > 0) return ofIssuer;
  return all.length === 1 ? all.filter(({ hasOneName }) => hasOneName) : [];
}

function changeBetween(
  { cusip: from, left, compared }: Departure,
  { cusip, entered }: Arrival,
): Ranked | null {
  if (cusip === from) return null;
  const moves = wentOver(left, entered);
  const votes = moves.length;
  const best = bestFactor(moves);
  const isRenamed = best.factor === ONE_FOR_ONE;
  const share = isRenamed ? SPLIT_VOTE_SHARE : FACTOR_PCT / 100;
  if (best.agreeing < Math.max(MIN_WENT_OVER, votes * share)) return null;
  if (isRenamed && isOfIssuer(cusip, from) && !isPricedAlike(moves)) return null;
  const hasOneName = isMost(moves.filter(isOneIssuer).length, votes);
  return { cusip, from, votes, compared, hasOneName, ...best };
}

function isMost(holders: number, all: number): boolean {
  return holders >= MIN_WENT_OVER && holders * 100 >= all * CUSIP_CHANGE_PCT;
}

export function isOfIssuer(cusip: Cusip, other: Cusip): boolean {
  return issuerOf(cusip) === issuerOf(other);
}

type WentOver = Shares & { readonly before: HolderMove; readonly after: HolderMove };

/** Who left the one security and entered the other. */
export function wentOver(left: readonly HolderMove[], entered: Arrival['entered']): WentOver[] {
  return left.flatMap((before) => {
    const after = entered.get(before.cik);
    return after === undefined ? [] : [{ before, after, prior: before.prior, amount: after.amount }];
  });
}

/** By the median holder, so that no single slip decides; prices that nobody gives speak against nothing. */
function isPricedAlike(moves: readonly WentOver[]): boolean {
  const ratios = moves
    .flatMap(({ before, after }) => (before.price && after.price ? [after.price / before.price] : []))
    .sort((a, b) => a - b);
  if (ratios.length === 0) return true;
  const median = medianOf(ratios);
  return median <= RENAMED_PRICE_RATIO && median >= 1 / RENAMED_PRICE_RATIO;
}

function isOneIssuer({ before, after }: WentOver): boolean {
  return compareNames(before.issuer, after.issuer) === 'same';
}

/** Of the candidates with the most votes the first: one for one before any other. */
function bestFactor(moves: readonly Shares[]): Pick<Ranked, 'factor' | 'agreeing' | 'rank'> {
  return FACTORS.map((factor, rank) => ({
    factor,
    rank,
    agreeing: moves.filter((move) => isMovedBy(move, factor)).length,
  })).reduce((best, next) => (next.agreeing > best.agreeing ? next : best));
}

/** Ties go to the ratio's votes, then to the simpler ratio, then to the CUSIPs in order. */
function compareChanges(a: Ranked, b: Ranked): number {
  if (a.votes !== b.votes) return b.votes - a.votes;
  if (a.agreeing !== b.agreeing) return b.agreeing - a.agreeing;
  if (a.rank !== b.rank) return a.rank - b.rank;
  if (a.from !== b.from) return a.from < b.from ? -1 : 1;
  return a.cusip < b.cusip ? -1 : 1;
}
