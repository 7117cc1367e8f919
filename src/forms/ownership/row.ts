import type { OwnershipRow } from '../../domain/filing/filing.ts';
import { attributeOf, childOf, childrenOf, textAt } from '../element.ts';
import { ParseError, unreadable } from '../parse-error.ts';
import { dateOf, decimalOf, flagOf, squeeze } from '../value.ts';
import type { XmlElement } from '../xml.ts';

type Table = OwnershipRow['table'];
type RowKind = OwnershipRow['rowKind'];

/** How the names of a table's elements begin. */
const PREFIXES = { non_derivative: 'nonDerivative', derivative: 'derivative' } as const;

/** The rows of table I or II in document order; holdings count as rows too (rule 6.1). */
export function tableRowsOf(root: XmlElement, table: Table): readonly OwnershipRow[] {
  const prefix = PREFIXES[table];
  const kinds: Readonly<Record<string, RowKind>> = {
    [`${prefix}Transaction`]: 'transaction',
    [`${prefix}Holding`]: 'holding',
  };
  const entries = childrenOf(root, `${prefix}Table`).flatMap((part) => childrenOf(part));
  return entries.map((entry, index) => {
    const rowKind = kinds[entry.name];
    // An entry under another name could be a trade: it must not be lost in silence.
    if (rowKind === undefined) throw unreadable(`${prefix}Table`, entry.name);
    return rowOf(entry, { row: index + 1, table, rowKind });
  });
}

function rowOf(entry: XmlElement, place: Pick<OwnershipRow, 'table' | 'rowKind' | 'row'>): OwnershipRow {
  const coding = childOf(entry, 'transactionCoding');
  const amounts = childOf(entry, 'transactionAmounts');
  const nature = childOf(entry, 'ownershipNature');
  const underlying = childOf(entry, 'underlyingSecurity');
  const { read, unreadable } = fieldReader();
  const decimal = (parent: XmlElement | null, name: string): string | null =>
    read(() => decimalOf(name, textAt(parent, name)));
  const day = (name: string): OwnershipRow['transactionDate'] =>
    read(() => dateOf(name, textAt(entry, name)));
  // Written out: with `...place` an object of so many fields takes longer than all that is read for it.
  const row: OwnershipRow = {
    row: place.row,
    table: place.table,
    rowKind: place.rowKind,
    securityTitle: squeeze(textAt(entry, 'securityTitle') ?? ''),
    transactionDate: day('transactionDate'),
    deemedExecutionDate: day('deemedExecutionDate'),
    code: read(() => codeOf(textAt(coding, 'transactionCode'), place.rowKind)),
    equitySwap: read(() => swapOf(textAt(coding, 'equitySwapInvolved'))) ?? false,
    shares: decimal(amounts, 'transactionShares'),
    pricePerShare: decimal(amounts, 'transactionPricePerShare'),
    acquiredDisposed: read(() => acquiredDisposedOf(textAt(amounts, 'transactionAcquiredDisposedCode'))),
    sharesOwnedAfter: decimal(childOf(entry, 'postTransactionAmounts'), 'sharesOwnedFollowingTransaction'),
    ownership: read(() => ownershipOf(textAt(nature, 'directOrIndirectOwnership'))),
    natureOfOwnership: squeezed(textAt(nature, 'natureOfOwnership')),
    underlyingTitle: squeezed(textAt(underlying, 'underlyingSecurityTitle')),
    underlyingShares: decimal(underlying, 'underlyingSecurityShares'),
    conversionOrExercisePrice: decimal(entry, 'conversionOrExercisePrice'),
    exerciseDate: day('exerciseDate'),
    expirationDate: day('expirationDate'),
    footnoteIds: footnoteIdsOf(entry),
  };
  return withUnreadable(row, unreadable);
}

/**
 * Reads the values of one row. One that cannot be read is null and makes this row unusable, not the others of
 * its form (rule 6.1).
 */
export function fieldReader() {
  const unreadable: string[] = [];
  const read = <T>(value: () => T): T | null => {
    try {
      return value();
    } catch (error) {
      if (!(error instanceof ParseError) || error.code !== 'schema_invalid') throw error;
      unreadable.push(error.message.replace(/^schema_invalid: /, ''));
      return null;
    }
  };
  return { read, unreadable };
}

export function withUnreadable(row: OwnershipRow, unreadable: readonly string[]): OwnershipRow {
  return unreadable.length === 0 ? row : { ...row, unreadable };
}

/** A transaction without its code could be of any kind. Throws `schema_invalid`. */
export function codeOf(text: string | null, kind: RowKind): string | null {
  if (kind === 'holding') return null;
  const code = text?.toUpperCase() ?? '';
  if (code.length !== 1 || code < 'A' || code > 'Z') throw unreadable('transactionCode', text);
  return code;
}

export function swapOf(text: string | null): boolean {
  return flagOf('equitySwapInvolved', text) ?? false;
}

export function acquiredDisposedOf(text: string | null): OwnershipRow['acquiredDisposed'] {
  if (text === null || text === 'A' || text === 'D') return text;
  throw unreadable('transactionAcquiredDisposedCode', text);
}

export function ownershipOf(text: string | null): OwnershipRow['ownership'] {
  if (text === null) return null;
  if (text === 'D') return 'direct';
  if (text === 'I') return 'indirect';
  throw unreadable('directOrIndirectOwnership', text);
}

/** The footnotes of an entry, by the element that refers to them. */
function footnoteIdsOf(entry: XmlElement): OwnershipRow['footnoteIds'] {
  const found = new Map<string, string[]>();
  collectFootnotes(entry, found);
  // `fromEntries` defines own properties: an element called `__proto__` is only a key.
  return found.size === 0 ? NO_FOOTNOTES : Object.fromEntries(found);
}

function collectFootnotes(element: XmlElement, found: Map<string, string[]>): void {
  for (let child = element.first; child !== null; child = child.next) {
    if (child.name !== 'footnoteId') {
      collectFootnotes(child, found);
      continue;
    }
    const id = attributeOf(child, 'id') ?? '';
    const ids = found.get(element.name);
    if (ids === undefined) found.set(element.name, [id]);
    else ids.push(id);
  }
}

const NO_FOOTNOTES: OwnershipRow['footnoteIds'] = Object.freeze({});

function squeezed(text: string | null): string | null {
  return text === null ? null : squeeze(text);
}
