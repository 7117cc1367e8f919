/**
 * A backup copies one collection after another while processes write. So what refers comes before what it
 * refers to, and what says "complete" before what it speaks of: a day of the index before its filings, a
 * filing before its bytes, the ledger before its grants and organisations. What is added meanwhile is then
 * at most too much in the copy, never missing.
 */
const FIRST: readonly string[] = [
  ...['settings', 'index_days', 'alarms', 'data_sets', 'data_set_units'],
  ...['usage', 'ledger_checks', 'ledger', 'vouchers', 'grants', 'watchlists', 'keys', 'organizations'],
  ...['filings', 'events', 'raw', 'raw_parts', 'filing_rows'],
  ...['current_briefs', 'briefs', 'evidence_pages'],
];

/** Of the processes that run, not of the data. */
const LEFT_OUT: readonly string[] = ['heartbeats'];

/** Read before everything and written after it (`dump.ts`). */
export const INVALIDATIONS = 'invalidations';

/** The collections of a database in the order of a copy, without the invalidations. The rest is derived. */
export function copyOrder(names: readonly string[]): string[] {
  const rest = names.filter((name) => ![...FIRST, ...LEFT_OUT, INVALIDATIONS].includes(name)).sort();
  return [...FIRST.filter((name) => names.includes(name)), ...rest];
}
