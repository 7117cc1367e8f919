import type { Db } from 'mongodb';
import { batches } from '../../domain/group.ts';
import { type Cik, type Cusip, type IsoDate, issuerOf, type Ticker } from '../../domain/ids.ts';
import { type FormSecurity, tickerOfForm } from '../../domain/security/form-ticker.ts';
import { agreeInFull, compareNames } from '../../domain/security/issuer-name.ts';
import type { SecurityList } from '../../domain/security/listed.ts';
import { indexMappings, issuerIn, type SecurityMapping } from '../../domain/security/mapping.ts';
import { resolveSecurity, tickersOfCusip, tickerThroughMove } from '../../domain/security/resolve.ts';
import {
  daysOf,
  mappingsIn,
  mappingsOn,
  type Statement,
  statementsOf,
} from '../../domain/security/statement.ts';
import { withoutSeparator } from '../../domain/security/symbol.ts';
import { findAmong } from '../mongo/lists.ts';
import { insertNew } from '../mongo/write.ts';
import { listedNamesOf } from './listed.ts';

/** One statement of a source about a symbol, with all its days. The id is made of what it states. */
type SecurityDoc = Omit<Statement, 'id'> & { _id: string; bare: string; issuer: string | null };

export const securitiesIn = (db: Db) => db.collection<SecurityDoc>('securities');

const BATCH = 2_000;

/**
 * Adds statements. A known one only gets further days, so the order of arrival does not matter, and the
 * same file again changes nothing. A company list that renames a company replaces the name.
 */
export async function saveMappings(db: Db, mappings: readonly SecurityMapping[]): Promise<void> {
  for (const batch of batches(statementsOf(mappings), BATCH)) {
    const added = new Set(await insertNew(securitiesIn(db), batch.map(toDoc)));
    const known = batch.filter((_, place) => !added.has(place));
    await widen(db, known);
  }
}

function toDoc({ id, ...statement }: Statement): SecurityDoc {
  return { _id: id, ...statement, bare: withoutSeparator(statement.symbol), issuer: issuerIn(statement) };
}

/** A source that states the same on other days. */
async function widen(db: Db, known: readonly Statement[]): Promise<void> {
  const writes = known.flatMap(({ id, name, validFrom, validTo, spans }) => {
    if (validFrom === null || validTo === null) return [];
    const added = spans === undefined ? { $set: { name } } : { $addToSet: { spans: { $each: [...spans] } } };
    const update = { ...added, $min: { validFrom }, $max: { validTo } };
    return [{ updateOne: { filter: { _id: id }, update } }];
  });
  if (writes.length > 0) await securitiesIn(db).bulkWrite(writes, { ordered: false });
}

/** Takes the days of the mappings from their statements. A statement without days is gone. */
export async function withdrawMappings(db: Db, mappings: readonly SecurityMapping[]): Promise<void> {
  for (const { id, spans: withdrawn = [] } of statementsOf(mappings)) {
    for (let isDone = false; !isDone; ) isDone = await withdrawSpans(db, id, new Set(withdrawn));
  }
}

/** False when another writer was faster. */
async function withdrawSpans(db: Db, id: string, withdrawn: ReadonlySet<string>): Promise<boolean> {
  const known = await securitiesIn(db).findOne({ _id: id });
  if (known?.spans === undefined) return true;
  const spans = known.spans.filter((span) => !withdrawn.has(span));
  const asRead = { _id: id, spans: [...known.spans] };
  if (spans.length === 0) return (await securitiesIn(db).deleteOne(asRead)).deletedCount === 1;
  const update = { $set: { spans, ...daysOf(spans) } };
  return (await securitiesIn(db).updateOne(asRead, update)).matchedCount === 1;
}

/**
 * Every statement that the resolution of a symbol may rest on: those of the symbol with and without
 * its dot, and those of the same CUSIP issuers and CIKs (for the sibling share classes).
 */
export async function mappingsOf(db: Db, tickers: readonly Ticker[]): Promise<SecurityMapping[]> {
  return (await statementsOfSymbols(db, tickers)).flatMap(mappingsIn);
}

