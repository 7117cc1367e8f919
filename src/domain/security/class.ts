import type { Ticker } from '../ids.ts';

/** Units, warrants and rights hang behind the dot like a class but are none. */
const NOT_A_CLASS = new Set(['U', 'W', 'R']);
/**
 * Nasdaq's fifth letter for notes, preferred shares, rights, units, warrants and CVRs. `A`, `B` and `K`
 * are classes, and so is the `L` of `GOOGL`.
 */
const FIFTH_LETTER = /^[A-Z]{4}[GHIMNOPRUWZ]$/;
const CLASS_IN_NAME = /\b(?:CLASS|CL|SERIES|SER)\b[\s.-]*"?([A-Z])\b/;
/** `BERKSHIRE HATHWY INC(HLDG CO)B`: the fails file cuts long names short. */
const CLASS_AT_END = /\)\s*([A-Z])$/;
/** `Common Stock and associated Rights` is common stock; `Common Stock Purchase Warrants` are warrants. */
const COMMON_FIRST =
  /^\s*(?:(?:CLASS|CL|SERIES|SER)\b[\s.-]*"?[A-Z]\b"?\s+)?(?:COMMON|ORDINARY)\b(?!(?:\s+(?:STOCK|SHARES?|UNITS?))?(?:\s+PURCHASE)?\s+(?:WARRANTS?|WTS?|RIGHTS?|OPTIONS?)\b)/;
/** A partnership's shares, also behind the issuer's name: `SUNOCO LP COM UNIT REPSTG LTD`. */
const COMMON_UNITS = /\bCOM(?:MON)?\s+UNITS?\b/g;
const NOT_COMMON =
  /\b(PFD|PREF(?:ERREDS?|ERENCE)?|CAPITAL SECURITIES|WTS?|WARRANTS?|RTS?|RIGHTS?|NOTES?|BDS?|BONDS?|DEBENTURES?|UNITS?|SWAPS?|OPTIONS?)\b/;

const DEBT_OR_PHANTOM = /\b(LOANS?|DEBTS?|PHANTOM)\b/;
const INTEREST = /\b(?:LLC|L\.L\.C\.|MEMBERSHIP|LIMITED LIABILITY COMPANY)\s+INTERESTS?\b/;
const LLC = /\bL\.?L\.?C\b/;

const PLAIN_UNIT_WORDS =
  /\b(?:UNITS?|LP|L\.P\.|LIMITED|PARTNERS?|PARTNERSHIP|INTERESTS?|REPRESENTING|COMMON|COM|IN|OF|A)(?![A-Z])/g;
const PARTNERSHIP = /\bL\.?\s?P\b|\bPARTNERS(?:HIP)?\b/;

/** The letter of the share class that a ticker or a security's name tells; null when neither does. */
export function shareClassOf(ticker: Ticker | null, name: string): string | null {
  const suffix = ticker === null ? null : (/\.([A-Z])$/.exec(ticker)?.[1] ?? null);
  if (suffix !== null && !NOT_A_CLASS.has(suffix)) return suffix;
  return classInTitle(name) ?? CLASS_AT_END.exec(name.toUpperCase().trim())?.[1] ?? null;
}

/** `Class B Common Stock` is `B`, `CL-B` too; `Common Stock` is null. */
export function classInTitle(title: string): string | null {
  return CLASS_IN_NAME.exec(title.toUpperCase())?.[1] ?? null;
}

/** Preferred shares, warrants, notes and the like: the issuer's, but not its common stock. */
export function isOtherThanCommon(title: string): boolean {
  const upper = title.toUpperCase();
  return !COMMON_FIRST.test(upper) && NOT_COMMON.test(upper.replace(COMMON_UNITS, ''));
}

/** `Term Loan`, `Phantom Stock`: what the issuer owes, and no share of it. */
export function isDebtOrPhantom(title: string): boolean {
  const upper = title.toUpperCase();
  return !COMMON_FIRST.test(upper) && DEBT_OR_PHANTOM.test(upper);
}

/** `LLC Interests`: of a subsidiary in most cases, or the issuer's own shares where {@link isLlc}. */
export function isInterest(title: string): boolean {
  const upper = title.toUpperCase();
  return !COMMON_FIRST.test(upper) && INTEREST.test(upper);
}

export function isLlc(name: string): boolean {
  return LLC.test(name.toUpperCase());
}

/** A title whose only doubt is the word units: a partnership's interest, or another of its kinds of unit. */
export function namesUnitsOnly(title: string): boolean {
  return isOtherThanCommon(title) && !NOT_COMMON.test(title.toUpperCase().replace(/\bUNITS?\b/g, ''));
}

/** `Units`, `Limited Partner Interest Units`: nothing but what every partnership's units are. */
export function isPlainUnits(title: string): boolean {
  const rest = title
    .toUpperCase()
    .replace(PLAIN_UNIT_WORDS, '')
    .replace(/[^A-Z]/g, '');
  return rest === '';
}

/** `ENERGY TRANSFER L.P.`: its shares are units. */
export function isPartnership(name: string): boolean {
  return PARTNERSHIP.test(name.toUpperCase());
}

/** True for a ticker whose suffix says warrant, unit, right or preferred (`.WS`, `.WT`, `.U`, `.RI`, `.PRA`, `.PA`, `.P`). */
export function isOtherThanShare(ticker: Ticker): boolean {
  const suffix = ticker.split('.')[1] ?? '';
  return NOT_A_CLASS.has(suffix) || /^(WS|WT|PR|RT|R[IW]$|UN|P[A-Z]?$)/.test(suffix);
}

/**
 * True for what only the issuer's other tickers tell from a share: `NLYPRH` beside `NLY`, as the fails
 * files print preferred shares, and by Nasdaq's fifth letter `AUROW` beside `AUR`, `ACGLN` beside `ACGL`.
 */
export function isOtherThanShareOf(ticker: Ticker, ofIssuer: ReadonlySet<string>): boolean {
  const stem = /^(.+)PR[A-Z]?$/.exec(ticker)?.[1];
  if (stem !== undefined && ofIssuer.has(stem)) return true;
  if (!FIFTH_LETTER.test(ticker)) return false;
  return [...ofIssuer].some((other) => other !== ticker && other.startsWith(ticker.slice(0, 3)));
}
