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
  return [...groupBy(mappings, statementIdOf)].flatMap(([id, own]) =>
    own.slice(-1).map((one) => joined(one, id, own)),
  );
}

/** A company may be renamed, so its name is not in the id of the company list's statement. */
export function statementIdOf({ source, symbol, placeholder, cusip, cik, name }: SecurityMapping): string {
  const target = `${source}|${symbol}${placeholder ?? ''}|${cusip ?? cik}`;
  return source === 'company_tickers' ? target : `${target}|${name}`;
}

function joined(one: SecurityMapping, id: string, own: readonly SecurityMapping[]): Statement {
  if (one.source === 'company_tickers') return { ...one, id };
  const spans = [...new Set(own.flatMap(spanOf))];
  return { ...one, id, spans, sourceDate: null, ...daysOf(spans) };
}

/** The first and the last day of the spans. */
export function daysOf(spans: readonly string[]): Pick<Statement, 'validFrom' | 'validTo'> {
  const [validFrom = null] = spans.map(fromOf).sort();
  return { validFrom, validTo: spans.map(toOf).sort().at(-1) ?? null };
}

function spanOf(mapping: SecurityMapping): string[] {
  const [from, to] = [firstSeen(mapping), mapping.validTo ?? mapping.sourceDate];
  return from === null || to === null ? [] : [`${from}/${to}`];
}

type Stated = Omit<Statement, 'id'>;

/** One mapping for each span of a statement. */
export function mappingsIn(statement: Stated): readonly SecurityMapping[] {
  return statement.spans?.length ? mappingsWith(statement, statement.spans) : [statement];
}

/**
 * The few mappings of a statement that decide on the as-of date: the first, and the last two up to that
 * day. They resolve a symbol or a CUSIP exactly as all of them do (rule 3.5), but not the CUSIP of a
 * quarter (rule 3.9), which depends on other days.
 */
export function mappingsOn(statement: Stated, asOf: IsoDate): readonly SecurityMapping[] {
  const spans = [...(statement.spans ?? [])].sort();
  if (spans.length <= DECIDING) return mappingsIn(statement);
  const first = spans.slice(0, 1);
  // Spans that were seen last on the same day stay in the order of their first days.
  const lastSeen = (span: string): string => (toOf(span) < asOf ? toOf(span) : asOf);
  const latest = spans
    .filter((span) => fromOf(span) <= asOf)
    .sort((a, b) => compare(lastSeen(a), lastSeen(b)))
    .slice(-2);
  return mappingsWith(statement, [...new Set([...first, ...latest])]);
}

const DECIDING = 3;

function mappingsWith({ spans: _, ...mapping }: Stated, spans: readonly string[]): SecurityMapping[] {
  return spans.map((span) => ({
    ...mapping,
    sourceDate: toOf(span),
    validFrom: fromOf(span),
    validTo: toOf(span),
  }));
}

const DAY = 'YYYY-MM-DD'.length;

function fromOf(span: string): IsoDate {
  return span.slice(0, DAY) as IsoDate;
}

function toOf(span: string): IsoDate {
  return span.slice(-DAY) as IsoDate;
}
