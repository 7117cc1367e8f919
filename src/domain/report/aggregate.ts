import { compare } from '../compare.ts';
import type { InfoTableRow } from '../filing/filing.ts';
import { sideOfRow } from '../filing/option-title.ts';
import type { Accession, Cusip } from '../ids.ts';
import { isRowReason, type Reason } from '../quality/quality.ts';
import { isEquity, type Position, type PositionKey } from './report.ts';
import { rowRanges } from './row-range.ts';
import { MAX_SHARES, MAX_VALUE_CENTS } from './thresholds.ts';

/** The contributing rows of one filing, and how their values become cents. */
type SourceRows = {
  readonly accession: Accession;
  readonly scaleCents: bigint;
  /** The scale of the filing date: the same unless the scale was corrected. */
  readonly filedScaleCents: bigint;
  readonly rows: readonly InfoTableRow[];
  /** Reasons on every row of the filing. */
  readonly rowReasons?: readonly Reason[];
  /** Whether its values are in doubt (rule 2.10). */
  readonly isDoubted?: boolean;
};

/** Facts about securities from other sources: the official list and the prices of other filers. */
export type SecurityFacts = {
  /** Valid securities although their check digit is wrong (rule 3.2). */
  readonly listed?: ReadonlySet<Cusip>;
  /** Securities of equity rows whose value per share is not a price (rule 4.4). */
  readonly outliers?: ReadonlySet<Cusip>;
  /** Keys of rows, as {@link rowKey} writes them, that an amendment repeats (rule 2.9). */
  readonly repeated?: ReadonlySet<string>;
};

type Draft = {
  -readonly [Field in keyof Position]: Position[Field] extends readonly (infer Item)[]
    ? Item[]
    : Position[Field];
} & { largestCents: bigint; rowNumbers: number[][] };

/** Passes the check digit, but means "nothing held" (rules 2.6 and 3.1). */
const PLACEHOLDER = '000000000';
/**
 * On the official list, issue numbers 90 and 95 are an issuer's calls and puts. They fail the check digit.
 */
const OPTION_CLASS = /^.{6}9[05]/;

/**
 * Sums the rows of each (cusip, put/call, SH or PRN) over other managers, discretion, class titles and
 * name spellings (rule 2.4). Placeholder rows are skipped. A row that must not be compared keeps its
 * position and gets a reason, so nothing is lost. Positions are sorted by their keys; the reasons and
 * `mistyped` are of single rows, those without a usable CUSIP included, which are in no position.
 *
 * @param sources in the order of the fold, so `accessions` end with the newest
 */
export function aggregatePositions(
  sources: readonly SourceRows[],
  { outliers, listed, repeated }: SecurityFacts = {},
) {
  const drafts = new Map<string, Draft>();
  const reasons = new Set<Reason>();
  const mistyped = new Set<string>();
  for (const source of sources) {
    for (const row of source.rows.filter((row) => !isPlaceholder(row))) {
      const { cusip } = row;
      if (cusip === null) {
        reasons.add('cusip_malformed');
        mistyped.add(mistypedName(row.issuer, row.cusipAsFiled));
      } else {
        const isListed = listed?.has(cusip) === true;
        // Usually empty; then no key is built.
        const isRepeated = repeated !== undefined && repeated.size > 0 && repeated.has(rowKey(row));
        addRow(drafts, row, { cusip, source, isListed, isRepeated });
      }
    }
  }
  const positions = [...drafts.values()].map((draft) => finished(draft, outliers));
  for (const position of positions) {
    for (const reason of position.reasons.filter(isRowReason)) reasons.add(reason);
    if (isMistyped(position)) mistyped.add(mistypedName(position.issuer, position.cusip));
  }
  return { positions: positions.sort(compareKeys), reasons: [...reasons], mistyped };
}

function isMistyped({ reasons }: Position): boolean {
  return reasons.includes('cusip_checksum_failed') || reasons.includes('cusip_malformed');
}

/** A name without case, blanks and punctuation: `Apple Inc.` and `APPLE INC` have one key. */
export function nameKey(name: string): string {
  return name.toUpperCase().replace(/[^A-Z0-9]+/g, '');
}

/** All that identifies the security of a row with an unusable CUSIP: the issuer and the CUSIP as filed. */
function mistypedName(issuer: string, cusipAsFiled: string): string {
  return `${nameKey(issuer)}|${cusipAsFiled}`;
}

/** Keys of issuers that a report names under unusable CUSIPs which the other report does not have. */
export function mistypedAlone(own: ReadonlySet<string>, other: ReadonlySet<string>): ReadonlySet<string> {
  const alone = [...own].filter((name) => !other.has(name));
  return new Set(alone.map((name) => name.slice(0, name.indexOf('|'))));
}

/** A row that means "no holdings": no amount and no value. Its CUSIP is usually `000000000`. */
export function isPlaceholder(row: InfoTableRow): boolean {
  return row.amount === 0n && row.value === 0n;
}

/** The order of positions: CUSIP, then no option before CALL before PUT, then PRN before SH. */
export function compareKeys(a: PositionKey, b: PositionKey): number {
  return (
    compare(a.cusip, b.cusip) ||
    compare(a.putCall ?? '', b.putCall ?? '') ||
    compare(a.amountType, b.amountType)
  );
}