async function statementsOfSymbols(db: Db, tickers: readonly Ticker[]): Promise<SecurityDoc[]> {
  const asked = new Set(tickers.map(withoutSeparator));
  const own = await statementsWith(db, [...asked]);
  const issuers = own.flatMap((doc) => doc.issuer ?? []);
  const ciks = own.flatMap((doc) => doc.cik ?? []);
  const cusips = [...new Set(own.flatMap((doc) => doc.cusip ?? []))];
  const [ofIssuers, ofCiks, listedNames] = await Promise.all([
    distinctAmong(db, 'bare', { field: 'issuer', values: issuers }),
    distinctAmong(db, 'bare', { field: 'cik', values: ciks }),
    listedNamesOf(db, cusips),
  ]);
  // Only their symbols are read there: the statements of those asked for are known already.
  const others = [...ofIssuers, ...ofCiks].filter((bare) => !asked.has(bare));
  const relatives = await statementsWith(db, others);
  return [...own, ...relatives].map((doc) => withListedNames(doc, listedNames));
}

function statementsWith(db: Db, bares: readonly string[]): Promise<SecurityDoc[]> {
  return findAmong(securitiesIn(db), { field: 'bare', values: bares });
}

type LookUp = 'bare' | 'issuer' | 'cik';

/** One field of the statements, each value once. */
async function distinctAmong<F extends 'symbol' | 'bare' | 'cusip'>(
  db: Db,
  wanted: F,
  { field, values }: { readonly field: LookUp; readonly values: readonly string[] },
): Promise<NonNullable<SecurityDoc[F]>[]> {
  const docs = await findAmong(securitiesIn(db), { field, values, projection: { [wanted]: 1 } });
  return [...new Set(docs.flatMap((doc) => doc[wanted] ?? []))];
}

function withListedNames(doc: SecurityDoc, names: ReadonlyMap<Cusip, readonly string[]>): SecurityDoc {
  const listedNames = doc.cusip === null ? undefined : names.get(doc.cusip);
  return listedNames === undefined ? doc : { ...doc, listedNames };
}

/**
 * CUSIPs of a list that names their issuers differently than a source of tickers did: the later name
 * may lead an issuer back to its registered one. Reads every statement once. That costs less than
 * looking up a whole list, and happens four times a year.
 */
export async function renamedBy(db: Db, { rows }: SecurityList): Promise<Cusip[]> {
  const names = new Map(rows.flatMap((row) => (row.kind === 'security' ? [[row.cusip, row.issuer]] : [])));
  const renamed = new Set<Cusip>();
  const statements = securitiesIn(db).find({ kind: 'cusip' }, { projection: { cusip: 1, name: 1 } });
  for await (const { cusip, name } of statements) {
    const listed = cusip === null ? undefined : names.get(cusip);
    if (cusip === null || listed === undefined || renamed.has(cusip)) continue;
    const isAsBefore = compareNames(name, listed) !== 'different' && agreeInFull(name, listed);
    if (!isAsBefore) renamed.add(cusip);
  }
  return [...renamed].sort();
}

/** Every symbol that any source ever gave to the CUSIPs: what to build again when they change. */
export async function symbolsOfCusips(db: Db, cusips: readonly Cusip[]): Promise<Ticker[]> {
  return spellings(db, await statedSymbols(db, cusips));
}

async function statedSymbols(db: Db, cusips: readonly Cusip[]): Promise<Ticker[]> {
  const wanted = new Set(cusips);
  const named = (await statedOfIssuers(db, cusips)).filter(({ cusip }) => wanted.has(cusip));
  return [...new Set(named.map(({ symbol }) => symbol))];
}

/**
 * The CUSIPs of the same issuers, by their digits, with every symbol and name that a source gave to one. The index of the
 * issuer serves single CUSIPs too: one index less to write.
 */
export async function statedOfIssuers(db: Db, cusips: readonly Cusip[]) {
  const docs = await findAmong(securitiesIn(db), {
    field: 'issuer',
    values: cusips.map(issuerOf),
    projection: { cusip: 1, symbol: 1, name: 1 },
  });
  return docs.flatMap(({ cusip, ...doc }) => (cusip === null ? [] : [{ ...doc, cusip, cik: null }]));
}

