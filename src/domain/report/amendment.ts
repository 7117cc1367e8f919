import { compare } from '../compare.ts';
import type { InfoTableRow, ThirteenF } from '../filing/filing.ts';
import { countBy } from '../group.ts';
import type { Accession } from '../ids.ts';
import { abs } from '../money.ts';
import type { Reason } from '../quality/quality.ts';
import { isPlaceholder, rowKey } from './aggregate.ts';
import type { ReportFiling } from './report.ts';
import { scaleByFiledDate } from './scale.ts';
import {
  DOUBLED_SHARE,
  FEW_ROWS_SHARE,
  MIN_DOUBLED_ROWS,
  MIN_THOUSANDFOLD,
  PARTIAL_RESTATEMENT_ROWS,
  PARTIAL_RESTATEMENT_SHARE,
  REPEATED_KEYS_SHARE,
} from './thresholds.ts';

/** The role of one filing in the report, with the rows that it contributes. */
export type JudgedFiling = {
  readonly filing: ThirteenF;
  readonly role: ReportFiling['role'];
  readonly rows: readonly InfoTableRow[];
  readonly reason: Reason | null;
  /** On each of its rows, and on no other: the filing is not believed. */
  readonly rowReason: Reason | null;
  /** Keys ({@link rowKey}) of the rows that it repeats; those rows are left out. */
  readonly repeated: ReadonlySet<string>;
};

type Verdict = Omit<JudgedFiling, 'filing'>;
/** The filings before that are not superseded. */
type Standing = readonly JudgedFiling[];

const NO_KEYS: ReadonlySet<string> = new Set();

/** In the order in which amendments apply (rule 2.8); the same accession delivered twice is one filing. */
export function orderFilings(filings: readonly ThirteenF[]): readonly ThirteenF[] {
  const unique = new Map<Accession, ThirteenF>(filings.map((filing) => [filing.header.accession, filing]));
  return [...unique.values()].sort(compareFilings);
}

/**
 * Walks the filings in order. The base is the last original or accepted restatement. It supersedes
 * everything before it, including reasons. NEW HOLDINGS after it are supplements.
 */
export function judgeFilings(ordered: readonly ThirteenF[]): readonly JudgedFiling[] {
  let standing: readonly JudgedFiling[] = [];
  const superseded: JudgedFiling[] = [];
  for (const filing of ordered) {
    const judged = { filing, ...judge(filing, standing) };
    if (judged.role === 'base') {
      for (const earlier of standing) {
        superseded.push({ ...verdict('superseded', []), filing: earlier.filing });
      }
      standing = [judged];
    } else standing = [...standing.map((earlier) => yielding(earlier, judged)), judged];
  }
  return [...superseded, ...standing];
}

/** What a filing is not believed about stands only until one that is believed says it. */
function yielding(earlier: JudgedFiling, { rows, role }: Verdict): JudgedFiling {
  if (earlier.role !== 'doubted' || role === 'doubted') return earlier;
  const said = amountsByKey(rows);
  const left = earlier.rows.filter((row) => !said.has(rowKey(row)));
  return { ...earlier, rows: left, role: left.length === 0 ? 'ignored' : earlier.role };
}

/** A notice has no table. A "notice" with rows is a report whose cover states the wrong type. */
function isNotice(filing: ThirteenF): boolean {
  return filing.reportType === 'notice' && filing.rows.length === 0;
}

function judge(filing: ThirteenF, standing: Standing): Verdict {
  if (isNotice(filing)) return verdict('notice', []);
  const base = standing.find((judged) => judged.role === 'base')?.filing ?? null;
  if (!filing.isAmendment) return judgeReplacement(filing, base, standing);
  if (base !== null && isReveal(filing, base, standing)) return judgeSupplement(filing, base, standing);
  switch (filing.amendmentType) {
    case 'restatement':
      return judgeReplacement(filing, base, standing);
    case 'new_holdings':
      return base === null ? verdict('supplement', filing.rows) : judgeSupplement(filing, base, standing);
    case null:
      return judgeUntyped(filing, base, standing);
    default:
      return filing.amendmentType satisfies never;
  }
}