/** The key as one text, for maps. */
export function keyText(key: PositionKey): string {
  return `${key.cusip}${key.amountType}${key.putCall ?? ''}`;
}

/** The key of the position that the row belongs to; empty without a usable CUSIP. */
export function rowKey(row: InfoTableRow): string {
  const { cusip, amountType } = row;
  return cusip === null ? '' : keyText({ cusip, putCall: putCallOf(row), amountType });
}

function putCallOf(row: InfoTableRow): PositionKey['putCall'] {
  return markOf(row) ?? row.optionClass ?? null;
}

function markOf(row: InfoTableRow): PositionKey['putCall'] {
  const side = sideOfRow(row);
  return side === 'UNKNOWN' ? null : side;
}

type Place = {
  readonly cusip: Cusip;
  readonly source: SourceRows;
  readonly isListed: boolean;
  readonly isRepeated: boolean;
};

function addRow(drafts: Map<string, Draft>, row: InfoTableRow, place: Place): void {
  const { cusip, source } = place;
  const position = { cusip, putCall: putCallOf(row), amountType: row.amountType };
  const key = keyText(position);
  const valueCents = row.value * source.scaleCents;
  let draft = drafts.get(key);
  if (!draft) {
    draft = startDraft(row, position, valueCents);
    drafts.set(key, draft);
  }
  draft.amount += row.amount;
  draft.valueCents += valueCents;
  draft.filedValueCents += row.value * source.filedScaleCents;
  if (source.isDoubted) draft.doubtedCents = (draft.doubtedCents ?? 0n) + valueCents;
  // The names come from the largest row, the first on ties.
  if (valueCents > draft.largestCents) {
    draft.largestCents = valueCents;
    draft.issuer = row.issuer;
    draft.titleOfClass = row.titleOfClass;
  }
  if (draft.accessions.at(-1) !== source.accession) {
    draft.accessions.push(source.accession);
    draft.rowNumbers.push([]);
  }
  draft.rowNumbers.at(-1)?.push(row.row);
  for (const reason of reasonsOfRow(row, place, valueCents)) {
    if (!draft.reasons.includes(reason)) draft.reasons = [...draft.reasons, reason].sort();
  }
}

/** Each field by name: a spread costs ten times the rest of a fold. */
function startDraft(row: InfoTableRow, key: PositionKey, valueCents: bigint): Draft {
  return {
    cusip: key.cusip,
    putCall: key.putCall,
    amountType: key.amountType,
    issuer: row.issuer,
    titleOfClass: row.titleOfClass,
    amount: 0n,
    valueCents: 0n,
    filedValueCents: 0n,
    accessions: [],
    rowsUsed: [],
    rowNumbers: [],
    reasons: [],
    largestCents: valueCents,
  };
}

function finished(draft: Draft, outliers: SecurityFacts['outliers']): Position {
  const isOutlier = isEquity(draft) && outliers?.has(draft.cusip) === true;
  return {
    cusip: draft.cusip,
    putCall: draft.putCall,
    amountType: draft.amountType,
    issuer: draft.issuer,
    titleOfClass: draft.titleOfClass,
    amount: draft.amount,
    valueCents: draft.valueCents,
    filedValueCents: draft.filedValueCents,
    ...(draft.doubtedCents === undefined ? {} : { doubtedCents: draft.doubtedCents }),
    accessions: draft.accessions,
    rowsUsed: draft.accessions.map((accession, index) => ({
      accession,
      rows: rowRanges(draft.rowNumbers[index] ?? []),
    })),
    reasons: isOutlier ? [...draft.reasons, 'implied_price_outlier' as const].sort() : draft.reasons,
  };
}

function reasonsOfRow(row: InfoTableRow, place: Place, valueCents: bigint): readonly Reason[] {
  const { source, isRepeated } = place;
  const reasons: Reason[] = [...(source.rowReasons ?? []), ...reasonsOf(row, place)];
  if (isRepeated) reasons.push('repeated_new_holdings_suspected');
  if (row.optionClass !== undefined && markOf(row) === null) reasons.push('option_class_cusip');
  const side = sideOfRow(row);
  if (side !== row.putCall) reasons.push(side === 'UNKNOWN' ? 'option_side_unknown' : 'option_by_title');
  if (row.amount === 0n) reasons.push('amount_missing');
  if (row.amount > MAX_SHARES || valueCents > MAX_VALUE_CENTS) reasons.push('amount_implausible');
  return reasons;
}

/**
 * CUSIPs of option classes and of the official list are never typing errors, even with a wrong check digit
 * (rule 3.2).
 */
function reasonsOf(row: InfoTableRow, { isListed }: Place): readonly Reason[] {
  if (row.cusip === PLACEHOLDER) return ['cusip_malformed'];
  if (row.reasons.length === 0) return row.reasons;
  const isOption =
    row.optionClass !== undefined || (markOf(row) !== null && OPTION_CLASS.test(row.cusip ?? ''));
  return isOption || isListed
    ? row.reasons.filter((reason) => reason !== 'cusip_checksum_failed')
    : row.reasons;
}
