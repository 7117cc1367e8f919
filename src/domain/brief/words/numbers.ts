import type { SplitFactor } from '../../report/report.ts';

/** `1 trade`, `2 trades`. */
export function counted(count: number, noun: string, nouns = `${noun}s`): string {
  return `${count} ${count === 1 ? noun : nouns}`;
}

/** `1 trade is`, `2 trades are`. */
export function are(count: number, noun: string): string {
  return counted(count, `${noun} is`, `${noun}s are`);
}

/** Digits in threes: `12,345,678`. */
export function grouped(amount: bigint | number | string): string {
  return String(amount).replace(/\B(?=(\d{3})+$)/g, ',');
}

/** Shares as a form gives them, with a fraction where it has one: `1,234.5 shares`. */
export function filedShares(shares: string | null): string {
  if (shares === null) return 'an unknown number of shares';
  const [whole = '', ...fraction] = shares.split('.');
  return `${[grouped(whole), ...fraction].join('.')} ${shares === '1' ? 'share' : 'shares'}`;
}

/** `4 for 1`, `3 for 2`, `1 for 10`. */
export function factorWords({ numerator, denominator }: SplitFactor): string {
  return `${numerator} for ${denominator}`;
}

/** A count in words: `12,345`, `198.3 m`, `1.2 bn`. */
export function amountWords(amount: bigint | number): string {
  const number = Math.abs(Number(amount));
  if (number >= 999_950_000) return `${(number / 1e9).toFixed(1)} bn`;
  return number >= 1_000_000 ? `${(number / 1e6).toFixed(1)} m` : grouped(Math.round(number));
}

/** `198.3 m shares`, `1 share`. */
export function sharesWords(shares: bigint): string {
  return `${amountWords(shares)} ${shares === 1n || shares === -1n ? 'share' : 'shares'}`;
}

/** `+198.3 m shares`, `-1 share`. */
export function signed(shares: bigint): string {
  return `${shares < 0n ? '-' : '+'}${sharesWords(shares)}`;
}

/** `$34.9 m`, without a sign. */
export function dollars(value: number): string {
  return `$${amountWords(value)}`;
}

/** With its sign, and decimals only where they say something: `+29 %`, `-3.4 %`, `+0.15 %`. */
export function percentWords(pct: number): string {
  return `${pct < 0 ? '-' : '+'}${percentOf(Math.abs(pct))}`;
}

/** A part, without a sign. What is not all is never written as 100 %. */
export function percentOf(pct: number): string {
  if (pct >= 99.5 && pct < 100) return `${Math.min(pct, 99.99).toFixed(2)} %`;
  const decimals = pct >= 10 ? 0 : pct >= 1 ? 1 : 2;
  return `${grouped(pct.toFixed(decimals))} %`;
}

/** `A and B`, `A, B and C`. */
export function listed(names: readonly string[]): string {
  const last = names.at(-1) ?? '';
  return names.length < 2 ? last : `${names.slice(0, -1).join(', ')} and ${last}`;
}

/** A sentence names so many filings; the coverage lists all of them. */
const MAX_FILINGS = 20;

export function namedFilings(filings: readonly string[]): string {
  const rest = filings.length - MAX_FILINGS;
  return listed([...filings.slice(0, MAX_FILINGS), ...(rest > 0 ? [`${rest} more`] : [])]);
}

/** Legal forms and the state behind a slash say nothing about who it is. */
const LEGAL_FORM =
  /(?<!&)[\s,]+(?:inc|incorporated|llc|l\.l\.c|lp|l\.p|llp|ltd|limited|corp|corporation|co|company|plc|ag|sa|nv|et al)\.?$/i;

const STATE = /\s*[/\\][A-Z]{2,3}[/\\]?$/;

/** Of names in capitals: shorter words are mostly initials, and so are those without a vowel (HSBC). */
const MIN_WORD = 4;

const INITIALS = /^[^AEIOUY]+$/;

/** Words as filers shorten them. */
const SHORTENED = /^(?:HLDGS?|MGMN?T|SVCS?|PTN?RS|PRTNRS?|MKTS|MTRS|CTRS|HLTH)$/;

const SMALL_WORDS: ReadonlySet<string> = new Set(['and', 'of', 'the', 'for', 'de']);
const MAX_NAME = 40;
const CUT_WORD = /\s+\S*$/;

/** What cannot stand at the end of a name that is cut. */
const LOOSE_END = /(?:[\s,&(-]|\s(?:and|of|the|for|de))+$/i;

/** A name as a sentence writes it: `BERKSHIRE HATHAWAY INC` is `Berkshire Hathaway`. */
export function shortName(filed: string): string {
  let name = filed.replace(/\s+/g, ' ').trim();
  for (let before = ''; before !== name; ) {
    before = name;
    name = name.replace(STATE, '').replace(LEGAL_FORM, '') || before;
  }
  if (!/[a-z]/.test(name)) name = name.split(' ').map(inLowerCase).join(' ');
  return name.length <= MAX_NAME
    ? name
    : `${name.slice(0, MAX_NAME).replace(CUT_WORD, '').replace(LOOSE_END, '')}…`;
}

function inLowerCase(word: string, at: number): string {
  const lower = word.toLowerCase();
  if (at > 0 && SMALL_WORDS.has(lower)) return lower;
  if (INITIALS.test(word) && !SHORTENED.test(word)) return word;
  if (word.length < MIN_WORD && !SMALL_WORDS.has(lower) && !/^co\.?$/.test(lower)) return word;
  return lower.replace(
    /(^|[-&.(])([a-z])/g,
    (_, mark: string, letter: string) => mark + letter.toUpperCase(),
  );
}