/** Rule 2.9: what its cover says was confidential is new holdings, whatever box is ticked, if it adds only that. */
function isReveal(filing: ThirteenF, base: ThirteenF, standing: Standing): boolean {
  if (filing.confidentialReveal === null || !isFew(filing, base)) return false;
  const inBase = amountsByKey(base.rows);
  return filing.rows.every((row) => !inBase.has(rowKey(row))) && !contradicts(filing, standing);
}

/**
 * Rule 2.9: a restatement, or a second original, of a few rows, or of none that was there, is a supplement with the
 * wrong box ticked. One without most of what was there, or with counts a thousand times off, is in doubt.
 */
function judgeReplacement(filing: ThirteenF, base: ThirteenF | null, standing: Standing): Verdict {
  if (base === null) return verdict('base', filing.rows);
  const [before, now] = [amountsByKey(base.rows), amountsByKey(filing.rows)];
  const shared = [...before].filter(([key]) => now.has(key));
  if (before.size > PARTIAL_RESTATEMENT_ROWS && now.size > 0 && shared.length === 0) {
    const doubted = notReplacing(filing, standing, 'unrelated_restatement_suspected');
    return isFew(filing, base) && !contradicts(filing, standing) ? { ...doubted, reason: null } : doubted;
  }
  if (looksPartial(filing, base)) return notReplacing(filing, standing, 'partial_restatement_suspected');
  const off = shared.filter(([key, amount]) => isThousandfold(amount, now.get(key) ?? 0n));
  if (off.length > 0 && (isContradicted(filing) || !isContradicted(base))) {
    const doubt = 'restated_thousandfold_suspected';
    return off.length < shared.length * FEW_ROWS_SHARE
      ? verdict('base', filing.rows, doubt)
      : notReplacing(filing, standing, doubt);
  }
  const isOther = shared.length < before.size * FEW_ROWS_SHARE;
  return verdict('base', filing.rows, isOther ? 'partial_restatement_suspected' : null);
}

/** The report stays. What no filing had before is added, so that nothing filed is left out; the rest is not believed. */
function notReplacing(filing: ThirteenF, standing: Standing, reason: Reason): Verdict {
  const there = standing.flatMap(({ rows }) => rows.filter((row) => !isPlaceholder(row)));
  const known = new Set(there.map(rowKey));
  const added = filing.rows.filter((row) => !isPlaceholder(row) && !known.has(rowKey(row)));
  return { ...verdict(added.length === 0 ? 'ignored' : 'doubted', added, reason), rowReason: reason };
}

function believedRows(standing: Standing): InfoTableRow[] {
  return standing.flatMap(({ rows, role }) => (role === 'doubted' ? [] : rows));
}

/** Whether a filing that is believed has a position of this one with another amount. */
function contradicts(filing: ThirteenF, standing: Standing): boolean {
  const there = amountsByKey(believedRows(standing));
  return [...amountsByKey(filing.rows)].some(([key, amount]) => (there.get(key) ?? amount) !== amount);
}

/** Whether one count is a thousandth of the other, apart from rounding. */
function isThousandfold(a: bigint, b: bigint): boolean {
  const [less, more] = a < b ? [a, b] : [b, a];
  return more >= MIN_THOUSANDFOLD && abs(less * 1000n - more) < 1000n;
}

/** Whether the filing's own prices are impossible (rule 2.2). */
function isContradicted(filing: ThirteenF): boolean {
  return scaleByFiledDate(filing).reasons.length > 0;
}

function judgeUntyped(filing: ThirteenF, base: ThirteenF | null, standing: Standing): Verdict {
  if (base === null) return verdict('base', filing.rows, 'amendment_type_missing');
  return isFew(filing, base)
    ? notReplacing(filing, standing, 'amendment_type_missing')
    : judgeReplacement(filing, base, standing);
}

