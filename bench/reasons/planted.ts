import type { Cusip } from '../../src/domain/ids.ts';
import { type Chance, chanceOf } from '../market/chance.ts';
import { type Market, priceOf, type Security, securitiesOf } from '../market/market.ts';
import { type Position, portfoliosOf } from '../market/portfolio.ts';

/** Why a change that two reports show is not what the manager decided. */
export type Cause =
  | 'split'
  | 'new CUSIP'
  | 'split with a new CUSIP'
  | 'late split'
  | 'takeover for money'
  | 'stock merger'
  | 'spin-off'
  | 'subsidiary taken in'
  | 'confidential'
  | 'mistyped CUSIP'
  | 'doubled table'
  | 'rows lost';

/** What happens to a security in the quarter, by its number modulo {@link EVERY}; 4 for 1 is the market's own. */
const EVERY = 250;
const EVENTS: Readonly<Record<number, Event>> = {
  7: { factor: 4, hasSplit: true },
  11: { factor: 10, price: 1.3 },
  23: { factor: 1.5 },
  31: { factor: 0.1, price: 1.6, isRenamed: true },
  43: { factor: 1, isRenamed: true },
  57: { factor: 1.05 },
  61: { ends: 'money' },
  73: { ends: 'shares' },
  87: { gives: true },
};
type Event = {
  /** New shares for each old one. */
  readonly factor?: number;
  /** The market's price at the end, for one that only the factor moved. */
  readonly price?: number;
  readonly hasSplit?: true;
  readonly isRenamed?: true;
  /** The security ceases, for money or for shares of the next one. */
  readonly ends?: 'money' | 'shares';
  /** Each holder is given a new security for every fifth share. */
  readonly gives?: true;
};

const MERGED_AT = 0.6;
const SPUN_OFF = 0.2;
/** Part of the holders that book a split a quarter late. */
const LATE = 0.02;
/** Part of those who were given a security and sold it at once. */
const SOLD_AT_ONCE = 0.15;

/** What a manager held at both ends, and which changes it did not decide. */
export type Held = {
  readonly prior: ReadonlyMap<Cusip, bigint>;
  readonly current: ReadonlyMap<Cusip, bigint>;
  readonly causes: ReadonlyMap<Cusip, Cause>;
  /** The sign of what it really traded of a security that was restated. */
  readonly traded: ReadonlyMap<Cusip, number>;
};

/** The market of `bench/market` with corporate actions of every kind, and what is true of each change. */
export function plantedMarket(market: Market) {
  const all = securitiesOf({ ...market, securities: 2 * market.securities });
  const cusipOf = (at: number): Cusip => (all[at] as Security).cusip as Cusip;
  /** A CUSIP that nothing else in the market has. */
  const newCusip = (at: number): Cusip => cusipOf(market.securities + at);
  const [split, renamed] = [new Set<Cusip>(), new Set<Cusip>()];
  const cents = new Map<Cusip, Cents>();
  for (let at = 0; at < market.securities; at += 1) {
    const { factor = 1, hasSplit, price = 1, isRenamed, gives } = eventOf(at);
    const [before, after] = [0, 1].map((quarter) => priceOf(at, quarter, market) * 100) as [number, number];
    const now = (price * after) / (hasSplit ? 1 : factor);
    if (factor !== 1) split.add(cusipOf(at));
    if (isRenamed) renamed.add(cusipOf(at)).add(newCusip(at));
    cents.set(cusipOf(at), [before, isRenamed ? before : now]);
    if (isRenamed) cents.set(newCusip(at), [now, now]);
    if (gives) cents.set(newCusip(at), [after * SPUN_OFF, after * SPUN_OFF]);
    // What a merger pays is worth what it is paid for.
    const [target] = cents.get(cusipOf(Math.max(at - 1, 0))) as Cents;
    if (eventOf(at - 1).ends === 'shares') cents.set(cusipOf(at), [target / MERGED_AT, target / MERGED_AT]);
  }
  return {
    isSplit: (cusip: Cusip): boolean => split.has(cusip),
    isRenamed: (cusip: Cusip): boolean => renamed.has(cusip),
    priceOf: (cusip: Cusip, quarter: 0 | 1): number => (cents.get(cusip) as Cents)[quarter],
    heldBy: (filer: number): Held => heldBy(filer, market, { cusipOf, newCusip }),
  };
}

type Cents = readonly [prior: number, current: number];
type Names = { readonly cusipOf: (at: number) => Cusip; readonly newCusip: (at: number) => Cusip };

const eventOf = (at: number): Event => EVENTS[at % EVERY] ?? {};

function heldBy(filer: number, market: Market, names: Names): Held {
  const [before = [], after = []] = portfoliosOf(filer, market);
  const sharesOf = (all: readonly Position[]) =>
    new Map(all.filter(({ isOption }) => !isOption).map(({ security, shares }) => [security, shares]));
  const [had, has] = [sharesOf(before), sharesOf(after)];
  const outcome = outcomes(names);
  for (const security of new Set([...had.keys(), ...has.keys()])) {
    const move = { security, before: had.get(security) ?? 0, now: has.get(security) ?? 0 };
    outcome.add(move, chanceOf(market.seed, 'event', filer, security));
  }
  const prior = new Map([...had].map(([security, shares]) => [names.cusipOf(security), BigInt(shares)]));
  return { prior, ...outcome.found };
}

/** What a manager held before, and what it meant to hold afterwards, in the shares that the market counts. */
type Move = { readonly security: number; readonly before: number; readonly now: number };

/** Collects what the events make of the moves of one manager. */
function outcomes({ cusipOf, newCusip }: Names) {
  const current = new Map<Cusip, bigint>();
  const [causes, traded] = [new Map<Cusip, Cause>(), new Map<Cusip, number>()];
  const hold = (cusip: Cusip, shares: number): void => {
    if (shares >= 1) current.set(cusip, (current.get(cusip) ?? 0n) + BigInt(Math.floor(shares)));
  };
  const end = ({ security, before }: Move, paidIn: 'money' | 'shares'): void => {
    const cause = paidIn === 'money' ? 'takeover for money' : 'stock merger';
    if (before > 0) causes.set(cusipOf(security), cause);
    if (before === 0 || paidIn === 'money') return;
    hold(cusipOf(security + 1), before * MERGED_AT);
    causes.set(cusipOf(security + 1), cause);
  };
  const give = ({ security, before }: Move, { is }: Chance): void => {
    if (before * SPUN_OFF < 1) return;
    if (!is(SOLD_AT_ONCE)) hold(newCusip(security), before * SPUN_OFF);
    causes.set(newCusip(security), 'spin-off');
  };
  const convert = ({ security, before, now }: Move, { is }: Chance): void => {
    const { factor = 1, hasSplit, isRenamed } = eventOf(security);
    const own = hasSplit ? now / factor : now;
    const isLate = factor !== 1 && !isRenamed && before > 0 && now > 0 && is(LATE);
    const cusip = isRenamed ? newCusip(security) : cusipOf(security);
    hold(cusip, isLate ? own : own * factor);
    if (isLate) causes.set(cusip, 'late split');
    else if ((factor !== 1 || isRenamed) && before > 0) traded.set(cusip, Math.sign(own - before));
  };
  return {
    found: { current, causes, traded },
    add: (move: Move, chance: Chance): void => {
      const { ends, gives } = eventOf(move.security);
      if (ends !== undefined) end(move, ends);
      else convert(move, chance);
      if (gives) give(move, chance);
    },
  };
}
