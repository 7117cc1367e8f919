import { MAX_DESCRIPTION, MIN_MISPRINT, MIN_RUN } from './thresholds.ts';

/** Whether two names are of one issuer; `unknown` when a name has nothing to compare. */
type NameVerdict = 'same' | 'different' | 'unknown';

const words = (text: string): ReadonlySet<string> => new Set(text.split(' '));
/** Legal forms and other words that do not identify an issuer. */
const FILLER = words(
  'INC INCORPORATED CORP CORPORATION CRP CO COS COMPANY COMPANIES THE HOLDINGS HOLDING HLDGS HLDG GROUP GRP ' +
    'LTD LIMITED PLC LLC LP SA NV AG SE AB ASA SPA SAB CV KK BV NEW OLD DEL DE MD NY BVI TR TRUST AND OF FOR IN ' +
    'FUND FD FDS FUNDS ETF ETFS ETN REIT UNIT UNITS CAP STK ST PAR A B C D',
);
/** Words so frequent among issuers that sharing only one of them proves nothing. */
const FREQUENT = words(
  'AMERICAN AMER US USA UNITED NATIONAL NATL FIRST INTERNATIONAL INTL GLOBAL WORLD CHINA CANADA CAPITAL ' +
    'BANCORP BANCORPORATION BANCSHARES BANK BK FINANCIAL FINL FIN ENERGY RESOURCES RES OIL GAS GOLD MINING ' +
    'PHARMACEUTICALS PHARMACEUTICAL PHARMA THERAPEUTICS BIO BIOSCIENCES SCIENCES MEDICAL HEALTH HEALTHCARE ' +
    'TECHNOLOGIES TECHNOLOGY TECH SYSTEMS SYS SOLUTIONS SERVICES MEDIA ENTERTAINMENT PARTNERS INCOME EQUITY ' +
    'INDUSTRIES PROPERTIES REALTY ESTATE ACQUISITION MANAGEMENT INSURANCE GENERAL SOUTHWEST EASTERN PACIFIC ' +
    'ATLANTIC YORK PETROLEUM',
);
/** Where the description of the security begins after the issuer's name. */
const SECURITY_KIND = /\s(?:COM|COMMON|CLASS|CL|SERIES|SER|SPON\w*|UNSPON\w*|ADR|ADS|ORD\w*|SHS|PFD)\b.*$/;

/**
 * Whether a description of the fails file and a registrant's name are of one issuer. The file truncates
 * names at 30 characters and shortens words: `ENTERPRISE PRODS PARTNERS LP`. One significant word in common
 * is enough. A former name without one is `different`, so compare all known names.
 */
export function compareNames(description: string, registered: string): NameVerdict {
  const [left, right] = [wordsOf(description), wordsOf(registered)];
  const [a, b] = [significant(left), significant(right)];
  const [first, other] = [a[0], b[0]];
  if (first === undefined || other === undefined) return 'unknown';
  const isSame =
    a.some((word) => word.length > 1 && b.includes(word)) ||
    ((a.length > 1 || first.length > 3) && isLike(first, other)) ||
    isRun(a.join(''), b.join('')) ||
    isLikeStart(left, right) ||
    isLikeStart(right, left) ||
    isAcronym(a, right) ||
    isAcronym(b, left) ||
    (!a.some(isDistinctive) && isWholly(description, registered)) ||
    (!b.some(isDistinctive) && isWholly(registered, description));
  return isSame ? 'same' : 'different';
}

/**
 * Whether two descriptions of the fails files under one ticker are of one issuer after a change of CUSIP:
 * they begin with the same two words. Two frequent words (`FIRST TRUST`) are not enough, and
 * `HAYMAKER ACQUISITION CORP II` is not the company whose ticker it took over.
 */
export function beginAlike(left: string, right: string): boolean {
  const [a, b] = [plainWords(left), plainWords(right)];
  const [start, other] = [a.slice(0, 2), b.slice(0, 2)];
  if (left === '' || start.join(' ') !== other.join(' ')) return false;
  if (a.find(isNumeral) !== b.find(isNumeral)) return false;
  if (start.some(isDistinctive)) return true;
  const [word, next] = [wordsOf(left).find(isDistinctive), wordsOf(right).find(isDistinctive)];
  return word === undefined || next === undefined || isLike(word, next) || isLike(next, word);
}

