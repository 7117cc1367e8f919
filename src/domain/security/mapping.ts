import { addDays } from '../calendar.ts';
import { groupBy } from '../group.ts';
import { type Cik, type Cusip, type IsoDate, issuerOf, parseTicker, type Ticker } from '../ids.ts';
import type { Reason } from '../quality/quality.ts';
import { withoutSeparator } from './symbol.ts';
import { LATER_SOURCE_DAYS, RECYCLED_TICKER_DAYS } from './thresholds.ts';

export type MappingSource = 'fails_to_deliver' | 'company_tickers' | 'form4';

/** Confidence in each source, 0 to 1. The fails file has CUSIP and symbol on one row. */
export const MAPPING_CONFIDENCE: Record<MappingSource, number> = {
  fails_to_deliver: 0.95,
  form4: 0.85,
  company_tickers: 0.7,
};

/**
 * One source says that a symbol means a CUSIP or a CIK, in one file, form or snapshot (rule 3.4).
 */
export type SecurityMapping = {
  readonly kind: 'cusip' | 'cik';
  /** As the source prints it, normalised; with a dot only when the source has a separator. */
  readonly symbol: Ticker;
  readonly cusip: Cusip | null;
  readonly cik: Cik | null;
  readonly name: string;
  readonly source: MappingSource;
  /** Settlement date, filing date or day of the snapshot; null when unknown. */
  readonly sourceDate: IsoDate | null;
  /** First and last day on which the source stated it; null when only `sourceDate` is known. */
  readonly validFrom: IsoDate | null;
  readonly validTo: IsoDate | null;
  readonly confidence: number;
  /** Printed after the symbol in a fails file ({@link printedSymbol}). */
  readonly placeholder?: 'XXXX' | 'ZZZZ';
  /** Names of the CUSIP's issuer on official lists of any quarter, former names included. */
  readonly listedNames?: readonly string[];
};

/** Mappings by each key of a look-up. Build it once for many look-ups. */
export type MappingIndex = Readonly<
  Record<
    /** `byBareSymbol`: by the symbol without its dot. */
    'bySymbol' | 'byBareSymbol' | 'byCusip' | 'byIssuer' | 'byCik',
    ReadonlyMap<string, readonly SecurityMapping[]>
  >
>;

/** The index of the mappings; an index stays as it is. */
export function indexMappings(mappings: readonly SecurityMapping[] | MappingIndex): MappingIndex {
  if ('bySymbol' in mappings) return mappings;
  return {
    bySymbol: groupBy(mappings, (mapping) => mapping.symbol),
    byBareSymbol: groupBy(mappings, (mapping) => withoutSeparator(mapping.symbol)),
    byCusip: groupBy(mappings, (mapping) => mapping.cusip),
    byIssuer: groupBy(mappings, issuerIn),
    byCik: groupBy(mappings, (mapping) => mapping.cik),
  };
}

/** The issuer's characters of the CUSIP; null for a mapping to a CIK. */
export function issuerIn({ cusip }: Pick<SecurityMapping, 'cusip'>): string | null {
  return cusip === null ? null : issuerOf(cusip);
}

/** The last day up to the as-of date on which the source stated it; null when later or undated. */
export function lastSeen(mapping: SecurityMapping, asOf: IsoDate): IsoDate | null {
  const from = firstSeen(mapping);
  const to = mapping.validTo ?? mapping.sourceDate;
  if (from === null || to === null || from > asOf) return null;
  return to <= asOf ? to : asOf;
}

export function firstSeen(mapping: SecurityMapping): IsoDate | null {
  return mapping.validFrom ?? mapping.sourceDate;
}

export function isLaterWithinReach(mapping: SecurityMapping, asOf: IsoDate): boolean {
  const from = firstSeen(mapping);
  return from !== null && from > asOf && from <= addDays(asOf, LATER_SOURCE_DAYS);
}

/** What fails files print after a symbol around a corporate action: `XXXX` on the CUSIP that ends, `ZZZZ` on the next. */
type Placeholder = 'XXXX' | 'ZZZZ';

