import { MIN_PRICE_FILERS } from '../report/thresholds.ts';
import {
  type Changed,
  type FiledQuarter,
  type FiledQuarters,
  isQuoteIn,
  securitiesIn,
} from './filed-quarter.ts';
import { AS_DATED_BAND, OUTLIER_BAND } from './thresholds.ts';

/** A filing of the quarter: its place in the report of the manager with this number. */
type FilingPlace = { readonly manager: number; readonly place: number };

/**
 * Decimal orders by which the scales of a report's filings are corrected, by their places; NaN leaves the
 * quotes of the filing out. Of the few managers that have another than 0.
 */
export type Shifts = ReadonlyMap<number, readonly number[]>;

/** What the quotes of a security say. */
type Priced = {
  /** Whether enough filers price it. */
  readonly isPriced: boolean;
  readonly middle: Middle;
  /** Filings of the rows whose price is far from the others': several times for several rows. */
  readonly slips: readonly FilingPlace[];
};

const CENTS_PER_DOLLAR = 100;

export type PeerPrices = {
  /** Managers with rows that may be near to their price, or far from it, unlike before the update. */
  readonly moved: ReadonlySet<number>;
  /** By the numbers of securities. */
  readonly all: () => ReadonlyMap<number, Priced>;
  readonly of: (security: number) => Priced | undefined;
  /** Prices the changed securities, and those in filings whose shift changed. */
  readonly update: (quarters: FiledQuarters, changed: Changed, shifts?: Shifts) => void;
  /** @param log of the row's own price as filed. NaN without a price of others */
  readonly priceOf: (quarters: FiledQuarters, row: number, log: number) => number;
};

/**
 * The price that the other filers of the quarter give each row, as a decimal logarithm, in scales that are
 * corrected by shifts. Only what changed is priced again.
 * @param asFiled the prices without shifts, updated before these, which have only what is shifted
 */
export function peerPrices(asFiled: PeerPrices | null = null): PeerPrices {
  const own = new Map<number, Priced>();
  const moved = new Set<number>();
  let shifts: Shifts = new Map();
  const of = (security: number) => own.get(security) ?? asFiled?.of(security);
  const price = (current: FiledQuarter, security: number, { isWhole, beside }: Changed): void => {
    const quotes = { ...quotesOf(current, security), shifts };
    const [before, now] = [of(security), pricedBy(current, quotes)];
    own.set(security, now);
    // The first time `moved` has every manager already.
    if (isWhole) return;
    // All rows may be compared with another price: where there is none here, a quarter beside gives it.
    const isElsewhere = before?.isPriced !== now.isPriced || (!now.isPriced && beside.has(security));
    const { manager } = current.columns();
    const rows = quotes.rows.filter((row, at) => {
      if (isElsewhere || before === undefined) return true;
      const log = quotes.logs[at] as number;
      const shifted = log + shiftOf(current, row, shifts);
      const nearnessBy = ({ middle }: Priced) => nearness(log - priceWithout(middle, shifted));
      return now.isPriced && nearnessBy(now) !== nearnessBy(before);
    });
    for (const row of rows) moved.add(manager[row] as number);
  };
  return {
    moved,
    of,
    all: () => (asFiled === null ? own : new Map([...asFiled.all(), ...own])),
    update(quarters, changed, newShifts = new Map()) {
      const { current } = quarters;
      const managers = [...new Set([...shifts.keys(), ...newShifts.keys()])].filter(
        (manager) => !isSameShift(shifts.get(manager), newShifts.get(manager)),
      );
      moved.clear();
      for (const one of [...changed.managers, ...managers, ...(asFiled?.moved ?? [])]) moved.add(one);
      shifts = newShifts;
      const shifted = new Set(securitiesIn(current, newShifts.keys()));
      const elsewhere = [...changed.beside].filter((security) => of(security)?.isPriced !== true);
      const others = securitiesIn(current, managers);
      for (const security of new Set([...changed.current, ...elsewhere, ...others])) {
        const isAsFiled = asFiled !== null && !shifted.has(security);
        if (isAsFiled && !own.has(security)) continue;
        price(current, security, changed);
        if (isAsFiled) own.delete(security);
      }
    },
    priceOf(quarters, row, log) {
      const { current } = quarters;
      if (!isQuoteIn(current, row)) return Number.NaN;
      const { security, manager } = current.columns();
      const one = security[row] as number;
      const known = of(one);
      if (!known?.isPriced) return priceElsewhere(quarters, one, manager[row] as number);
      return priceWithout(known.middle, log + shiftOf(current, row, shifts));
    },
  };
}