/**
 * Whether two names agree by more than chance: in two words, or in the only word of one of them. Not
 * alike: `ARRAY BIOPHARMA` and `Array Technologies`; an acronym and its full form; a company and the second
 * of its name (`II`); `RUBICON PROJECT` and `Rubico`.
 */
export function agreeInFull(description: string, registered: string): boolean {
  const [a, b] = [identifyingWords(description), identifyingWords(registered)];
  if (a.join('') === b.join('')) return true;
  const isCut = description.length >= MAX_DESCRIPTION && !SECURITY_KIND.test(description);
  if (!isCut && a.find(isNumeral) !== b.find(isNumeral)) return false;
  const isShort = Math.min(a.length, b.length) === 1;
  const isLone = isShort && a.length !== b.length;
  const isShared = (word: string, other: string): boolean =>
    word === other ||
    (isLone ? isPlural(word, other) || isPlural(other, word) : isMisprint(word, other)) ||
    (!isShort && isEitherShort(word, other));
  const shared = a.filter((word) => b.some((other) => isShared(word, other)));
  const others = b.filter((other) => a.some((word) => isShared(word, other)));
  return Math.min(shared.length, others.length) >= (isShort ? 1 : 2);
}

/**
 * For a name without a distinctive word, such as `HEALTHCARE SERVICES GROUP`: the other name
 * (`HEALTH CARE SVCS GROUP INC`) must have all its words and begin with its letters, up to the first
 * letter of the second word.
 */
function isWholly(general: string, other: string): boolean {
  const [a, b] = [identifyingWords(general), identifyingWords(other)];
  const start = a.join('').slice(0, (a[0]?.length ?? 0) + 1);
  const isIn = (word: string): boolean => b.some((next) => word === next || isEitherShort(word, next));
  return a.length > 1 && b.join('').startsWith(start) && a.every(isIn) && agreeInFull(general, other);
}

/** The same for `ATLASSIAN CORP PLC` and `ATLASSIAN CORPORATION`; empty when a name has nothing to compare. */
export function issuerKey(name: string): string {
  return identifyingWords(name).join(' ');
}

/** The word that a name begins with, such as `JACOBS`; empty where many names begin with it. */
export function namingWord(name: string): string {
  const [first = ''] = wordsOf(name);
  return first.length > 2 && isDistinctive(first) ? first : '';
}

/** The first word and how the second begins: `CANADIAN PAC` of `CANADIAN PACIFIC`; empty where many begin with it. */
export function namingWords(name: string): string {
  const [first = '', second = ''] = wordsOf(name);
  const isNaming = second.length > 2 && (isDistinctive(first) || isDistinctive(second));
  return isNaming ? `${first} ${second.slice(0, 3)}` : '';
}

/** `ACQUISITION` is in the name of every shell company. */
function identifyingWords(name: string): readonly string[] {
  return [...new Set(wordsOf(name))].filter((word) => !FILLER.has(word) && !/^ACQ/.test(word));
}

/** Looser than {@link isAbbreviation}, when another word agrees too: `BK`, `PETE`, `PPTYS`. */
function isEitherShort(word: string, other: string): boolean {
  const [short, long] = word.length < other.length ? [word, other] : [other, word];
  if (short.length === 1 || short[0] !== long[0]) return false;
  return isWithin(short, long) || isWithin(short, long.replace(/IES$/, 'YS'));
}

function plainWords(name: string): readonly string[] {
  return name.toUpperCase().split(/[^A-Z0-9]+/);
}

function isDistinctive(word: string): boolean {
  return !FILLER.has(word) && !FREQUENT.has(word);
}

function isNumeral(word: string): boolean {
  return /^(?:I{2,3}|IV|VI{0,3}|IX)$/.test(word);
}

