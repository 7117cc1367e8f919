import type { Ownership, OwnershipRow } from '../filing/filing.ts';
import type { Reason } from '../quality/quality.ts';
import {
  classInTitle,
  isDebtOrPhantom,
  isInterest,
  isLlc,
  isOtherThanCommon,
  isPartnership,
  isPlainUnits,
  namesUnitsOnly,
} from '../security/class.ts';
import type { SecurityResolution } from '../security/mapping.ts';
import { isListedElsewhere, normaliseSymbol, symbolsIn } from '../security/symbol.ts';

type Resolved = Extract<SecurityResolution, { kind: 'resolved' }>;

/** What decides the share class of a trade: the title of its row and the symbol on its form. */
type ClassMark = {
  readonly row: Pick<OwnershipRow, 'securityTitle'>;
  readonly filing: { readonly issuer: Pick<Ownership['issuer'], 'symbol'> };
};

/**
 * Whether a trade is in the ticker's own share class (rule 6.9): the title of the row decides,
 * then the form's symbol; an undecided trade counts with `share_class_unresolved`.
 *
 * | title names      | the ticker's class            | verdict                              |
 * | ---------------- | ----------------------------- | ------------------------------------ |
 * | preferred, note… | preferred shares              | own if the form names the ticker, otherwise unresolved |
 * | anything else    | preferred shares              | other                                |
 * | preferred, note… | its name is not of that kind  | other                                |
 * | units, a partnership's | no sibling classes      | own if it names nothing else, otherwise unresolved |
 * | a debt, a phantom | any                         | other                                |
 * | LLC interests    | its name is not an LLC's      | unresolved                           |
 * | a class          | known and equal               | own                                  |
 * | a class          | known and another             | other                                |
 * | a class          | unknown, a sibling has it     | other                                |
 * | a class          | unknown, no other has it, no siblings | own if it is A, otherwise unresolved |
 * | a class          | known, equal, and a sibling's too   | as if it named no class            |
 * | a class          | unknown, no other has it, siblings  | as if it named no class, but own only if it is A |
 * | a sibling's symbol | any                         | other                                |
 * | a symbol of another exchange | any               | unresolved                           |
 * | no class         | no sibling classes            | own                                  |
 * | no class         | siblings, symbol is the ticker's alone | own                         |
 * | no class         | siblings, symbol is a sibling's alone  | other                       |
 * | no class         | siblings, symbol is neither or a list  | unresolved                  |
 */
export function shareClassReasons(trade: ClassMark, security: Resolved): readonly Reason[] {
  const verdict = verdictOf(trade, security);
  if (verdict === 'own') return [];
  return [verdict === 'other' ? 'other_share_class' : 'share_class_unresolved'];
}

const IN_BRACKETS = /\(([^()]*)\)/g;

type Verdict = 'own' | 'other' | 'unresolved';

function verdictOf(trade: ClassMark, security: Resolved): Verdict {
  const title = trade.row.securityTitle;
  if (isDebtOrPhantom(title)) return 'other';
  if (security.isPreferred) return ofPreferred(trade, security);
  if (isOtherThanCommon(title) && !isOtherThanCommon(security.name)) {
    const isUnit = namesUnitsOnly(title) && isPartnership(security.name) && security.siblings.length === 0;
    if (!isUnit) return 'other';
    if (classInTitle(title) === null) return isPlainUnits(title) ? 'own' : 'unresolved';
  }
  if (isInterest(title) && !isLlc(security.name)) return 'unresolved';
  return byLetter(trade, security);
}

/** Its own rows are titled so, and the form names the ticker. */
function ofPreferred({ row, filing }: ClassMark, { ticker }: Resolved): Verdict {
  if (!isOtherThanCommon(row.securityTitle)) return 'other';
  return symbolsIn(filing.issuer.symbol).includes(ticker) ? 'own' : 'unresolved';
}

/** Every issuer has a class A; another letter that no known security has may be an unlisted class. */
function byLetter(trade: ClassMark, security: Resolved): Verdict {
  const title = trade.row.securityTitle;
  const letter = classInTitle(title);
  const decided = letter === null ? null : byTitle(letter, security);
  if (decided !== null) return decided;
  const verdict = byTitleSymbol(title, security) ?? bySymbol(trade, security);
  const isKnown = letter === null || letter === 'A' || (security.shareClass ?? null) !== null;
  return verdict === 'own' && !isKnown ? 'unresolved' : verdict;
}

/** Null if the letter decides nothing: each tracking stock of an issuer has a series A. */
function byTitle(letter: string, security: Resolved): Verdict | null {
  const own = security.shareClass ?? null;
  if (own !== null && own !== letter) return 'other';
  const isShared = (security.siblingClasses ?? []).includes(letter);
  if (own !== null) return isShared ? null : 'own';
  if (isShared) return 'other';
  if (security.siblings.length > 0) return null;
  return letter === 'A' ? 'own' : 'unresolved';
}

/** `Common Shares (2330.TW)` are the shares behind the depositary shares of `TSM`, not those themselves. */
function byTitleSymbol(title: string, security: Resolved): Verdict | null {
  const named = [...title.matchAll(IN_BRACKETS)].map(([, text = '']) => text);
  const symbols = named.flatMap((text) => normaliseSymbol(text) ?? []);
  if (symbols.includes(security.ticker)) return null;
  if (symbols.some((symbol) => security.siblings.includes(symbol))) return 'other';
  return named.some(isListedElsewhere) ? 'unresolved' : null;
}

function bySymbol(trade: ClassMark, security: Resolved): Verdict {
  if (security.siblings.length === 0) return 'own';
  const [symbol, ...others] = symbolsIn(trade.filing.issuer.symbol);
  if (symbol === undefined || others.length > 0) return 'unresolved';
  if (symbol === security.ticker) return 'own';
  return security.siblings.includes(symbol) ? 'other' : 'unresolved';
}
