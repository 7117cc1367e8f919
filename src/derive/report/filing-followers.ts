import type { Db } from 'mongodb';
import type { Follower } from '../../domain/filing/filing.ts';
import { groupBy } from '../../domain/group.ts';
import type { Accession, Cik, Ticker } from '../../domain/ids.ts';
import { MAPPING_CONFIDENCE, type SecurityMapping } from '../../domain/security/mapping.ts';
import { statementIdOf } from '../../domain/security/statement.ts';
import { symbolsIn } from '../../domain/security/symbol.ts';
import { type FilingDoc, type FormerReading, filingsIn, reportIdOf } from '../../store/filing/filings.ts';
import { invalidate, invalidateBriefs } from '../../store/invalidation/invalidate.ts';
import { invalidateNaming, namedByIssuer } from '../../store/invalidation/named-filings.ts';
import { saveMappings, symbolsOfCiks, withdrawMappings } from '../../store/security/securities.ts';
import { invalidateSearchOfSymbols } from '../search/invalidate-search.ts';

/** What was invalidated: keys of reports, and the tickers of briefs. */
type FilingFollowers = { readonly reports: readonly string[]; readonly tickers: readonly Ticker[] };

/**
 * Invalidates what parsed filings change, once for all of them, and then notes it, so that a crash in between only
 * repeats it.
 */
export async function invalidateFilingFollowers(
  db: Db,
  filings: readonly FilingDoc[],
): Promise<FilingFollowers> {
  await saveMappings(db, followedBy('brief', filings).flatMap(statedBy));
  for (const { former } of filings) if (former !== undefined) await withdrawFormer(db, former);
  const reports: string[] = [];
  const tickers: Ticker[] = [];
  for (const [lane, own] of groupBy(filings, (filing) => filing.lane)) {
    const folded = distinct(followedBy('report', own).flatMap(readingsOf).map(reportIdOf));
    await invalidate(db, { kind: 'report', lane }, folded);
    const named = await tickersOfIssuers(db, followedBy('brief', own).flatMap(readingsOf));
    await invalidateBriefs(db, named, { lane, unmoved: true });
    await invalidateNaming(db, lane, filingsByIssuer(followedBy('insider', own)));
    reports.push(...folded);
    tickers.push(...named);
  }
  await noteInvalidated(db, filings);
  return { reports, tickers };
}

function followedBy(kind: Follower, filings: readonly FilingDoc[]): FilingDoc[] {
  return filings.filter(({ followers }) => followers.includes(kind));
}

/** A filing that was read again may have been of another report or issuer before. */
function readingsOf(filing: FilingDoc): FormerReading[] {
  return filing.former === undefined ? [filing] : [filing.former, filing];
}

function filingsByIssuer(filings: readonly FilingDoc[]): Map<Cik, Accession[]> {
  const named = filings.flatMap((filing) =>
    distinct(readingsOf(filing).map(({ issuerCik }) => issuerCik)).map((cik) => [cik, filing._id] as const),
  );
  return namedByIssuer(named);
}

function distinct<T>(values: readonly (T | null)[]): T[] {
  return [...new Set(values.flatMap((value) => value ?? []))] as T[];
}

/** The symbols that the forms themselves state for their issuers, then every symbol known for the issuers. */
async function tickersOfIssuers(db: Db, readings: readonly FormerReading[]): Promise<Ticker[]> {
  const issuers = distinct(readings.map(({ issuerCik }) => issuerCik));
  if (issuers.length === 0) return [];
  const stated = readings.flatMap(statedBy).map(({ symbol }) => symbol);
  const symbols = [...new Set([...stated, ...(await symbolsOfCiks(db, issuers))])];
  await invalidateSearchOfSymbols(db, symbols);
  return symbols;
}

async function noteInvalidated(db: Db, filings: readonly FilingDoc[]): Promise<void> {
  const { matchedCount } = await filingsIn(db).bulkWrite(
    filings.map(({ _id, fence, parserVersion }) => ({
      updateOne: {
        filter: { _id, fence, parserVersion },
        update: { $set: { derive: 'done' as const }, $unset: { former: '' as const } },
      },
    })),
    { ordered: false },
  );
  if (Number(matchedCount) === filings.length) return;
  // Another worker read a filing again: what this reading stated may have been withdrawn before it was saved.
  for (const filing of filings) await withdrawFormer(db, filing);
}

/** What an ownership form states of its issuer's symbols (rule 3.4). */
export function statedBy({ content, issuerCik, filedDate }: FormerReading): SecurityMapping[] {
  if (issuerCik === null || content?.kind !== 'ownership') return [];
  return symbolsIn(content.issuer.symbol).map(
    (symbol): SecurityMapping => ({
      kind: 'cik',
      symbol,
      cusip: null,
      cik: issuerCik,
      name: content.issuer.name,
      source: 'form4',
      sourceDate: filedDate,
      validFrom: filedDate,
      validTo: filedDate,
      confidence: MAPPING_CONFIDENCE.form4,
    }),
  );
}

/**
 * Withdraws what only an earlier reading of a form stated. Other forms of the day may state the same, so
 * these are read again, before and after. Call it when the filing has its new reading.
 */
export async function withdrawFormer(db: Db, former: FormerReading): Promise<void> {
  const stated = statedBy(former);
  if (stated.length === 0) return;
  const kept = new Set((await statedThatDay(db, former)).map(statementIdOf));
  const withdrawn = stated.filter((mapping) => !kept.has(statementIdOf(mapping)));
  if (withdrawn.length === 0) return;
  await withdrawMappings(db, withdrawn);
  // Another form may have been read since.
  await saveMappings(db, await statedThatDay(db, former));
}

async function statedThatDay(db: Db, { issuerCik, filedDate }: FormerReading): Promise<SecurityMapping[]> {
  const forms = await filingsIn(db).find({ issuerCik, filedDate, state: 'parsed' }).toArray();
  return forms.filter(({ followers }) => followers.includes('brief')).flatMap(statedBy);
}