/** Words of upper-case letters and digits, the same for `J P MORGAN`, `J.P. MORGAN` and `JP MORGAN`. */
function wordsOf(name: string): readonly string[] {
  const plain = name.normalize('NFD').replace(/\p{M}/gu, '').toUpperCase().replace(/['’]/g, '');
  const spaced = plain.replace(/[^A-Z0-9]+/g, ' ').trim();
  const joined = spaced.replace(/\b([A-Z0-9]) (?=[A-Z0-9]\b)/g, '$1');
  return joined
    .replace(SECURITY_KIND, '')
    .split(' ')
    .filter((word) => word !== '');
}

/** The distinctive words; without any, as in `AMERICAN INTL GROUP`, the frequent ones. */
function significant(all: readonly string[]): readonly string[] {
  const named = all.filter((word) => !FILLER.has(word));
  const distinctive = named.filter(isDistinctive);
  return [distinctive, named, all].find((list) => list.length > 0) ?? [];
}

/** `FIRST FINL CORP (INDIANA)`: two frequent words in a row are distinctive. */
function isLikeStart(left: readonly string[], right: readonly string[]): boolean {
  const [first = '', second = ''] = left;
  const [other = '', next = ''] = right;
  return second !== '' && !FILLER.has(second) && isLike(first, other) && isLike(second, next);
}

function isLike(printed: string, full: string): boolean {
  return printed === full || isAbbreviation(printed, full) || isMisprint(printed, full);
}

/**
 * `CHEM` for `CHEMICAL`, `AIRLS` for `AIRLINES`, `MTRS` for `MOTORS`. Abbreviations drop vowels first, so
 * `APPLE` is not short for `APPLIED`, nor `FLY` for `FIREFLY`.
 */
function isAbbreviation(short: string, long: string): boolean {
  if (short.length < 3 || short[0] !== long[0]) return false;
  if (long.startsWith(short)) return true;
  if (short.length > 4 && long.startsWith(short.replace(/S$/, ''))) return true;
  const hasVowels = short.length > 3 ? /[AEIOU].*[AEIOU]/ : /[AEIOUY]/;
  if (hasVowels.test(short)) return false;
  return isWithin(short, long);
}

/** Whether the second has all letters of the first in their order. */
function isWithin(short: string, long: string): boolean {
  let at = 0;
  for (const letter of long) if (letter === short[at]) at += 1;
  return at === short.length;
}

/** `CAMPBELLS` and `CAMPBELL`. */
function isPlural(word: string, other: string): boolean {
  return word.length >= MIN_MISPRINT && word === `${other}S`;
}

/** One letter wrong, missing or too many, or two swapped: `ALYNLAM`, `REVERVIEW`. */
function isMisprint(a: string, b: string): boolean {
  if (Math.max(a.length, b.length) < MIN_MISPRINT || digitsOf(a) !== digitsOf(b)) return false;
  let start = 0;
  while (start < a.length && a[start] === b[start]) start += 1;
  let end = 0;
  while (end < Math.min(a.length, b.length) - start && a.at(-1 - end) === b.at(-1 - end)) end += 1;
  const [left, right] = [a.slice(start, a.length - end), b.slice(start, b.length - end)];
  const isSwapped = left.length === 2 && left === [...right].reverse().join('');
  return isSwapped || Math.max(left.length, right.length) <= 1;
}

/** `GIGCAPITAL2` is not `GIGCAPITAL7`. */
function digitsOf(word: string): string {
  return word.replace(/\D/g, '');
}

/** `HUB SPOT` and `HUBSPOT`, joined. */
function isRun(a: string, b: string): boolean {
  return a === b || (a.length >= MIN_RUN && a.slice(0, MIN_RUN) === b.slice(0, MIN_RUN));
}

/** `NOV` for `NATIONAL OILWELL VARCO`. */
function isAcronym(short: readonly string[], long: readonly string[]): boolean {
  const initials = long
    .filter((word) => !FILLER.has(word))
    .map((word) => word[0])
    .join('');
  return short.some((word) => word.length >= 3 && initials.startsWith(word));
}