/** Every CUSIP that any source ever gave to the symbols, in any spelling of them. */
export async function cusipsOfSymbols(db: Db, symbols: readonly Ticker[]): Promise<Cusip[]> {
  return distinctAmong(db, 'cusip', { field: 'bare', values: symbols.map(withoutSeparator) });
}

export async function symbolsOfCik(db: Db, cik: Cik): Promise<Ticker[]> {
  return symbolsOfCiks(db, [cik]);
}

/** Those that sources give to the issuers, and those of their other shares, by the digits of the CUSIP (rule 3.5). */
export async function symbolsOfCiks(db: Db, ciks: readonly Cik[]): Promise<Ticker[]> {
  const stated = await distinctAmong(db, 'symbol', { field: 'cik', values: ciks });
  const cusips = await cusipsOfSymbols(db, stated);
  const siblings = await distinctAmong(db, 'symbol', { field: 'issuer', values: cusips.map(issuerOf) });
  return spellings(db, [...new Set([...stated, ...siblings])]);
}

/** `BRKB` of the fails files is asked for as `BRK.B`: both spellings are built. */
async function spellings(db: Db, symbols: readonly Ticker[]): Promise<Ticker[]> {
  const values = symbols.map(withoutSeparator);
  return [...new Set([...symbols, ...(await distinctAmong(db, 'symbol', { field: 'bare', values }))])];
}

/** The ticker of each CUSIP on the as-of date, where exactly one source of truth names it. */
export async function tickersByCusip(
  db: Db,
  cusips: readonly Cusip[],
  asOf: IsoDate,
): Promise<Map<Cusip, Ticker>> {
  const named = await namedTickersByCusip(db, cusips, asOf);
  return new Map([...named].map(([cusip, { ticker }]) => [cusip, ticker]));
}

type NamedTicker = { readonly ticker: Ticker; readonly name: string; readonly isPresent: boolean };

/**
 * The same with the name that goes with the ticker: the registrant's, where a source has it. `isPresent` is
 * false for a CUSIP that the ticker had on other days.
 */
export async function namedTickersByCusip(db: Db, cusips: readonly Cusip[], asOf: IsoDate) {
  const found = new Map<Cusip, NamedTicker>();
  // Without other spellings: statements are looked up without the separator.
  const symbols = await statedSymbols(db, cusips);
  if (symbols.length === 0) return found;
  const statements = await statementsOfSymbols(db, symbols);
  const index = indexMappings(statements.flatMap((statement) => mappingsOn(statement, asOf)));
  for (const cusip of cusips) {
    const [present] = tickersOfCusip(cusip, index, asOf);
    const ticker = present ?? tickerThroughMove(cusip, index, asOf);
    if (ticker === null) continue;
    const resolution = resolveSecurity(ticker, index, asOf);
    const name = resolution.kind === 'resolved' ? resolution.name : ticker;
    found.set(cusip, { ticker, name, isPresent: present !== undefined });
  }
  return found;
}

/** The ticker that each form, or row of one, means (rule 6.10), in their order. */
export async function tickersOfForms(
  db: Db,
  forms: readonly (FormSecurity & { readonly cik: Cik })[],
): Promise<(Ticker | null)[]> {
  const projection = { cik: 1, symbol: 1, source: 1, name: 1, bare: 1 };
  const ofIssuers = await findAmong(securitiesIn(db), {
    field: 'cik',
    values: forms.map(({ cik }) => cik),
    projection,
  });
  const bares = [
    ...forms.flatMap(({ symbols }) => symbols.map(withoutSeparator)),
    ...ofIssuers.map(({ bare }) => bare),
  ];
  const where = { source: 'fails_to_deliver' as const };
  const printed = await findAmong(securitiesIn(db), { field: 'bare', values: bares, where, projection });
  return forms.map((form) => {
    const ofIssuer = ofIssuers.filter(({ cik }) => cik === form.cik);
    return tickerOfForm(form, { ofIssuer, printed });
  });
}