/**
 * Rule 2.9: a supplement that repeats half of the base is a mislabelled restatement. Any other adds
 * only keys that the report does not have yet at the same amounts, without rows that it already has (a
 * key may have a row for each of several other managers). When most of its keys are repeats, as when an
 * amendment is sent again, the whole report is in doubt; otherwise only the repeated positions are.
 */
function judgeSupplement(filing: ThirteenF, base: ThirteenF, standing: Standing): Verdict {
  const own = amountsByKey(filing.rows);
  const inBase = amountsByKey(base.rows);
  const again = repeated(own, inBase).size;
  if (again > 0 && again >= inBase.size * REPEATED_KEYS_SHARE) {
    return looksPartial(filing, base)
      ? notReplacing(filing, standing, 'repeated_new_holdings_suspected')
      : verdict('base', filing.rows, 'repeated_new_holdings_suspected');
  }
  const there = believedRows(standing);
  const present = repeated(own, amountsByKey(there));
  const texts = new Set(there.map(rowText));
  const isThere = (row: InfoTableRow): boolean =>
    row.cusip !== null && !isPlaceholder(row) && texts.has(rowText(row));
  const others = filing.rows.filter((row) => !present.has(rowKey(row)));
  const isMostly = present.size > 0 && present.size >= own.size * REPEATED_KEYS_SHARE;
  return {
    ...verdict(
      'supplement',
      others.filter((row) => !isThere(row)),
    ),
    reason: isMostly ? 'repeated_new_holdings_suspected' : null,
    repeated: new Set([...present, ...others.filter(isThere).map(rowKey)]),
  };
}

function looksPartial(filing: ThirteenF, base: ThirteenF): boolean {
  const rows = heldRows(filing);
  if (rows < heldRows(base) * PARTIAL_RESTATEMENT_SHARE) return true;
  return rows <= PARTIAL_RESTATEMENT_ROWS && isFew(filing, base);
}

function isFew(filing: ThirteenF, base: ThirteenF): boolean {
  return heldRows(filing) < heldRows(base) * FEW_ROWS_SHARE;
}

function verdict(
  role: JudgedFiling['role'],
  rows: readonly InfoTableRow[],
  reason: Reason | null = null,
): Verdict {
  return { role, rows, reason, rowReason: null, repeated: NO_KEYS };
}

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

/** Rule 2.9: a table that stands twice, row by row, as when it was pasted again. */
export function isDoubled({ rows }: ThirteenF): boolean {
  const held = rows.filter((row) => !isPlaceholder(row));
  // Two rows that are one share a CUSIP: mostly there are too many of these, and no text need be made of a row.
  const cusips = new Set(held.map(({ cusip }) => cusip)).size;
  if (2 * (held.length - cusips) < held.length * DOUBLED_SHARE) return false;
  const twice = [...countBy(held, rowText).values()].filter((count) => count === 2).length * 2;
  return twice >= MIN_DOUBLED_ROWS && twice >= held.length * DOUBLED_SHARE;
}

/** Rows of one key rarely agree in amount and value: 430 of 68,102 real rows that share a key do. */
function rowText(row: InfoTableRow): string {
  return `${rowKey(row)}|${row.amount}|${row.value}`;
}

function repeated(own: ReadonlyMap<string, bigint>, held: ReadonlyMap<string, bigint>): Set<string> {
  return new Set([...own].filter(([key, amount]) => held.get(key) === amount).map(([key]) => key));
}

/** Filing date, amendment number (none first), acceptance (none first), accession. */
function compareFilings(a: ThirteenF, b: ThirteenF): number {
  return (
    compare(a.header.filedDate, b.header.filedDate) ||
    (a.amendmentNumber ?? -1) - (b.amendmentNumber ?? -1) ||
    compare(a.header.acceptedAt ?? '', b.header.acceptedAt ?? '') ||
    compare(a.header.accession, b.header.accession)
  );
}
