import type { Ticker } from '../ids.ts';

/** Suffixes of units, warrants and rights, which are not share classes. */
const NOT_A_CLASS = new Set(['U', 'W', 'R']);
/**
 * Nasdaq's fifth letter for notes, preferred shares, rights, units, warrants and CVRs. `A`, `B` and `K`
 * are share classes, and so is the `L` of `GOOGL`.
 */
const FIFTH_LETTER = /^[A-Z]{4}[GHIMNOPRUWZ]$/;
const CLASS_IN_NAME = /\b(?:CLASS|CL|SERIES|SER)\b[\s.-]*"?([A-Z])\b/;
/** `BERKSHIRE HATHWY INC(HLDG CO)B`: the fails file truncates long names. */
const CLASS_AT_END = /\)\s*([A-Z])$/;
/** `Common Stock and associated Rights` is common stock; `Common Stock Purchase Warrants` are warrants. */
const COMMON_FIRST =
  /^\s*(?:(?:CLASS|CL|SERIES|SER)\b[\s.-]*"?[A-Z]\b"?\s+)?(?:COMMON|ORDINARY)\b(?!(?:\s+(?:STOCK|SHARES?|UNITS?))?(?:\s+PURCHASE)?\s+(?:WARRANTS?|WTS?|RIGHTS?|OPTIONS?)\b)/;
/** A partnership's shares, also after the issuer's name: `SUNOCO LP COM UNIT REPSTG LTD`. */
const COMMON_UNITS = /\bCOM(?:MON)?\s+UNITS?\b/g;
const NOT_COMMON =
  /\b(PFD|PREF(?:ERREDS?|ERENCE)?|CUM(?:ULATIVE)?|CAPITAL SECURITIES|WTS?|WARRANTS?|RTS?|RIGHTS?|NOTES?|BDS?|BONDS?|DEBENTURES?|UNITS?|SWAPS?|OPTIONS?)\b/;

/** `CUM RED P`: fails files cut descriptions after 30 characters, and only preferred shares are cumulative. */
const PREFERRED = /\b(?:PFDS?|PREF(?:S|ERRED|ERENCE)?|CUM(?:ULATIVE)?)\b/;
const DEBT_OR_PHANTOM = /\b(LOANS?|DEBTS?|PHANTOM)\b/;
const INTEREST = /\b(?:LLC|L\.L\.C\.|MEMBERSHIP|LIMITED LIABILITY COMPANY)\s+INTERESTS?\b/;
const LLC = /\bL\.?L\.?C\b/;

const PLAIN_UNIT_WORDS =
  /\b(?:UNITS?|LP|L\.P\.|LIMITED|PARTNERS?|PARTNERSHIP|INTERESTS?|REPRESENTING|COMMON|COM|IN|OF|A)(?![A-Z])/g;
const PARTNERSHIP = /\bL\.?\s?P\b|\bPARTNERS(?:HIP)?\b/;

/** The letter of the share class in a ticker or in a security's name; null when neither has one. */
export function shareClassOf(ticker: Ticker | null, name: string): string | null {
  const suffix = ticker === null ? null : (/\.([A-Z])$/.exec(ticker)?.[1] ?? null);
  if (suffix !== null && !NOT_A_CLASS.has(suffix)) return suffix;
  return classInTitle(name) ?? CLASS_AT_END.exec(name.toUpperCase().trim())?.[1] ?? null;
}

/** `B` for `Class B Common Stock` and for `CL-B`; null for `Common Stock`. */
export function classInTitle(title: string): string | null {
  return CLASS_IN_NAME.exec(title.toUpperCase())?.[1] ?? null;
}

/** Preferred shares, warrants, notes and other securities of the issuer that are not common stock. */
export function isOtherThanCommon(title: string): boolean {
  const upper = title.toUpperCase();
  return !COMMON_FIRST.test(upper) && NOT_COMMON.test(upper.replace(COMMON_UNITS, ''));
}

/** `AMC ENTMT HLDGS INC PFD EQUITY` of that registrant; not `PREFERRED BANK`, which is called so. */
export function isPreferred(description: string, registered: string): boolean {
  return PREFERRED.test(description.toUpperCase()) && !PREFERRED.test(registered.toUpperCase());
}

/** `Term Loan`, `Phantom Stock`: a debt of the issuer, not a share. */
export function isDebtOrPhantom(title: string): boolean {
  const upper = title.toUpperCase();
  return !COMMON_FIRST.test(upper) && DEBT_OR_PHANTOM.test(upper);
}

/** `LLC Interests`: usually in a subsidiary; for an issuer with {@link isLlc}, its own shares. */
export function isInterest(title: string): boolean {
  const upper = title.toUpperCase();
  return !COMMON_FIRST.test(upper) && INTEREST.test(upper);
}

export function isLlc(name: string): boolean {
  return LLC.test(name.toUpperCase());
}

/** Only the word units contradicts common stock: it may be a partnership's interest. */
export function namesUnitsOnly(title: string): boolean {
  return isOtherThanCommon(title) && !NOT_COMMON.test(title.toUpperCase().replace(/\bUNITS?\b/g, ''));
}

/** `Units`, `Limited Partner Interest Units`: words that fit the units of any partnership. */
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

/**
 * True for a ticker with the suffix of a warrant, unit, right or preferred share (`.WS`, `.WT`, `.U`, `.RI`,
 * `.PRA`, `.PA`, `.P`).
 */
export function isOtherThanShare(ticker: Ticker): boolean {
  const suffix = ticker.split('.')[1] ?? '';
  return NOT_A_CLASS.has(suffix) || /^(WS|WT|PR|RT|R[IW]$|UN|P[A-Z]?$)/.test(suffix);
}

/**
 * True for a ticker that only the issuer's other tickers distinguish from a share. The fails files print
 * preferred shares as `NLYPRH` for the issuer of `NLY`. Nasdaq's fifth letter gives `AUROW` with `AUR`.
 */
export function isOtherThanShareOf(ticker: Ticker, ofIssuer: ReadonlySet<string>): boolean {
  const stem = /^(.+)PR[A-Z]?$/.exec(ticker)?.[1];
  if (stem !== undefined && ofIssuer.has(stem)) return true;
  if (!FIFTH_LETTER.test(ticker)) return false;
  return [...ofIssuer].some((other) => other !== ticker && other.startsWith(ticker.slice(0, 3)));
}
