import { compare } from '../compare.ts';
import type { Ownership, OwnershipRow } from '../filing/filing.ts';
import { groupBy } from '../group.ts';
import type { Accession } from '../ids.ts';
import {
  type AmountText,
  amountAmong,
  fingerprint,
  groupsAlike,
  isSameAmount,
  isSameTrade,
  isSpelled,
  sharesReportingOwner,
} from './identity.ts';
import { KIND_REASONS, showsExercise } from './kind.ts';
import { isOpenMarketCode, securityKey, type Trade } from './trade.ts';
import { narrowed, restatedRows, totalOf } from './tranche.ts';

const AMOUNTS = ['shares', 'pricePerShare', 'sharesOwnedAfter'] as const;

/**
 * Filing order: by day, within it the originals first, then time of acceptance, then accession. Arrival
 * order never matters. Forms of a data set have no time of acceptance, and an amendment among them still
 * comes after the original of its day.
 */
export function compareFilings(a: Ownership, b: Ownership): number {
  return compare(orderKey(a), orderKey(b));
}

function orderKey({ header, isAmendment }: Ownership): string {
  return `${header.filedDate}|${Number(isAmendment)}|${header.acceptedAt ?? ''}|${header.accession}`;
}

/**
 * Marks the rows that a 4/A replaces, and those of which that is not certain (rule 6.5).
 * {@link reportsMeant} decides which of several filings it means, with that filing's earlier amendments;
 * {@link restatedRows} decides which of its tranches. Filings that repeat the same trade are restated with it.
 */
export function reconcileAmendments(trades: readonly Trade[]): Trade[] {
  const superseded = new Map<string, Accession>();
  const amends = new Map<string, Accession>();
  const exercised = new Set<string>();
  for (const group of groupBy(trades, restatementKey).values()) {
    for (const { row, targets } of restatementsIn(group)) {
      // Trades are in filing order, so the newest amendment is the last to write.
      for (const target of [...targets, ...repeatedBy(targets, row, group)])
        superseded.set(target.id, row.filing.header.accession);
      const first = targets.map((target) => target.filing).sort(compareFilings)[0];
      if (first !== undefined) amends.set(row.id, first.header.accession);
      if (keepsExercise(row, targets, exercised)) exercised.add(row.id);
    }
  }
  const unmatched = trades.filter(({ id, filing }) => filing.isAmendment && !amends.has(id));
  const standing = trades.filter(({ id }) => !superseded.has(id));
  const doubted = new Set([...unmatched, ...recodedBy(unmatched, standing)].map(({ id }) => id));
  return trades.map((filed) => {
    const trade = exercised.has(filed.id) ? asExercised(filed) : filed;
    const supersededBy = superseded.get(trade.id) ?? null;
    const reasons = [...trade.reasons];
    if (supersededBy !== null) reasons.push('superseded_by_amendment');
    if (doubted.has(trade.id)) reasons.push('unreconciled_amendment');
    return { ...trade, amends: amends.get(trade.id) ?? null, supersededBy, reasons };
  });
}

/** An amendment may repeat the sale alone: the exercise that covers it stands in the original (rule 6.11). */
function keepsExercise(
  { filing, row, kind }: Trade,
  restated: readonly Trade[],
  kept: ReadonlySet<string>,
): boolean {
  return (
    kind === 'discretionary' &&
    !showsExercise(filing, row) &&
    restated.every((other) => other.kind === 'exercise_and_sell' || kept.has(other.id)) &&
    totalOf(restated).gte(row.shares ?? 0)
  );
}

function asExercised(trade: Trade): Trade {
  const reasons = [...trade.reasons, ...KIND_REASONS.exercise_and_sell];
  return { ...trade, kind: 'exercise_and_sell', reasons };
}

/**
 * Rows of earlier filings that an amendment may correct to another code: in the same direction, or
 * between two open-market codes. An option exercised and sold has a row of its own for each.
 */
function recodedBy(unmatched: readonly Trade[], standing: readonly Trade[]): Trade[] {
  const [amendments, others] = [new Set(unmatched), new Set(standing)];
  const compared = [...new Set([...unmatched, ...standing])];
  return groupsAlike(compared, recodingKey).flatMap((group) =>
    group
      .filter((amendment) => amendments.has(amendment))
      .flatMap((amendment) =>
        group.filter(
          (other) =>
            others.has(other) &&
            other.row.code !== amendment.row.code &&
            mayBeRecoded(other.row, amendment.row) &&
            compareFilings(other.filing, amendment.filing) < 0 &&
            sharesReportingOwner(other, amendment),
        ),
      ),
  );
}

function recodingKey({ row }: Trade, amountOf: AmountText): string {
  return [securityKey(row.securityTitle), row.transactionDate, amountOf(row.shares)].join('|');
}

function mayBeRecoded(row: OwnershipRow, amended: OwnershipRow): boolean {
  const isOpenMarket = [row, amended].every(({ code }) => isOpenMarketCode(code));
  return isOpenMarket || row.acquiredDisposed === amended.acquiredDisposed;
}

