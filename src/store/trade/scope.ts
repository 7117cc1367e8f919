import type { Cik, IsoDate } from '../../domain/ids.ts';
import { EARLIEST_PLAUSIBLE_TRADE } from '../../domain/insider/thresholds.ts';
import type { Side, Trade } from '../../domain/insider/trade.ts';

/**
 * A scope is a key under which a listed trade is found: whose trade (`i:` issuer, `o:` reporting
 * owner, a year, or empty for all) and which transaction codes. One index over scopes and the order
 * of the list serves every filter that narrows much. A query names its scopes exactly.
 */
const OPEN_MARKET = 'P,S';
const ALL = 'all';
const OTHER = 'other';
/** MongoDB merges the ranges of this many scopes in the order of the index. Beyond, it sorts. */
const MAX_SCOPES = 100;

/** Every scope that a listed trade is in. */
export function scopesOf({ filing, owners, placedOn, row }: Trade): string[] {
  const code = row.code ?? '';
  const classes = [ALL, code, code === 'P' || code === 'S' ? OPEN_MARKET : OTHER];
  const whose = ['', placedOn.slice(0, 4), `i:${filing.issuer.cik}`, ...owners.map(({ cik }) => `o:${cik}`)];
  return [...new Set(whose)].flatMap((one) => classes.map((of) => `${one}|${of}`));
}

/** Of the purchases and sales of an issuer. */
export function openMarketScope(issuerCik: Cik): string {
  return `i:${issuerCik}|${OPEN_MARKET}`;
}

export type ScopeQuery = {
  readonly issuerCik: string | null;
  readonly reportingOwnerCik: string | null;
  /** Transaction codes, or `all`. */
  readonly codes: 'all' | readonly string[];
  readonly side: Side | null;
  readonly since: IsoDate | null;
  readonly until: IsoDate | null;
  /** No trade is placed after it. */
  readonly asOf: IsoDate;
};

/** The narrowest scopes that hold every trade of the query; none when no trade can match. */
export function scopesFor(query: ScopeQuery): string[] {
  const classes = classesFor(query.codes, query.side);
  const years = yearsFor(query);
  const whose = (): readonly string[] => {
    if (query.reportingOwnerCik !== null) return [`o:${query.reportingOwnerCik}`];
    if (query.issuerCik !== null) return [`i:${query.issuerCik}`];
    return years === null || years.length * classes.length > MAX_SCOPES ? [''] : years;
  };
  return whose().flatMap((one) => classes.map((of) => `${one}|${of}`));
}

/** A listed trade is a buy when its code is P, a sale when it is S, and nothing else. */
function classesFor(codes: ScopeQuery['codes'], side: Side | null): readonly string[] {
  if (codes === 'all') return [side === null ? ALL : CLASS_OF_SIDE[side]];
  const fitting = [...new Set(codes)].filter((code) => side === null || sideOfCode(code) === side);
  return fitting.length === 2 && fitting.includes('P') && fitting.includes('S') ? [OPEN_MARKET] : fitting;
}

const CLASS_OF_SIDE: Readonly<Record<Side, string>> = { buy: 'P', sell: 'S', other: OTHER };

function sideOfCode(code: string): Side {
  if (code === 'P') return 'buy';
  return code === 'S' ? 'sell' : 'other';
}

/** Whether the last day asked for is over. Its trades may have been filed on any day since. */
export function isOfThePast<Q extends Pick<ScopeQuery, 'until' | 'asOf'>>(
  query: Q,
): query is Q & { readonly until: IsoDate } {
  return query.until !== null && query.until < query.asOf;
}

/** Null when the newest trades are wanted: then years would not narrow the query. */
function yearsFor(query: ScopeQuery): readonly string[] | null {
  if (!isOfThePast(query)) return null;
  const { since, until } = query;
  const first = Number((since ?? EARLIEST_PLAUSIBLE_TRADE).slice(0, 4));
  const from = Math.max(first, Number(EARLIEST_PLAUSIBLE_TRADE.slice(0, 4)));
  const count = Math.max(0, Number(until.slice(0, 4)) - from + 1);
  return Array.from({ length: count }, (_, at) => String(from + at));
}
