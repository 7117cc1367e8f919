import { countBy, groupBy } from '../group.ts';
import type { Cik, Cusip } from '../ids.ts';
import { ONE_FOR_ONE } from '../report/report.ts';
import { compareNames } from '../security/issuer-name.ts';
import type { Changed } from './changed.ts';
import { changesOf, type Link } from './cusip-change.ts';
import { isSoundIn } from './filed-position.ts';
import { comparableManagers, type FiledQuarter, type FiledQuarters } from './filed-quarter.ts';
import { CARRIED_VALUE_RATIO, MANY_PAIRS, MIN_EQUAL_SHARES } from './thresholds.ts';
import type { CusipChange, MassEntry } from './verdict.ts';

/** One end of a holder's position. */
type End = {
  readonly security: number;
  readonly cusip: Cusip;
  readonly issuer: string;
  readonly shares: number;
  readonly cents: number;
};

/** One holder's exit and start of equal counts. */
type Twin = { readonly exit: End; readonly start: End };

/**
 * Companies that went on under another CUSIP, as equal counts of one holder's exit and start show (rule
 * 4.8). Another start of the same count was given with it, as a spun-off company is. Remembers the few equal
 * counts of each holder, and compares again only the reports that changed.
 */
export function continuedCompanies() {
  const known = new Map<Cik, readonly Twin[]>();
  /** @param isKept whether somebody holds the security at both ends: then it is no such company */
  return (quarters: FiledQuarters, { managers }: Changed, isKept: (security: number) => boolean) => {
    const reported = new Set(comparableManagers(quarters.prior));
    const both = new Set(comparableManagers(quarters.current).filter((cik) => reported.has(cik)));
    for (const manager of managers) {
      const cik = quarters.names.managers.textOf(manager);
      const twins = both.has(cik) ? twinsOf(quarters, manager) : [];
      if (twins.length > 0) known.set(cik, twins);
      else known.delete(cik);
    }
    const twins = [...known.values()]
      .flat()
      .filter(({ exit, start }) => !isKept(exit.security) && !isKept(start.security));
    return continuedBy(twins);
  };
}

function continuedBy(twins: readonly Twin[]): (CusipChange | MassEntry)[] {
  const pairs = groupBy(twins.filter(isOneValue), ({ exit, start }) => `${exit.cusip} ${start.cusip}`);
  const changes = changesOf([...pairs.values()].map(linkOf));
  return [...changes, ...givenBeside(changes, twins)];
}

function twinsOf({ prior, current, names }: FiledQuarters, manager: number): Twin[] {
  const exits = rowsOnlyIn(prior, current, manager);
  const starts = rowsOnlyIn(current, prior, manager);
  if (exits.length * starts.length > MANY_PAIRS) return [];
  const endsOf = (quarter: FiledQuarter, rows: readonly number[]): End[] => {
    const columns = quarter.columns();
    const { security, issuer } = columns;
    return rows
      .filter((row) => isSoundIn(columns, row))
      .map((row) => ({
        security: security[row] as number,
        cusip: names.securities.textOf(security[row] as number),
        issuer: names.issuers.textOf(issuer[row] as number),
        shares: quarter.amountOf(row),
        cents: quarter.centsOf(row),
      }))
      .filter(({ shares }) => shares >= MIN_EQUAL_SHARES);
  };
  const byCount = groupBy(endsOf(current, starts), ({ shares }) => shares);
  return endsOf(prior, exits).flatMap((exit) =>
    (byCount.get(exit.shares) ?? []).map((start) => ({ exit, start })),
  );
}

/** Rows of the manager whose security its report of the other quarter does not have. */
function rowsOnlyIn(quarter: FiledQuarter, other: FiledQuarter, manager: number): number[] {
  const there = new Set(rowsOf(other, manager).map((row) => other.columns().security[row]));
  return rowsOf(quarter, manager).filter((row) => !there.has(quarter.columns().security[row]));
}

function rowsOf(quarter: FiledQuarter, manager: number): number[] {
  const { from, to } = quarter.rangeOf(manager);
  return Array.from({ length: to - from }, (_, at) => from + at);
}

function isOneValue({ exit: { cents: before }, start: { cents: after } }: Twin): boolean {
  return before > 0 && after <= before * CARRIED_VALUE_RATIO && before <= after * CARRIED_VALUE_RATIO;
}

function linkOf(twins: readonly Twin[]): Link {
  const [{ exit, start }] = twins as readonly [Twin, ...Twin[]];
  const votes = twins.length;
  const ends = { cusip: start.cusip, from: exit.cusip, factor: ONE_FOR_ONE };
  return {
    change: { kind: 'cusip_change', ...ends, votes, compared: votes },
    isNamed: twins.some((twin) => compareNames(twin.exit.issuer, twin.start.issuer) === 'same'),
    distance: Math.min(...twins.map((twin) => Math.abs(Math.log(twin.start.cents / twin.exit.cents)))),
  };
}

function givenBeside(changes: readonly CusipChange[], twins: readonly Twin[]): MassEntry[] {
  const linked = new Set(changes.map(({ cusip }) => cusip));
  const left = new Set(changes.map(({ from }) => from));
  const beside = twins.filter(({ exit, start }) => left.has(exit.cusip) && !linked.has(start.cusip));
  return [...countBy(beside, ({ start }) => start.cusip)].map(([cusip, votes]) => ({
    ...{ kind: 'mass_entry', cusip, votes, compared: votes },
  }));
}
