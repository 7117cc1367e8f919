import type { Cik } from '../ids.ts';
import { type FiledQuarter, type FiledQuarters, isSoundIn, ownPriceIn } from './filed-quarter.ts';

/** A manager that reported both quarters and holds the security at one of their ends. */
export type Holder = {
  readonly cik: Cik;
  readonly shares: number;
  /** Cents a share as filed. Null without a value. */
  readonly price: number | null;
};

/** Holders of both quarters: their shares at the two ends, and cents a share; 0 where that is no price. */
export type HoldersThroughout = Readonly<
  Record<'prior' | 'amount' | 'priceBefore' | 'priceAfter', Float64Array>
>;

/** The holders of a security among the managers whose reports of both quarters can be compared. */
export type HolderMoves = ReturnType<ReturnType<typeof holderMoves>['movesOf']>;

/** Joins the holders of a security at the two ends. */
export function holderMoves({ prior, current, names }: FiledQuarters) {
  const { managers } = names;
  const isCompared = new Uint8Array(managers.size());
  for (const { cik, manager, isComparable } of current.reports.values())
    isCompared[manager] = Number(isComparable && prior.reports.get(cik)?.isComparable === true);
  const rowsOf = (quarter: FiledQuarter, security: number): Int32Array => {
    const { manager } = quarter.columns();
    return quarter.rowsOf(security).filter((row) => isCompared[manager[row] as number] === 1);
  };
  /** Holders at one end. They are made only for the few securities that need them. */
  const holdersIn = (quarter: FiledQuarter, rows: readonly number[]) => ({
    length: rows.length,
    holders: (): Holder[] =>
      rows.map((row) => {
        const [cents, shares] = [quarter.centsOf(row), quarter.amountOf(row)];
        const cik = managers.textOf(quarter.columns().manager[row] as number);
        return { cik, shares, price: cents > 0 ? cents / shares : null };
      }),
  });
  return {
    /** How many are compared. */
    managers: isCompared.reduce((sum, one) => sum + one, 0),
    /** 1 for each of them, by their numbers. */
    isCompared,
    movesOf: (security: number) => {
      const [then, now] = [prior.columns(), current.columns()];
      const sound = rowsOf(prior, security).filter((row) => isSoundIn(prior, row));
      const held = new Map(Array.from(sound, (row) => [then.manager[row] as number, row]));
      const [before, after, entered]: [number[], number[], number[]] = [[], [], []];
      for (const row of rowsOf(current, security)) {
        const manager = now.manager[row] as number;
        const was = held.get(manager);
        // A position in doubt is still held: its holder did not leave.
        held.delete(manager);
        if (!isSoundIn(current, row)) continue;
        if (was === undefined) entered.push(row);
        else {
          before.push(was);
          after.push(row);
        }
      }
      const throughout: HoldersThroughout = {
        prior: Float64Array.from(before, prior.amountOf),
        amount: Float64Array.from(after, current.amountOf),
        priceBefore: Float64Array.from(before, (row) => ownPriceIn(prior, row)),
        priceAfter: Float64Array.from(after, (row) => ownPriceIn(current, row)),
      };
      return {
        throughout,
        left: holdersIn(prior, [...held.values()]),
        entered: holdersIn(current, entered),
      };
    },
  };
}
