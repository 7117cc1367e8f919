import type { Names } from '../columns/room.ts';
import type { Cik } from '../ids.ts';
import { comparableManagers, type FiledQuarter, type FiledQuarters } from './filed-quarter.ts';
import { isSoundIn, QUOTE } from './price.ts';

/** A manager that reported both quarters and holds the security at one of their ends. */
export type Holder = {
  readonly cik: Cik;
  readonly issuer: string;
  readonly shares: number;
  /** Cents a share as filed. Null without a value. */
  readonly price: number | null;
};

/** Holders of both quarters: their shares at the two ends, and cents a share as filed; 0 where that is no price. */
export type HoldersThroughout = Readonly<
  Record<'prior' | 'amount' | 'priceBefore' | 'priceAfter', Float64Array>
>;

/** The holders of a security among the managers whose reports of both quarters can be compared. */
export type HolderMoves = ReturnType<ReturnType<typeof holderMoves>['movesOf']>;

/** Joins the holders of a security at the two ends. */
export function holderMoves(quarters: FiledQuarters) {
  const { prior, current, names } = quarters;
  const before = new Set(comparableManagers(prior));
  const bothReported = comparableManagers(current).filter((cik) => before.has(cik));
  const isCompared = new Uint8Array(names.managers.size());
  for (const cik of bothReported) isCompared[names.managers.numberOf(cik)] = 1;
  /** The earlier row of each manager, plus one; all zero between two securities. */
  const held = new Int32Array(names.managers.size());
  const rowsOf = (quarter: FiledQuarter, security: number): Int32Array => {
    const { manager } = quarter.columns();
    return quarter.rowsOf(security).filter((row) => isCompared[manager[row] as number] === 1);
  };
  return {
    /** How many are compared. */
    managers: bothReported.length,
    /** 1 for each of them, by their numbers. */
    isCompared,
    movesOf: (security: number) => {
      const earlier = rowsOf(prior, security);
      noteHeld(prior, earlier, held);
      const { throughout, entered } = joined(quarters, rowsOf(current, security), held);
      const left = takeLeft(prior, earlier, held);
      return {
        throughout,
        left: holdersOnce(prior, left, names),
        entered: holdersOnce(current, entered, names),
      };
    },
  };
}

function noteHeld(prior: FiledQuarter, earlier: Int32Array, held: Int32Array): void {
  const then = prior.columns();
  for (const row of earlier) if (isSoundIn(then, row)) held[then.manager[row] as number] = row + 1;
}

/** Takes from `held` what is held now too. A position in doubt is still held: its holder did not leave. */
function joined({ prior, current }: FiledQuarters, later: Int32Array, held: Int32Array) {
  const now = current.columns();
  const [before, after, entered]: [number[], number[], number[]] = [[], [], []];
  for (const row of later) {
    const manager = now.manager[row] as number;
    const was = (held[manager] as number) - 1;
    held[manager] = 0;
    if (!isSoundIn(now, row)) continue;
    if (was < 0) {
      entered.push(row);
      continue;
    }
    before.push(was);
    after.push(row);
  }
  const throughout: HoldersThroughout = {
    prior: Float64Array.from(before, prior.amountOf),
    amount: Float64Array.from(after, current.amountOf),
    priceBefore: Float64Array.from(before, (row) => priceIn(prior, row)),
    priceAfter: Float64Array.from(after, (row) => priceIn(current, row)),
  };
  return { throughout, entered };
}

function priceIn(quarter: FiledQuarter, row: number): number {
  const isQuote = ((quarter.columns().flags[row] as number) & QUOTE) !== 0;
  return isQuote ? quarter.centsOf(row) / quarter.amountOf(row) : 0;
}

function takeLeft(prior: FiledQuarter, earlier: Int32Array, held: Int32Array): number[] {
  const { manager } = prior.columns();
  const left: number[] = [];
  for (const row of earlier) {
    if (held[manager[row] as number] === 0) continue;
    held[manager[row] as number] = 0;
    left.push(row);
  }
  return left;
}

/** Holders at one end. Their moves are made only for the few securities that need them. */
function holdersOnce(quarter: FiledQuarter, rows: readonly number[], names: Names) {
  const { manager, issuer } = quarter.columns();
  return {
    length: rows.length,
    managers: (): Int32Array => new Int32Array(rows.map((row) => manager[row] as number)),
    holders: (): Holder[] =>
      rows.map((row) => {
        const [cents, shares] = [quarter.centsOf(row), quarter.amountOf(row)];
        return {
          cik: names.managers.textOf(manager[row] as number),
          issuer: names.issuers.textOf(issuer[row] as number),
          shares,
          price: cents > 0 ? cents / shares : null,
        };
      }),
  };
}
