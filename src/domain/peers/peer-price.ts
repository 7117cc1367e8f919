import { MIN_PRICE_FILERS } from '../report/thresholds.ts';
import { type Changed, securitiesIn } from './changed.ts';
import { QUOTE } from './filed-position.ts';
import type { FiledQuarter, FiledQuarters } from './filed-quarter.ts';
import { middleOf, middles, priceWithout } from './middle.ts';
import { type Quotes, quotesOf } from './price.ts';
import { AS_DATED_BAND, OUTLIER_BAND } from './thresholds.ts';

/** A filing of the quarter: its place in the report of the manager with this number. */
export type FilingPlace = { readonly manager: number; readonly place: number };

/**
 * Decimal orders by which the scales of a report's filings are corrected, by their places; NaN leaves the
 * quotes of the filing out. Of the few managers that have another than 0.
 */
export type Shifts = ReadonlyMap<number, readonly number[]>;

const CENTS_PER_DOLLAR = 100;

const NO_SHIFTS: Shifts = new Map();

export type PeerPrices = ReturnType<typeof peerPrices>;

/** What corrected prices take over from those without corrections. */
type AsFiled = {
  readonly middleOf: (security: number) => Float64Array;
  readonly isPriced: (security: number) => boolean;
  readonly slips: () => ReadonlyMap<number, readonly FilingPlace[]>;
  readonly moved: () => ReadonlySet<number>;
};

/**
 * The price that the other filers of the quarter give each row, as a decimal logarithm, in scales that are
 * corrected by shifts. Only what changed is priced again.
 * @param asFiled the prices without shifts, updated before these
 */
export function peerPrices(asFiled: AsFiled | null = null) {
  const middle = middles();
  /** Securities that enough filers price in the quarter itself. */
  const priced = new Set<number>();
  const slips = new Map<number, readonly FilingPlace[]>();
  const moved = new Set<number>();
  let shifts = NO_SHIFTS;
  let shifted: ReadonlySet<number> = new Set();
  /** Securities whose rows changed in the quarter before or after. */
  let beside: ReadonlySet<number> = new Set();

  const price = (current: FiledQuarter, security: number, isWhole: boolean): void => {
    const filed = quotesOf(current, security);
    const correctedLogs = shifted.has(security) ? shiftedLogs(current, filed, shifts) : filed.logs;
    const quotes = { ...filed, correctedLogs };
    const [before, now] = [middle.of(security), middleOf(correctedLogs)];
    const wasPriced = priced.has(security);
    const isPriced = filed.rows.length > MIN_PRICE_FILERS;
    middle.put(security, now);
    notePriced(security, isPriced);
    noteSlips(security, isPriced ? filingsOf(current, slipsIn(quotes, now)) : []);
    // The first time `moved` has every manager already.
    if (isWhole) return;
    const { manager } = current.columns();
    const isElsewhere = isComparedElsewhere(security, wasPriced);
    if (!isElsewhere && !isPriced) return;
    const movedRows = isElsewhere ? filed.rows : movedIn(quotes, before, now);
    for (const row of movedRows) moved.add(manager[row] as number);
  };
  /** Whether all rows may be compared with another price: where there is none here, a quarter beside gives it. */
  const isComparedElsewhere = (security: number, wasPriced: boolean): boolean =>
    wasPriced !== priced.has(security) || (!wasPriced && beside.has(security));
  const notePriced = (security: number, isPriced: boolean): void => {
    if (isPriced) priced.add(security);
    else priced.delete(security);
  };
  const noteSlips = (security: number, far: readonly FilingPlace[]): void => {
    if (far.length > 0) slips.set(security, far);
    else slips.delete(security);
  };
  const copy = (security: number, from: AsFiled): void => {
    middle.put(security, from.middleOf(security));
    notePriced(security, from.isPriced(security));
    noteSlips(security, from.slips().get(security) ?? []);
  };
  return {
    middleOf: middle.of,
    isPriced: (security: number): boolean => priced.has(security),
    /** Filings of the rows whose price is far from the others', by security; several times for several rows. */
    slips: (): ReadonlyMap<number, readonly FilingPlace[]> => slips,
    /** Managers with rows that may be near to their price, or far from it, unlike before the update. */
    moved: (): ReadonlySet<number> => moved,
    /** Prices the changed securities, and those in filings whose shift changed. */
    update({ current, names }: FiledQuarters, changed: Changed, newShifts = NO_SHIFTS): void {
      middle.reserve(names.securities.size());
      const managers = [...new Set([...shifts.keys(), ...newShifts.keys()])].filter(
        (manager) => !isSameShift(shifts.get(manager), newShifts.get(manager)),
      );
      moved.clear();
      for (const one of [...changed.managers, ...managers, ...(asFiled?.moved() ?? [])]) moved.add(one);
      const wasShifted = shifted;
      shifts = newShifts;
      beside = new Set(changed.beside);
      shifted = new Set(securitiesIn(current, newShifts.keys()));
      const elsewhere = changed.beside.filter((security) => !priced.has(security));
      const others = securitiesIn(current, managers);
      for (const security of new Set([...changed.current, ...elsewhere, ...others])) {
        const isAsFiled = !wasShifted.has(security) && !shifted.has(security);
        if (asFiled !== null && isAsFiled) copy(security, asFiled);
        else price(current, security, changed.isWhole);
      }
    },
    /** @param log of the row's own price as filed. NaN without a price of others */
    priceOf(quarters: FiledQuarters, row: number, log: number): number {
      const { flags, security, manager } = quarters.current.columns();
      if (((flags[row] as number) & QUOTE) === 0) return Number.NaN;
      const one = security[row] as number;
      if (!priced.has(one)) return priceElsewhere(quarters, one, manager[row] as number);
      return middle.priceWithout(one, shifted.has(one) ? log + shiftOf(quarters.current, row, shifts) : log);
    },
  };
}

/** The quotes of a security, with their logarithms in corrected scales. */
type CorrectedQuotes = Quotes & { readonly correctedLogs: Float64Array };

/** The rows whose price is far from the others'. */
function slipsIn({ rows, correctedLogs }: CorrectedQuotes, middle: Float64Array): Int32Array {
  const isFar = (log: number) => Math.abs(log - priceWithout(middle, log)) > OUTLIER_BAND;
  return rows.filter((_row, at) => isFar(correctedLogs[at] as number));
}

/** The rows whose price as filed changed sides: near to the others', far from it, or not compared. */
function movedIn(
  { rows, logs, correctedLogs }: CorrectedQuotes,
  before: Float64Array,
  now: Float64Array,
): Int32Array {
  return rows.filter((_row, at) => {
    const [log, own] = [logs[at] as number, correctedLogs[at] as number];
    return nearness(log - priceWithout(now, own)) !== nearness(log - priceWithout(before, own));
  });
}

function filingsOf(current: FiledQuarter, rows: Int32Array): FilingPlace[] {
  const { manager, filing } = current.columns();
  return Array.from(rows, (row) => ({ manager: manager[row] as number, place: filing[row] as number }));
}

/** Whether a row counts for the scale of its date, against it, or is not compared. */
function nearness(distance: number): 'near' | 'far' | 'none' {
  if (Number.isNaN(distance)) return 'none';
  return Math.abs(distance) < AS_DATED_BAND ? 'near' : 'far';
}

function shiftedLogs(current: FiledQuarter, { rows, logs }: Quotes, shifts: Shifts): Float64Array {
  return logs.map((log, at) => log + shiftOf(current, rows[at] as number, shifts));
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