/** `OIXXXX` as `OI` and its placeholder, any other symbol alone; null for text that is no symbol (rule 3.4). */
export function printedSymbol(text: string): { symbol: Ticker; placeholder?: Placeholder } | null {
  const [, root = text, placeholder] = /^(.+)(XXXX|ZZZZ)$/.exec(text) ?? [];
  const symbol = parseTicker(root);
  if (symbol === null) return null;
  return placeholder === undefined ? { symbol } : { symbol, placeholder: placeholder as Placeholder };
}

/** A placeholder says whose CUSIP it is, not that it traded under the symbol on that day. */
export function isPlaceholder(mapping: SecurityMapping): boolean {
  return mapping.placeholder !== undefined;
}

/**
 * The CUSIP and those that are one security with it by the placeholders of their symbol: `XXXX` on one
 * and `ZZZZ` on the next, a few days apart. One of the two alone proves nothing: a merger has it too.
 *
 * @param own all statements of a CUSIP under the symbol
 */
export function movedWith(cusip: Cusip | null, own: readonly SecurityMapping[]): ReadonlySet<Cusip | null> {
  const ended = own.filter(({ placeholder }) => placeholder === 'XXXX');
  const begun = own.filter(({ placeholder }) => placeholder === 'ZZZZ');
  const moves = ended.flatMap((from) => begun.flatMap((to) => (isNear(from, to) ? [[from, to]] : [])));
  const linked = new Set([cusip]);
  // The loop also visits what it adds.
  for (const one of linked) {
    for (const move of moves) {
      if (move.some((mapping) => mapping.cusip === one)) for (const end of move) linked.add(end.cusip);
    }
  }
  return linked;
}

function isNear(a: SecurityMapping, b: SecurityMapping): boolean {
  const ends = [a, b].map((mapping) => ({ from: firstSeen(mapping), to: lastSeen(mapping, LAST) }));
  const [one, other] = ends;
  if (!one?.from || !one.to || !other?.from || !other.to) return false;
  const [earlier, later] = one.from <= other.from ? [one.to, other.from] : [other.to, one.from];
  return later <= addDays(earlier, RECYCLED_TICKER_DAYS);
}

const LAST = '9999-12-31' as IsoDate;

/** What a ticker stands for on the as-of date (rule 3.5). */
export type SecurityResolution =
  | {
      readonly kind: 'resolved';
      readonly ticker: Ticker;
      /** The ticker asked for, where its company has given it up. */
      readonly formerTicker?: Ticker;
      readonly name: string;
      /** Null when only the issuer is known (Form 4): 13F rows cannot be matched. */
      readonly cusip: Cusip | null;
      /** True where only a source after the as-of date states the CUSIP; absent otherwise. */
      readonly isLaterCusip?: true;
      readonly issuerCik: Cik | null;
      /** True where fails files describe preferred shares; absent otherwise. */
      readonly isPreferred?: true;
      /** Tickers of the same issuer's other share classes. */
      readonly siblings: readonly Ticker[];
      /** Letter of the share class (`A` of `BRK.A`); null or absent when unknown. */
      readonly shareClass?: string | null;
      /** Letters of the siblings' classes, as far as known. */
      readonly siblingClasses?: readonly string[];
      readonly sources: readonly string[];
      readonly reasons: readonly Reason[];
    }
  | { readonly kind: 'unknown'; readonly ticker: Ticker }
  | { readonly kind: 'ambiguous'; readonly ticker: Ticker; readonly candidates: readonly string[] };

/** Managers that hold a CUSIP, by the quarter end. */
export type HolderCounts = { readonly now: number; readonly before: number };

/**
 * Whether the reports confirm the CUSIP of the as-of date (`own`) against the one of the quarter
 * (`other`). Sources give the day when a CUSIP first failed to settle, not since when it was held. So
 * more holders decide, counted over two quarters: a few that report late or early do not matter. A
 * change of CUSIP that filers proved by vote gives way only when its CUSIP has no holder.
 */
export function isConfirmed(own: HolderCounts, other: HolderCounts, isVoted: boolean): boolean {
  return isVoted ? own.now > 0 && other.now === 0 : own.now + own.before > other.now;
}
