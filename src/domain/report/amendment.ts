import type { InfoTableRow, ThirteenF } from '../filing/filing.ts';
import type { Accession } from '../ids.ts';
import type { Reason } from '../quality/quality.ts';
import { isPlaceholder, rowKey } from './aggregate.ts';
import type { ReportFiling } from './report.ts';

/** A restatement of this many rows or fewer… */
export const PARTIAL_RESTATEMENT_ROWS = 3;
/** …that is under this share of the base, or any restatement under the next one, is not believed. */
export const FEW_ROWS_SHARE = 0.5;
export const PARTIAL_RESTATEMENT_SHARE = 0.2;
/** An amendment without a type restates when it has this share of the base's rows. */
export const UNTYPED_RESTATEMENT_SHARE = 0.5;
/** "New" holdings that repeat this share of the keys already reported, at the same amounts, are not new. */
export const REPEATED_KEYS_SHARE = 0.5;

/** What one filing is to the report, with the rows that it contributes. */
export type JudgedFiling = {
  readonly filing: ThirteenF;
  readonly role: ReportFiling['role'];
  readonly rows: readonly InfoTableRow[];
  readonly reason: Reason | null;
  /** Keys, as {@link rowKey} writes them, of the rows that it repeats, which are left out. */
  readonly repeated: ReadonlySet<string>;
};

type Verdict = Pick<JudgedFiling, 'role' | 'rows' | 'reason' | 'repeated'>;

const NO_KEYS: ReadonlySet<string> = new Set();

/** In the order that amendments apply (rule 2.8); the same accession delivered twice is one filing. */
export function orderFilings(filings: readonly ThirteenF[]): readonly ThirteenF[] {
  const unique = new Map<Accession, ThirteenF>(filings.map((filing) => [filing.header.accession, filing]));
  return [...unique.values()].sort(compareFilings);
}

/**
 * Walks the filings in order. The base is the last original or believed restatement; everything
 * before it is superseded, its doubts included; NEW HOLDINGS after it are supplements.
 */
export function judgeFilings(ordered: readonly ThirteenF[]): readonly JudgedFiling[] {
  const standing: JudgedFiling[] = [];
  const superseded: JudgedFiling[] = [];
  for (const filing of ordered) {
    const verdict = judge(filing, standing);
    if (verdict.role === 'base') {
      for (const earlier of standing.splice(0)) {
        superseded.push({ ...nothingOf('superseded', null), filing: earlier.filing });
      }
    }
    standing.push({ filing, ...verdict });
  }
  return [...superseded, ...standing];
}

/** A notice has no table. One that carries rows is a report whose cover says the wrong type. */
function isNotice(filing: ThirteenF): boolean {
  return filing.reportType === 'notice' && filing.rows.length === 0;
}

function judge(filing: ThirteenF, standing: readonly JudgedFiling[]): Verdict {
  if (isNotice(filing)) return nothingOf('notice', null);
  const base = standing.find((judged) => judged.role === 'base')?.filing ?? null;
  if (!filing.isAmendment) return asBase(filing, null);
  switch (filing.amendmentType) {
    case 'restatement':
      return judgeRestatement(filing, base);
    case 'new_holdings':
      return base === null ? asSupplement(filing.rows) : judgeSupplement(filing, base, standing);
    case null:
      return judgeUntyped(filing, base);
    default:
      return filing.amendmentType satisfies never;
  }
}

/** Defence (a): "restatements" of a handful of rows are supplements with the wrong box ticked. */
function judgeRestatement(filing: ThirteenF, base: ThirteenF | null): Verdict {
  return base !== null && looksPartial(filing, base)
    ? asIgnored('partial_restatement_suspected')
    : asBase(filing, null);
}

function judgeUntyped(filing: ThirteenF, base: ThirteenF | null): Verdict {
  if (base === null) return asBase(filing, 'amendment_type_missing');
  return heldRows(filing) >= heldRows(base) * UNTYPED_RESTATEMENT_SHARE
    ? asBase(filing, null)
    : asIgnored('amendment_type_missing');
}