/** The quotes of a security: places in the columns, and decimal logarithms of cents per share as filed. */
export function quotesOf(quarter: FiledQuarter, security: number) {
  const rows = quarter.rowsOf(security).filter((row) => isQuoteIn(quarter, row));
  const logs = Float64Array.from(rows, (row) => Math.log10(quarter.centsOf(row) / quarter.amountOf(row)));
  return { rows, logs };
}

type ShiftedQuotes = ReturnType<typeof quotesOf> & { readonly shifts: Shifts };

function pricedBy(current: FiledQuarter, { rows, logs, shifts }: ShiftedQuotes): Priced {
  const corrected = logs.map((log, at) => log + shiftOf(current, rows[at] as number, shifts));
  const middle = middleOf(corrected);
  const isPriced = rows.length > MIN_PRICE_FILERS;
  if (!isPriced) return { isPriced, middle, slips: [] };
  const { manager, filing } = current.columns();
  const isFar = (log: number) => Math.abs(log - priceWithout(middle, log)) > OUTLIER_BAND;
  const far = rows.filter((_row, at) => isFar(corrected[at] as number));
  const slips = Array.from(far, (row) => ({ manager: manager[row] as number, place: filing[row] as number }));
  return { isPriced, middle, slips };
}

/** Whether a row counts for the scale of its date, against it, or is not compared. */
function nearness(distance: number): 'near' | 'far' | 'none' {
  if (Number.isNaN(distance)) return 'none';
  return Math.abs(distance) < AS_DATED_BAND ? 'near' : 'far';
}

function shiftOf(current: FiledQuarter, row: number, shifts: Shifts): number {
  const { manager, filing } = current.columns();
  return shifts.get(manager[row] as number)?.[filing[row] as number] ?? 0;
}

function isSameShift(a: readonly number[] = [], b: readonly number[] = []): boolean {
  return a.length === b.length && a.every((shift, place) => Object.is(shift, b[place]));
}

/**
 * Without enough other holders, the daily price at the quarter's end, else their price of the quarter before or after
 * decides the scale. A scale is
 * off by a thousand or right. No confirmed split can lie between: its voters hold the security at both
 * ends, so there is a price. A slip is judged by the price of the same day only.
 */
function priceElsewhere(quarters: FiledQuarters, security: number, manager: number): number {
  const { prior, next, market, names, quarterEnd } = quarters;
  const daily = market.priceOn(names.securities.textOf(security), quarterEnd);
  if (daily !== null) return Math.log10(daily * CENTS_PER_DOLLAR);
  const before = priceOfOthers(prior, security, manager);
  return Number.isNaN(before) ? priceOfOthers(next, security, manager) : before;
}

/** The price by all filers but one, because none confirms itself (rule 4.2); NaN where they are too few. */
export function priceOfOthers(quarter: FiledQuarter, security: number, manager = -1): number {
  const { manager: managers } = quarter.columns();
  const { rows, logs } = quotesOf(quarter, security);
  const own = rows.findIndex((row) => managers[row] === manager);
  return priceWithout(middleOf(logs), logs[own] ?? Number.NaN);
}

/** What the median of prices without any one of them follows from: how many they are, and the three in the middle. */
type Middle = Readonly<Record<'count' | 'below' | 'middle' | 'above', number>>;

/** @param logs of the prices; NaN for those that do not count */
export function middleOf(logs: Float64Array): Middle {
  const sorted = logs.filter((log) => !Number.isNaN(log)).sort();
  const middle = Math.floor((sorted.length - 1) / 2);
  const at = (place: number) => sorted[place] ?? Number.NaN;
  return { count: sorted.length, below: at(middle - 1), middle: at(middle), above: at(middle + 1) };
}

/** The median of the others' prices, or of all for a price that does not count itself (NaN); NaN of too few. */
export function priceWithout({ count, below, middle, above }: Middle, own: number): number {
  const isCounted = !Number.isNaN(own);
  const others = isCounted ? count - 1 : count;
  if (others < MIN_PRICE_FILERS) return Number.NaN;
  if (!isCounted) return count % 2 === 1 ? middle : (middle + above) / 2;
  // What is smaller than the price that is left out keeps its place.
  const upper = middle < own ? middle : above;
  return others % 2 === 1 ? upper : ((below < own ? below : middle) + upper) / 2;
}
