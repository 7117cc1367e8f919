import type { SecurityResolution } from './brief-input.ts';
import type { Trade } from './insider-trade.ts';
import type { Reason } from './quality.ts';
import { classInTitle, isOtherThanCommon } from './security-class.ts';
import { symbolsIn } from './security-symbol.ts';

type Resolved = Extract<SecurityResolution, { kind: 'resolved' }>;

/**
 * Whether a trade is in the ticker's own share class (contract 8): the title of the row decides,
 * then the form's symbol; what stays open counts with `share_class_unresolved`.
 *
 * | title names      | the ticker's class            | verdict                              |
 * | ---------------- | ----------------------------- | ------------------------------------ |
 * | preferred, note… | its name is not of that kind  | other                                |
 * | a class          | known and equal               | own                                  |
 * | a class          | known and another             | other                                |
 * | a class          | unknown, a sibling has it     | other                                |
 * | a class          | unknown, nobody has it        | own when it is A without siblings, else unresolved |
 * | no class         | no sibling classes            | own                                  |
 * | no class         | siblings, symbol is the ticker's alone | own                         |
 * | no class         | siblings, symbol is a sibling's alone  | other                       |
 * | no class         | siblings, symbol is neither or a list  | unresolved                  |
 */
export function shareClassReasons(trade: Trade, security: Resolved): readonly Reason[] {
  const verdict = verdictOf(trade, security);
  if (verdict === 'own') return [];
  return [verdict === 'other' ? 'other_share_class' : 'share_class_unresolved'];
}

type Verdict = 'own' | 'other' | 'unresolved';

function verdictOf(trade: Trade, security: Resolved): Verdict {
  const title = trade.row.securityTitle;
  if (isOtherThanCommon(title) && !isOtherThanCommon(security.name)) return 'other';
  const letter = classInTitle(title);
  return letter === null ? bySymbol(trade, security) : byTitle(letter, security);
}

function byTitle(letter: string, security: Resolved): Verdict {
  const own = security.shareClass ?? null;
  if (own !== null) return own === letter ? 'own' : 'other';
  if ((security.siblingClasses ?? []).includes(letter)) return 'other';
  return letter === 'A' && security.siblings.length === 0 ? 'own' : 'unresolved';
}

function bySymbol(trade: Trade, security: Resolved): Verdict {
  if (security.siblings.length === 0) return 'own';
  const [symbol, ...others] = symbolsIn(trade.filing.issuer.symbol);
  if (symbol === undefined || others.length > 0) return 'unresolved';
  if (symbol === security.ticker) return 'own';
  return security.siblings.includes(symbol) ? 'other' : 'unresolved';
}