/**
 * Defence (b): a supplement that repeats half of the base is a restatement in disguise. Of any other
 * only the keys count that are not there at the same amounts yet, and of those the rows that are not
 * there: one of the rows of several other managers, repeated to its value. Where it repeats mostly itself
 * (the same amendment sent again), the whole report is in doubt, otherwise the positions that it repeats.
 */
function judgeSupplement(filing: ThirteenF, base: ThirteenF, standing: readonly JudgedFiling[]): Verdict {
  const own = amountsByKey(filing.rows);
  const inBase = amountsByKey(base.rows);
  const again = repeated(own, inBase).size;
  if (again > 0 && again >= inBase.size * REPEATED_KEYS_SHARE) {
    return looksPartial(filing, base)
      ? asIgnored('repeated_new_holdings_suspected')
      : asBase(filing, 'repeated_new_holdings_suspected');
  }
  const there = standing.flatMap((judged) => judged.rows);
  const present = repeated(own, amountsByKey(there));
  const texts = new Set(there.map(rowText));
  const isThere = (row: InfoTableRow): boolean =>
    row.cusip !== null && !isPlaceholder(row) && texts.has(rowText(row));
  const others = filing.rows.filter((row) => !present.has(rowKey(row)));
  const isMostly = present.size > 0 && present.size >= own.size * REPEATED_KEYS_SHARE;
  return {
    ...asSupplement(others.filter((row) => !isThere(row))),
    reason: isMostly ? 'repeated_new_holdings_suspected' : null,
    repeated: new Set([...present, ...others.filter(isThere).map(rowKey)]),
  };
}

function looksPartial(filing: ThirteenF, base: ThirteenF): boolean {
  const rows = heldRows(filing);
  const baseRows = heldRows(base);
  if (rows < baseRows * PARTIAL_RESTATEMENT_SHARE) return true;
  return rows <= PARTIAL_RESTATEMENT_ROWS && rows < baseRows * FEW_ROWS_SHARE;
}

const asBase = ({ rows }: ThirteenF, reason: Reason | null): Verdict => ({
  role: 'base',
  rows,
  reason,
  repeated: NO_KEYS,
});
const asSupplement = (rows: readonly InfoTableRow[]): Verdict => ({
  role: 'supplement',
  rows,
  reason: null,
  repeated: NO_KEYS,
});
const nothingOf = (role: JudgedFiling['role'], reason: Reason | null): Verdict => ({
  role,
  rows: [],
  reason,
  repeated: NO_KEYS,
});
const asIgnored = (reason: Reason): Verdict => nothingOf('ignored', reason);

function heldRows(filing: ThirteenF): number {
  return filing.rows.filter((row) => !isPlaceholder(row)).length;
}

function amountsByKey(rows: readonly InfoTableRow[]): Map<string, bigint> {
  const amounts = new Map<string, bigint>();
  for (const row of rows) {
    if (row.cusip === null || isPlaceholder(row)) continue;
    const key = rowKey(row);
    amounts.set(key, (amounts.get(key) ?? 0n) + row.amount);
  }
  return amounts;
}

/** Two rows of one key in a table are hardly ever alike in amount and value: 430 of 68,102 real rows that share theirs. */
function rowText(row: InfoTableRow): string {
  return `${rowKey(row)}|${row.amount}|${row.value}`;
}

function repeated(own: ReadonlyMap<string, bigint>, held: ReadonlyMap<string, bigint>): Set<string> {
  return new Set([...own].filter(([key, amount]) => held.get(key) === amount).map(([key]) => key));
}

/** Filing date, amendment number (none first), acceptance (none first), accession. */
function compareFilings(a: ThirteenF, b: ThirteenF): number {
  return (
    compareText(a.header.filedDate, b.header.filedDate) ||
    (a.amendmentNumber ?? -1) - (b.amendmentNumber ?? -1) ||
    compareText(a.header.acceptedAt ?? '', b.header.acceptedAt ?? '') ||
    compareText(a.header.accession, b.header.accession)
  );
}

function compareText(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
