import { compare } from '../compare.ts';
import { groupBy } from '../group.ts';
import type { IsoDate } from '../ids.ts';
import { firstSeen, type SecurityMapping } from './mapping.ts';

/**
 * What a source states of a symbol, once for all its files and forms that state it (rule 3.4). The
 * company list is one snapshot: its statement has the days of the mapping. Other sources repeat theirs, and
 * gaps decide (rules 3.5 and 3.9), so each span of days is kept.
 */
export type Statement = SecurityMapping & {
  readonly id: string;
  /** `<first day>/<last day>` of each file or form, each span once; absent for the company list. */
  readonly spans?: readonly string[];
};

/** The statements of the mappings, in any order of these. */
export function statementsOf(mappings: readonly SecurityMapping[]): Statement[] {
  return [...groupBy(mappings, idOf)].flatMap(([id, own]) =>
    own.slice(-1).map((one) => joined(one, id, own)),
  );
}

/** A company may be renamed, so its name is not in the id of the company list's statement. */
function idOf({ source, symbol, cusip, cik, name }: SecurityMapping): string {
  const target = `${source}|${symbol}|${cusip ?? cik}`;
  return source === 'company_tickers' ? target : `${target}|${name}`;
}

function joined(one: SecurityMapping, id: string, own: readonly SecurityMapping[]): Statement {
  if (one.source === 'company_tickers') return { ...one, id };
  const spans = [...new Set(own.flatMap(spanOf))];
  const days = spans.flatMap(daysOf).sort(compare);
  return { ...one, id, spans, sourceDate: null, validFrom: days[0] ?? null, validTo: days.at(-1) ?? null };
}

function spanOf(mapping: SecurityMapping): string[] {
  const [from, to] = [firstSeen(mapping), mapping.validTo ?? mapping.sourceDate];
  return from === null || to === null ? [] : [`${from}/${to}`];
}

function daysOf(span: string): IsoDate[] {
  return span.split('/') as IsoDate[];
}

/** One mapping for each span of a statement. */
export function mappingsIn(statement: Omit<Statement, 'id'>): readonly SecurityMapping[] {
  const { spans, ...mapping } = statement;
  if (spans === undefined || spans.length === 0) return [statement];
  return spans.map((span) => {
    const [from = null, to = null] = daysOf(span);
    return { ...mapping, sourceDate: to, validFrom: from, validTo: to };
  });
}
