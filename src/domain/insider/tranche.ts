import Big from 'big.js';
import { groupBy } from '../group.ts';
import { isRounded, isSameAmount, isSpelled } from './identity.ts';
import { natureOf } from './kind.ts';
import type { Trade } from './trade.ts';

type Rows = readonly Trade[];

/** Of the shares of a row and of those owned after it: half of the last of two decimals each. */
const ROUNDED_OFF = 0.01;

/**
 * Which of the standing rows of a report each row of its amendment restates, all of one security, day and
 * code (rule 6.5). Tranches have no identity of their own. Empty if none matches.
 */
export function restatedRows(rows: Rows, standing: Rows): ReadonlyMap<Trade, Rows> {
  const own = withoutAdded(rows, standing);
  if (own.length === 0) return new Map();
  if (isSameTotal(own, standing)) return new Map(rows.map((row) => [row, standing]));
  const groups = groupBy(rows, (row) => idsOf(ofSameOwnership(row, standing)));
  return new Map([...groups.values()].flatMap((group) => [...restatedAlike(group, standing)]));
}

/** The same for rows of one kind of ownership. */
function restatedAlike(rows: Rows, standing: Rows): ReadonlyMap<Trade, Rows> {
  const scope = rows[0] === undefined ? [] : ofSameOwnership(rows[0], standing);
  const own = withoutAdded(rows, scope);
  if (own.length === 0) return new Map();
  if (own.length < scope.length && !isSameTotal(own, scope)) return matched(own, scope);
  const moved = standing.filter((other) => !scope.includes(other) && isMoved(other, rows, scope));
  return new Map(rows.map((row) => [row, [...scope, ...moved]]));
}

/** Rows of one day and code match by the shares owned after, or by shares and price. */
function isSameRow(own: Trade, other: Trade): boolean {
  return (
    isSameAmount(own, other, 'sharesOwnedAfter') ||
    (isSpelled(own, other, 'shares') && isSpelled(own, other, 'pricePerShare'))
  );
}

/** Fewer rows than stood, each with the one row that it matches. */
function matched(rows: Rows, scope: Rows): ReadonlyMap<Trade, Rows> {
  const found = rows.map((row): readonly [Trade, Rows] => [row, likest(row, scope)]);
  return new Map(found.filter(([, others]) => others.length === 1));
}

/** A tranche that continues from the row may have the same shares or price; it is no candidate then. */
function likest(row: Trade, scope: Rows): Rows {
  const bySame = [
    (other: Trade) => isSameAmount(row, other, 'sharesOwnedAfter'),
    (other: Trade) => isSameRow(row, other),
    (other: Trade) => isSameAmount(row, other, 'shares'),
    (other: Trade) => isSameAmount(row, other, 'pricePerShare'),
  ];
  const sure = scope.some((other) => isSameRow(row, other));
  const candidates = sure ? scope : scope.filter((other) => !continues(row, other));
  const isKnown = bySame.some((test) => candidates.some(test));
  return isKnown ? bySame.reduce<Rows>(narrowed, candidates) : [];
}

/** The ones that pass, or all if none does. */
export function narrowed<T>(all: readonly T[], test: (one: T) => boolean): readonly T[] {
  const passing = all.filter(test);
  return passing.length > 0 ? passing : all;
}

/** Whether the amendment shows the row under another kind of ownership. */
function isMoved(other: Trade, rows: Rows, scope: Rows): boolean {
  return rows.some((row) => isSameRow(row, other) && !scope.some((own) => isSameRow(row, own)));
}

/** The rows without tranches that were left out: those match none and continue from the shares owned last. */
function withoutAdded(rows: Rows, standing: Rows): Rows {
  const added: Trade[] = [];
  for (const row of rows) {
    const others = [...ofSameOwnership(row, standing), ...added];
    const isLast = (last: Trade): boolean => !others.some((other) => continues(other, last));
    if (others.some((other) => isSameRow(row, other))) continue;
    if (others.some((last) => continues(row, last) && isLast(last))) added.push(row);
  }
  return rows.filter((row) => !added.includes(row));
}

/** Whether the shares owned after the row are those owned after the last one, plus or minus its own. */
function continues(own: Trade, last: Trade): boolean {
  const { row } = own;
  const [before, shares, after] = [last.row.sharesOwnedAfter, row.shares, row.sharesOwnedAfter].map(toBig);
  if (!before || !shares || !after) return false;
  const continued = row.acquiredDisposed === 'D' ? before.minus(shares) : before.plus(shares);
  return isEqual(after, continued, [own, last]);
}

/** Rows of the same nature of ownership, else of the same kind, else all: the ownership may be the mistake. */
function ofSameOwnership({ row }: Trade, standing: Rows): Rows {
  const alike = standing.filter((other) => other.row.ownership === row.ownership);
  const same = alike.filter((other) => natureOf(other.row) === natureOf(row));
  return [same, alike, standing].find(({ length }) => length > 0) ?? [];
}

function idsOf(rows: Rows): string {
  return rows.map(({ id }) => id).join();
}

function isSameTotal(rows: Rows, others: Rows): boolean {
  const total = totalOf(rows);
  return total.gt(0) && isEqual(total, totalOf(others), [...rows, ...others]);
}

/** Whether two sums agree, but for what a data set rounded off the amounts of these rows. */
function isEqual(a: Big, b: Big, rows: Rows): boolean {
  return a
    .minus(b)
    .abs()
    .lte(rows.filter(isRounded).length * ROUNDED_OFF);
}

/** Of the shares of the rows. */
export function totalOf(rows: Rows): Big {
  return rows.reduce((sum, { row }) => sum.plus(toBig(row.shares) ?? 0), new Big(0));
}

function toBig(decimal: string | null): Big | null {
  return decimal !== null && /^\d+(\.\d+)?$/.test(decimal) ? new Big(decimal) : null;
}
