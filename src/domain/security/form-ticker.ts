import type { Ticker } from '../ids.ts';
import { isOtherThanCommon } from './class.ts';
import type { SecurityMapping } from './mapping.ts';
import { withoutSeparator } from './symbol.ts';

/** What a Form 4, or a row of it, says of its security. */
export type FormSecurity = {
  /** As `symbolsIn` reads the form's text. */
  readonly symbols: readonly Ticker[];
  /** Of its rows. */
  readonly titles: readonly string[];
};

type Stated = Pick<SecurityMapping, 'symbol' | 'source' | 'name'>;

/** Statements about the form's issuer, and those of fails files about any symbol of these. */
type KnownSymbols = { readonly ofIssuer: readonly Stated[]; readonly printed: readonly Stated[] };

/**
 * The ticker that a form means (rule 6.10). Rows of preferred shares and the like belong to the issuer's one symbol
 * that fails files describe so. Else it is the first symbol that the company list gives to the issuer, or that
 * fails files print. A symbol that no such source knows gives way to the issuer's only ticker. Null without any.
 */
export function tickerOfForm({ symbols, titles }: FormSecurity, known: KnownSymbols): Ticker | null {
  const { ofIssuer, printed } = known;
  const other = titles.length > 0 && titles.every(isOtherThanCommon) ? otherThanCommon(symbols, known) : null;
  if (other !== null) return other;
  const listed = ofIssuer.filter(({ source }) => source === 'company_tickers').map(({ symbol }) => symbol);
  const isKnown = (symbol: Ticker) => printed.some((one) => isSame(one.symbol, symbol));
  const spelled = symbols.flatMap((symbol) => listed.find((own) => isSame(own, symbol)) ?? []);
  const all = ofIssuer.map(({ symbol }) => symbol);
  return spelled[0] ?? symbols.find(isKnown) ?? only(listed) ?? symbols[0] ?? only(all);
}

function otherThanCommon(symbols: readonly Ticker[], { ofIssuer, printed }: KnownSymbols): Ticker | null {
  const own = [...symbols, ...ofIssuer.map(({ symbol }) => symbol)];
  const described = printed.filter(
    ({ symbol, name }) => isOtherThanCommon(name) && own.some((one) => isSame(one, symbol)),
  );
  return only(described.map(({ symbol }) => symbol));
}

/** `BRKB` and `BRK.B` are one, and two classes are two: none is guessed. */
function only(symbols: readonly Ticker[]): Ticker | null {
  if (new Set(symbols.map(withoutSeparator)).size !== 1) return null;
  return [...symbols].sort((a, b) => b.length - a.length)[0] ?? null;
}

function isSame(one: Ticker, other: Ticker): boolean {
  return withoutSeparator(one) === withoutSeparator(other);
}
