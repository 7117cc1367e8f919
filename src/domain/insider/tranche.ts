import Big from 'big.js';
import { groupBy } from '../group.ts';
import { plainDecimal } from './identity.ts';
import type { Trade } from './trade.ts';

type Rows = readonly Trade[];

/**
 * Which of the standing rows of a report each row of its amendment restates, all of one security, day
 * and code; the rest of the report stays (rule 6.5). Tranches have no identity of their own: as many
 * rows as stood, or other rows of the same total, restate them all. Fewer restate those that they are
 * known again by: what was owned after, the shares or the price, where one row alone has it. Rows of
 * another kind of ownership stay. Empty where none is known again, or where the amendment only goes on
 * from what was owned last: a tranche that was left out.
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
  if (own.length < scope.length && !isSameTotal(own, scope)) return knownAgain(own, scope);
  const moved = standing.filter((other) => !scope.includes(other) && isMoved(other, rows, scope));
  return new Map(rows.map((row) => [row, [...scope, ...moved]]));
}

/** Of one day and code, a row is known again by what was owned after it, or by its shares and price. */
export function isSameRow(own: Trade, other: Trade): boolean {
  return isSame(own, other, 'sharesOwnedAfter') || (isSameShares(own, other) && isSamePrice(own, other));
}

/** Fewer rows than stood, each for the one row that it is known again by. */
function knownAgain(rows: Rows, scope: Rows): ReadonlyMap<Trade, Rows> {
  const found = rows.map((row): readonly [Trade, Rows] => [row, likest(row, scope)]);
  return new Map(found.filter(([, others]) => others.length === 1));
}

/** Shares or a price alone are also those of a tranche that follows the one that has them. */
function likest(row: Trade, scope: Rows): Rows {
  const bySame = [
    (other: Trade) => isSame(row, other, 'sharesOwnedAfter'),
    (other: Trade) => isSameRow(row, other),
    (other: Trade) => isSame(row, other, 'shares'),
    (other: Trade) => isSame(row, other, 'pricePerShare'),
  ];
  const sure = scope.some((other) => isSameRow(row, other));
  const candidates = sure ? scope : scope.filter((other) => !goesOn(row, other));
  const isKnown = bySame.some((test) => candidates.some(test));
  return isKnown ? bySame.reduce(narrowed, candidates) : [];
}

/** The subset that passes, or everything when nothing does. */
function narrowed(rows: Rows, test: (other: Trade) => boolean): Rows {
  const passing = rows.filter(test);
  return passing.length > 0 ? passing : rows;
}

/** A row that the amendment shows under another kind of ownership. */
function isMoved(other: Trade, rows: Rows, scope: Rows): boolean {
  return rows.some((row) => isSameRow(row, other) && !scope.some((own) => isSameRow(row, own)));
}

/** The rows but those of tranches that were left out: not known again, they go on from the last one owned. */
function withoutAdded(rows: Rows, standing: Rows): Rows {
  const added: Trade[] = [];
  for (const row of rows) {
    const others = [...ofSameOwnership(row, standing), ...added];
    const isLast = (last: Trade): boolean => !others.some((other) => goesOn(other, last));
    if (others.some((other) => isSameRow(row, other))) continue;
    if (others.some((last) => goesOn(row, last) && isLast(last))) added.push(row);
  }
  return rows.filter((row) => !added.includes(row));
}

/** What was owned after the one is what was owned after the other, and the shares of the one. */
function goesOn({ row }: Trade, last: Trade): boolean {
  const [before, shares, after] = [last.row.sharesOwnedAfter, row.shares, row.sharesOwnedAfter].map(toBig);
  if (!before || !shares || !after) return false;
  return after.eq(row.acquiredDisposed === 'D' ? before.minus(shares) : before.plus(shares));
}

/** Those owned in the same way, failing that as directly, failing that all: the way may be what was wrong. */
function ofSameOwnership({ row }: Trade, standing: Rows): Rows {
  const alike = standing.filter((other) => other.row.ownership === row.ownership);
  const same = alike.filter((other) => natureOf(other) === natureOf({ row }));
  return [same, alike, standing].find(({ length }) => length > 0) ?? [];
}

function idsOf(rows: Rows): string {
  return rows.map(({ id }) => id).join();
}

function natureOf({ row }: Pick<Trade, 'row'>): string {
  return (row.natureOfOwnership ?? '').toLowerCase().replace(/[^a-z0-9]/g, '');
}

function isSameTotal(rows: Rows, others: Rows): boolean {
  const total = totalOf(rows);
  return total.gt(0) && total.eq(totalOf(others));
}

function totalOf(rows: Rows): Big {
  return rows.reduce((sum, { row }) => sum.plus(toBig(row.shares) ?? 0), new Big(0));
}

type Amount = 'shares' | 'pricePerShare' | 'sharesOwnedAfter';

/** Nothing and zero are no amounts that two rows could share. */
function isSame(own: Trade, other: Trade, amount: Amount): boolean {
  const [a, b] = [plainDecimal(own.row[amount]), plainDecimal(other.row[amount])];
  return /[1-9]/.test(a) && a === b;
}

function isSameShares(own: Trade, other: Trade): boolean {
  return plainDecimal(own.row.shares) === plainDecimal(other.row.shares);
}

function isSamePrice(own: Trade, other: Trade): boolean {
  return plainDecimal(own.row.pricePerShare) === plainDecimal(other.row.pricePerShare);
}

function toBig(decimal: string | null): Big | null {
  return decimal !== null && /^\d+(\.\d+)?$/.test(decimal) ? new Big(decimal) : null;
}
