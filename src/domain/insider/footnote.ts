import type { Ownership, OwnershipRow } from '../filing/filing.ts';
import type { Reason } from '../quality/quality.ts';

const WEIGHTED_AVERAGE = /weighted[\s-]*average/i;
/** `10b5-1` in its spellings; a bare `10b-5` is the anti-fraud rule and no trading plan. */
export const PLAN_RULE = /10b-?5(?:\s*[-‐‑‒–—]\s*|\.)?1(?!\d)/i;
/** `Each American Depositary Share represents five Common Shares`: one security is counted in two ways. */
const DEPOSITARY_RATIO = /(\bAD[SR]s?\b|depositary (share|receipt)s?)[^.;]{0,80}\brepresent/i;

/** Elements of the form by the member of a row that shows their value on the wire. */
const FIELDS: ReadonlyMap<string, string> = new Map([
  ['transactionCoding', 'code'],
  ['transactionCode', 'code'],
  ['transactionShares', 'shares'],
  ['transactionPricePerShare', 'price_per_share'],
  ['transactionAcquiredDisposedCode', 'acquired_disposed'],
  ['sharesOwnedFollowingTransaction', 'shares_owned_after'],
  ['directOrIndirectOwnership', 'ownership'],
  ['equitySwapInvolved', 'equity_swap'],
  ['underlyingSecurityTitle', 'underlying.title'],
  ['underlyingSecurityShares', 'underlying.shares'],
]);

/** Elements without a member of their own have their name in snake_case. */
export function fieldOfElement(element: string, kind: OwnershipRow['rowKind']): string {
  if (kind === 'holding' && element === 'sharesOwnedFollowingTransaction') return 'shares_owned';
  return FIELDS.get(element) ?? element.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/**
 * The footnotes that the row's elements refer to, each once, in the order of reference, with the values
 * that they qualify by their names on the wire.
 */
export function footnotesOf(filing: Ownership, row: OwnershipRow) {
  const qualified = new Map<string, string[]>();
  for (const [element, ids] of Object.entries(row.footnoteIds)) {
    const field = fieldOfElement(element, row.rowKind);
    for (const id of ids) qualified.set(id, [...new Set([...(qualified.get(id) ?? []), field])]);
  }
  return [...qualified].flatMap(([id, qualifies]) => {
    const note = filing.footnotes.find((footnote) => footnote.id === id);
    return note === undefined ? [] : [{ id, text: note.text, qualifies }];
  });
}

/**
 * Reasons from the footnotes of a row, and from any footnote of the form about depositary shares (rule
 * 6.8). An average needs a price. A mention of a plan is no plan: the form has its own element for it.
 */
export function footnoteReasons(filing: Ownership, row: OwnershipRow, priced: boolean): Reason[] {
  const texts = footnotesOf(filing, row).map((note) => note.text);
  const mentions = (pattern: RegExp): boolean => texts.some((text) => pattern.test(text));
  const reasons: Reason[] = [];
  if (priced && mentions(WEIGHTED_AVERAGE)) reasons.push('weighted_average_price');
  if (mentions(PLAN_RULE)) reasons.push('footnote_mentions_10b5_1');
  // Any footnote of the form: its rows may count ordinary or depositary shares.
  if (filing.footnotes.some((note) => DEPOSITARY_RATIO.test(note.text))) reasons.push('depositary_ratio');
  return reasons;
}
