import type { OwnershipRow } from '../../domain/filing/filing.ts';
import { attributeOf, childrenOf, textAt } from '../element.ts';
import { unreadable } from '../parse-error.ts';
import { dateOf, decimalOf, flagOf, squeeze } from '../value.ts';
import type { XmlElement } from '../xml.ts';

type Table = OwnershipRow['table'];
type RowKind = OwnershipRow['rowKind'];

const TABLES: Readonly<Record<Table, string>> = {
  non_derivative: 'nonDerivativeTable',
  derivative: 'derivativeTable',
};

const ROW_KINDS: Readonly<Record<Table, ReadonlyMap<string, RowKind>>> = {
  non_derivative: new Map([
    ['nonDerivativeTransaction', 'transaction'],
    ['nonDerivativeHolding', 'holding'],
  ]),
  derivative: new Map([
    ['derivativeTransaction', 'transaction'],
    ['derivativeHolding', 'holding'],
  ]),
};

/** The rows of table I or II in document order; holdings count as rows too (rule 6.1). */
export function tableRowsOf(root: XmlElement, table: Table): readonly OwnershipRow[] {
  const entries = childrenOf(root, TABLES[table]).flatMap((part) => part.children);
  return entries.map((entry, index) => {
    const kind = ROW_KINDS[table].get(entry.name);
    // An entry under another name could be a trade: it must not be lost in silence.
    if (kind === undefined) throw unreadable(TABLES[table], entry.name);
    return rowOf(entry, { table, rowKind: kind, row: index + 1 });
  });
}

function rowOf(entry: XmlElement, place: Pick<OwnershipRow, 'table' | 'rowKind' | 'row'>): OwnershipRow {
  return {
    row: place.row,
    table: place.table,
    rowKind: place.rowKind,
    securityTitle: squeeze(textAt(entry, 'securityTitle') ?? ''),
    transactionDate: day(entry, 'transactionDate'),
    deemedExecutionDate: day(entry, 'deemedExecutionDate'),
    code: codeOf(entry, place.rowKind),
    equitySwap:
      flagOf('equitySwapInvolved', textAt(entry, 'transactionCoding', 'equitySwapInvolved')) ?? false,
    shares: decimal(entry, 'transactionAmounts', 'transactionShares'),
    pricePerShare: decimal(entry, 'transactionAmounts', 'transactionPricePerShare'),
    acquiredDisposed: acquiredDisposedOf(entry),
    sharesOwnedAfter: decimal(entry, 'postTransactionAmounts', 'sharesOwnedFollowingTransaction'),
    ownership: ownershipOf(entry),
    natureOfOwnership: textAt(entry, 'ownershipNature', 'natureOfOwnership'),
    underlyingTitle: textAt(entry, 'underlyingSecurity', 'underlyingSecurityTitle'),
    underlyingShares: decimal(entry, 'underlyingSecurity', 'underlyingSecurityShares'),
    conversionOrExercisePrice: decimal(entry, 'conversionOrExercisePrice'),
    exerciseDate: day(entry, 'exerciseDate'),
    expirationDate: day(entry, 'expirationDate'),
    footnoteIds: footnoteIdsOf(entry),
  };
}

function day(entry: XmlElement, name: string): OwnershipRow['transactionDate'] {
  return dateOf(name, textAt(entry, name));
}

function decimal(entry: XmlElement, ...path: readonly string[]): string | null {
  return decimalOf(path.at(-1) ?? '', textAt(entry, ...path));
}

/** A transaction without its code could be of any kind, so the filing is refused. */
function codeOf(entry: XmlElement, kind: RowKind): string | null {
  if (kind === 'holding') return null;
  const text = textAt(entry, 'transactionCoding', 'transactionCode');
  const code = text?.toUpperCase() ?? '';
  if (!/^[A-Z]$/.test(code)) throw unreadable('transactionCode', text);
  return code;
}

function acquiredDisposedOf(entry: XmlElement): OwnershipRow['acquiredDisposed'] {
  const text = textAt(entry, 'transactionAmounts', 'transactionAcquiredDisposedCode');
  if (text === null || text === 'A' || text === 'D') return text;
  throw unreadable('transactionAcquiredDisposedCode', text);
}

function ownershipOf(entry: XmlElement): OwnershipRow['ownership'] {
  const text = textAt(entry, 'ownershipNature', 'directOrIndirectOwnership');
  if (text === null) return null;
  if (text === 'D') return 'direct';
  if (text === 'I') return 'indirect';
  throw unreadable('directOrIndirectOwnership', text);
}

function footnoteIdsOf(entry: XmlElement): OwnershipRow['footnoteIds'] {
  const ids = new Map<string, string[]>();
  collectFootnoteIds(entry, ids);
  // `fromEntries` defines own properties: an element called `__proto__` is only a key.
  return ids.size === 0 ? NO_FOOTNOTES : Object.fromEntries(ids);
}

function collectFootnoteIds(element: XmlElement, ids: Map<string, string[]>): void {
  for (const child of element.children) {
    if (child.name !== 'footnoteId') {
      collectFootnoteIds(child, ids);
      continue;
    }
    const known = ids.get(element.name);
    const id = attributeOf(child, 'id') ?? '';
    if (known === undefined) ids.set(element.name, [id]);
    else known.push(id);
  }
}

const NO_FOOTNOTES: OwnershipRow['footnoteIds'] = Object.freeze({});
