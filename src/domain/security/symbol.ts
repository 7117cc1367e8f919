import { parseTicker, type Ticker } from '../ids.ts';

/** What filers enter when there is no symbol. `NA` could be one, but that would be a guess. */
const NO_SYMBOL = new Set(
  'NONE N/A NA N.A. N.A NIL NULL UNKNOWN TBD NOTAPPLICABLE COMMON STOCK PRIVATE NYSE NASDAQ AMEX'.split(' '),
);
const EXCHANGE =
  /^(NYSE|NASDAQ|AMEX|OTC|OTCQB|OTCQX|OTCBB|PINK|TSX|LSE|CBOE|ARCA)([\s-]+[A-Z]+)*\s*:|^(NYSE|NASDAQ|AMEX)(\s+|[/-])(?=\S+$)/;
/** Not a share class: where the symbol is traded. */
const MARKET_AT_END = /\.(?:PK|OB|BB|OTC(?:BB|QB|QX)?)$/;
const MARKET_IN_BRACKETS = /^(\w+) ?\((?:NYSE|NASDAQ|AMEX|OTC|PINK)[^:()]*\)$/;
/** No suffix is that long except of preferred shares (`XYZ/PRA`), so `UA/UAA` is a list. */
const LIST_WITH_SLASH = /\/(?!PR[A-Z]$)[A-Z0-9]{3,}$/;

/**
 * The symbol in free text as filed on Form 4: `NYSE: X` gives `X`, `brk-b` gives `BRK.B`, `NONE` gives
 * null. A list (`BRK.A, BRK.B`) gives its first symbol, which is enough to find the issuer. Rules that need
 * a certain share class use {@link symbolsIn}.
 */
export function normaliseSymbol(text: string): Ticker | null {
  return symbolsIn(text)[0] ?? null;
}

/** All symbols in the text, in order, each once. Phrases (`not listed`) give none. */
export function symbolsIn(text: string): Ticker[] {
  const parts = text.toUpperCase().split(/[,;|&]|\s+(?:AND|OR)\s+|\)\s*\(/);
  return [...new Set(parts.flatMap(symbolsOfPart))];
}

function symbolsOfPart(part: string): Ticker[] {
  if (isNoSymbol(part.split('(')[0] ?? '')) return [];
  const bare = part
    .trim()
    .replace(MARKET_IN_BRACKETS, '$1')
    .replace(/["'()[\]$*]/g, ' ')
    .trim();
  const symbol = bare.replace(EXCHANGE, '').trim().replace(/\.$/, '').replace(MARKET_AT_END, '');
  if (symbol === '' || isNoSymbol(symbol)) return [];
  if (LIST_WITH_SLASH.test(symbol)) return symbol.split('/').flatMap(symbolsOfPart);
  // Some vendors print a share class as `BRK B`; other text with blanks is prose.
  const single = parseTicker(symbol.replace(/^([A-Z]{1,5})\s([A-Z])$/, '$1.$2'));
  if (single !== null) return [single];
  const words = symbol.split(/\s+/);
  if (words.length > 1 && words.every((word) => isAkin(word, words[0] ?? ''))) {
    return words.flatMap((word) => parseTicker(word) ?? []);
  }
  return symbol.includes('/') ? symbol.split('/').flatMap(symbolsOfPart) : [];
}

/** `FRG FRGAP` are two symbols of one issuer; `NOT LISTED` is prose. */
function isAkin(word: string, first: string): boolean {
  return first.length > 1 && word.startsWith(first.slice(0, 3)) && parseTicker(word) !== null;
}

/** `2330.TW`, `TSX: ABC`: a symbol with its exchange. Without one, `401K` and `ESPP` would match too. */
export function isListedElsewhere(text: string): boolean {
  return /^\s*(?:[A-Z]{2,6}\s*:\s*[A-Z0-9.]{1,8}|[A-Z0-9]{2,6}\.[A-Z]{1,3})\s*$/.test(text);
}

function isNoSymbol(text: string): boolean {
  return NO_SYMBOL.has(text.replace(/\s/g, ''));
}

/** `BRKB` for `BRK.B`, as files without a separator print it. */
export function withoutSeparator(ticker: Ticker): string {
  return ticker.replace('.', '');
}