/** The amendment rows among the trades of one key, in filing order, each with all that it restates. */
function restatementsIn(group: readonly Trade[]) {
  const reports: MutableReport[] = [];
  const before = new Map<Trade, readonly Trade[]>();
  for (const rows of groupBy(group, ({ filing }) => filing.header.accession).values()) {
    const report = rows[0]?.filing.isAmendment ? reportRestatedBy(rows, reports, group) : null;
    if (report === null) {
      reports.push({ trades: [...rows], standing: rows });
      continue;
    }
    const restated = restatedRows(rows, report.standing);
    const replaced = new Set([...restated.values()].flat());
    for (const [row, others] of restated)
      before.set(
        row,
        others.flatMap((other) => [other, ...(before.get(other) ?? [])]),
      );
    report.trades.push(...rows);
    report.standing = [...report.standing.filter((trade) => !replaced.has(trade)), ...rows];
  }
  return [...before].map(([row, targets]) => ({ row, targets }));
}

type MutableReport = { readonly trades: Trade[]; standing: readonly Trade[] };

/** The report that an amendment restates; null when there is none, or several that it could mean. */
function reportRestatedBy<R extends Report>(
  rows: readonly Trade[],
  reports: readonly R[],
  group: readonly Trade[],
): R | null {
  const [row] = rows;
  if (row === undefined) return null;
  const earlier = reports.filter(({ trades }) => trades.some((other) => sharesReportingOwner(other, row)));
  const [first, ...others] = reportsMeant(rows, earlier);
  if (first === undefined) return null;
  const repeated = repeatedBy(first.trades, row, group);
  return others.flatMap(({ trades }) => trades).every((other) => repeated.includes(other)) ? first : null;
}

/** An earlier filing that reports the same trade is restated with it. */
function repeatedBy(targets: readonly Trade[], amendment: Trade, group: readonly Trade[]): readonly Trade[] {
  const amountOf = amountAmong(group);
  const prints = new Map(targets.map((target) => [fingerprint(target, amountOf), target]));
  return group.filter((other) => {
    const target = prints.get(fingerprint(other, amountOf));
    if (target === undefined || targets.includes(other)) return false;
    return compareFilings(other.filing, amendment.filing) < 0 && isSameTrade(target, other);
  });
}

function restatementKey({ row }: Trade): string {
  return `${securityKey(row.securityTitle)}|${row.transactionDate ?? ''}|${row.code ?? ''}`;
}

/** An original filing with the amendments that restate it: one report of the same trades. */
type Report = {
  /** Of the original and of each amendment, in filing order. */
  readonly trades: readonly Trade[];
  /** Those that no amendment has replaced. */
  readonly standing: readonly Trade[];
};

/**
 * Which of several earlier reports an amendment restates (rule 6.5). Several if nothing decides; none if it
 * restates no row: the day and the code alone may be those of another trade, or of a tranche left out.
 * @param rows the amendment's own trades of the security, day and code
 */
function reportsMeant<R extends Report>(rows: readonly Trade[], reports: readonly R[]): readonly R[] {
  const [row] = rows;
  if (row === undefined) return [];
  const tests: ((report: Report) => boolean)[] = [
    ({ trades }) => trades.some((other) => ownerKey(other) === ownerKey(row)),
    ({ trades }) =>
      isAlike(rows, trades, (own, other) => AMOUNTS.every((amount) => isSpelled(own, other, amount))),
    ({ trades }) => isAlike(rows, trades, sharesAmount),
  ];
  const possible = reportsNamed(rows, row, reports).filter(
    ({ standing }) => restatedRows(rows, standing).size > 0,
  );
  return tests.reduce<readonly R[]>(narrowed, possible);
}

/** Reports of the date that the amendment names; if there is none, those that share an amount. */
function reportsNamed<R extends Report>(rows: readonly Trade[], { filing }: Trade, reports: readonly R[]) {
  const named = filing.dateOfOriginalSubmission;
  if (named === null) return reports;
  const bearing = reports.filter(({ trades }) => trades.some((other) => reportDates(other).includes(named)));
  return bearing.length > 0 ? bearing : reports.filter(({ trades }) => isAlike(rows, trades, sharesAmount));
}

function isAlike(
  rows: readonly Trade[],
  trades: readonly Trade[],
  test: (own: Trade, other: Trade) => boolean,
): boolean {
  return rows.some((own) => trades.some((other) => test(own, other)));
}

/** A second amendment may name the original or the amendment that it corrects. */
function reportDates({ filing }: Trade): readonly (string | null)[] {
  return [filing.header.filedDate, filing.isAmendment ? filing.dateOfOriginalSubmission : null];
}

function ownerKey(trade: Trade): string {
  return trade.owners
    .map((owner) => owner.cik)
    .sort()
    .join();
}

function sharesAmount(own: Trade, other: Trade): boolean {
  return AMOUNTS.some((amount) => isSameAmount(own, other, amount));
}
