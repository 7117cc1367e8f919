import { compare } from '../compare.ts';
import type { Cik, Cusip } from '../ids.ts';
import { filersByName } from '../report/other-manager.ts';
import type { MovedPositions } from '../report/report.ts';
import type { FiledQuarter, FiledQuarters } from './filed-quarter.ts';

/** That the report of one manager holds the positions of the other. */
type Link = { readonly of: Cik; readonly by: Cik };

/** Two quarters, in the direction in which positions went from one report into another. */
type Move = { readonly from: FiledQuarter; readonly to: FiledQuarter };

/**
 * Securities that went from the report of one manager into that of another which reports for it now, as when a
 * parent takes in the report of a subsidiary, or came out of it (rule 4.11). By both managers. A manager that the cover of
 * a report named, or names now, is there without securities when its table has none that moved (rule 2.12).
 */
export function movedBetween({ prior, current, names }: FiledQuarters): Map<Cik, MovedPositions[]> {
  const cikOf = filersByName(prior.filers, current.filers);
  const linksOf = ({ reports }: FiledQuarter): Map<string, Link> => {
    const links = new Map<string, Link>();
    const note = (of: Cik | null, by: Cik | null): void => {
      if (of !== null && by !== null) links.set(`${of} ${by}`, { of, by });
    };
    for (const { cik, named } of reports.values()) {
      for (const other of named.includes) note(cikOf(other), cik);
      for (const other of named.reportedBy) note(cik, cikOf(other));
    }
    return links;
  };
  const [before, now] = [linksOf(prior), linksOf(current)];
  const found = new Map<Cik, MovedPositions[]>();
  const note = (cik: Cik, other: Cik, cusips: readonly Cusip[]): void => {
    const { name = '' } = (current.reports.get(other) ?? prior.reports.get(other))?.named ?? {};
    found.set(cik, [...(found.get(cik) ?? []), { cik: other, name, cusips }]);
  };
  const noteMoves = (move: Move, links: typeof now, earlier: typeof now): void => {
    for (const [key, { of, by }] of links) {
      const isNew = !earlier.has(key) || !move.to.reports.get(of)?.isComparable;
      if (of === by || !isNew || !move.from.reports.get(of)?.isComparable) continue;
      const moved = securitiesMoved(move, { of, by });
      const cusips = moved.map((security) => names.securities.textOf(security)).sort();
      if (moved.length > 0) note(by, of, cusips);
      if (moved.length > 0 || isKnown(move.to, { of, by })) note(of, by, cusips);
    }
  };
  noteMoves({ from: prior, to: current }, now, before);
  noteMoves({ from: current, to: prior }, before, now);
  for (const [cik, moved] of found)
    found.set(
      cik,
      // Two of one manager went both ways: their order must not depend on that of the reports.
      moved.sort((a, b) => compare(a.cik, b.cik) || compare(a.cusips.join(), b.cusips.join())),
    );
  return found;
}

/** Whether the one report names the other one as reporting for it, and that one's table is stored. */
function isKnown({ reports }: FiledQuarter, { of, by }: Link): boolean {
  const names = reports.get(of)?.named.reportedBy.length ?? 0;
  return names > 0 && reports.get(by)?.isComparable === true;
}

/**
 * Those of which the one report lists less than at the other end, and the other one, which lists them, more. Where
 * the one is no table any more, all that it had moved, whatever the other one traded beside.
 */
function securitiesMoved({ from, to }: Move, { of, by }: Link): number[] {
  const [gone, left] = [sharesOf(from, of), sharesOf(to, of)];
  const [had, has] = [sharesOf(from, by), sharesOf(to, by)];
  const isWhole = !to.reports.get(of)?.isComparable;
  return [...gone.keys()].filter((security) => {
    const [then, taken] = [had.get(security) ?? 0, has.get(security) ?? 0];
    const isTaken = isWhole ? taken > 0 && taken !== then : taken > then;
    return isTaken && (left.get(security) ?? 0) < (gone.get(security) ?? 0);
  });
}

/** Shares of each security, by its number. */
function sharesOf(quarter: FiledQuarter, cik: Cik): ReadonlyMap<number, number> {
  const { security } = quarter.columns();
  const { from, to } = quarter.rangeOf(quarter.reports.get(cik)?.manager ?? -1);
  const rows = Array.from({ length: to - from }, (_, at) => from + at);
  return new Map(rows.map((row) => [security[row] as number, quarter.amountOf(row)]));
}
