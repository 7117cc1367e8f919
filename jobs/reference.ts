import type { Db } from 'mongodb';
import { today } from '../src/derive/corpus/as-of.ts';
import { invalidateWholeSearch } from '../src/derive/search/invalidate-search.ts';
import { addDays } from '../src/domain/calendar.ts';
import { batchesOf } from '../src/domain/group.ts';
import { type IsoDate, parseIsoDate, parseTicker, type Ticker } from '../src/domain/ids.ts';
import type { PricedSecurity } from '../src/domain/market/market.ts';
import { MAPPING_CONFIDENCE, printedSymbol, type SecurityMapping } from '../src/domain/security/mapping.ts';
import { withoutSeparator } from '../src/domain/security/symbol.ts';
import { nullOn } from '../src/edgar/error.ts';
import { parseCompanyTickers } from '../src/edgar/reference/company-tickers.ts';
import { type FailsEntry, failsNamesBetween, readFailsFile } from '../src/edgar/reference/fails.ts';
import { clearReferenceAlarms } from '../src/store/filing/alarms.ts';
import { filingsIn } from '../src/store/filing/filings.ts';
import { isImported, noteImported, REFERENCE_RUN } from '../src/store/filing/settings.ts';
import { invalidate, invalidateBriefs } from '../src/store/invalidation/invalidate.ts';
import { invalidationsIn } from '../src/store/invalidation/invalidation.ts';
import { hasMarketPrices, isReadFor, saveMarketPrices } from '../src/store/peers/market-prices.ts';
import { heldAmong } from '../src/store/report/holdings.ts';
import { reportedQuarters } from '../src/store/report/reports.ts';
import { saveMappings, statedOfIssuers, symbolsOfCusips } from '../src/store/security/securities.ts';
import { enqueueBriefs } from './pending/enqueue.ts';
import { importSecurityLists, orSkipped } from './security-lists.ts';
import type { Job, JobContext } from './worker/context.ts';

const COMPANY_TICKERS = 'company_tickers';
const ABSENT = ['edgar_not_found', 'edgar_no_index'] as const;
/** Fails files are read from this long before the as-of date, because they are published weeks late. */
const FAILS_DAYS = 200;
/** Earlier files are of whole quarters, and few of their rows have a price. */
const FIRST_PRICES = '2009-07-01' as IsoDate;

/** Imports what the SEC says about tickers, CUSIPs and CIKs. The same bytes are imported once. */
export const reference: Job<'reference'> = async (context) => {
  const { db, log } = context;
  const started = context.now();
  const tickers = new Set<Ticker>();
  for await (const files of batchesOf(newFiles(context), FILES_AT_A_TIME)) {
    const mappings = files.flatMap((file) => file.mappings);
    await saveMappings(db, mappings);
    for (const file of files) await savePrices(context, file);
    const affected = await affectedTickers(db, mappings);
    // Invalidated before the files count as imported, so that a crash in between only repeats them.
    await invalidateBriefs(db, affected);
    await invalidateWholeSearch(db);
    for (const { name, sha256 } of files) await noteImported(db, name, sha256, context.now());
    for (const ticker of affected) tickers.add(ticker);
    log.info({ files: files.map(({ name }) => name), mappings: mappings.length }, 'reference files imported');
  }
  await importSecurityLists(context);
  await clearReferenceAlarms(db, started);
  await noteImported(db, REFERENCE_RUN, '', context.now());
  await enqueueBriefs(context, [...tickers]);
};

/** Neighbouring files state nine tenths of the same, and what is stored already costs an update for each file. */
const FILES_AT_A_TIME = 8;

type ReferenceFile = {
  readonly name: string;
  readonly sha256: string;
  readonly mappings: readonly SecurityMapping[];
  /** Of a fails file. */
  readonly entries?: readonly FailsEntry[];
};

/** Stores daily prices, which peers of the quarters that they are of are computed from. */
async function savePrices({ db }: JobContext, { name, sha256, entries }: ReferenceFile): Promise<void> {
  const days = entries
    ?.flatMap(({ firstSettlement, lastSettlement }) => [firstSettlement, lastSettlement])
    .sort();
  const [from, to] = [days?.[0], days?.at(-1)];
  if (entries === undefined || from === undefined || to === undefined) return;
  await saveMarketPrices(db, { name, sha256, securities: entries.map(pricedIn) }, { from, to });
  const quarters = await reportedQuarters(db);
  const affected = quarters.filter((quarter) => isReadFor(quarter, { from, to }));
  await invalidate(db, 'peers', affected);
}

function pricedIn({ cusip, symbol, name, days, prices, rows }: FailsEntry): PricedSecurity {
  return { cusip, symbol, name, days, prices, rows };
}

async function* newFiles(context: JobContext): AsyncGenerator<ReferenceFile> {
  const read = () => companyFile(context);
  const companies = await orSkipped(context, { file: COMPANY_TICKERS, read });
  if (companies !== null) yield companies;
  for (const name of await failsNames(context)) {
    if ((await isImported(context.db, name)) && (await hasMarketPrices(context.db, name))) continue;
    const file = await orSkipped(context, { file: name, read: () => failsFile(context, name) });
    if (file !== null) yield file;
  }
}

async function failsFile({ edgar }: JobContext, name: string): Promise<ReferenceFile | null> {
  const file = await nullOn(edgar.fetchFailsFile(name), ...ABSENT);
  if (file === null) return null;
  const entries = await readFailsFile(file.bytes);
  return { name, sha256: file.sha256, mappings: entries.flatMap(statedBy), entries };
}

/** Those of the days between two quarters that are compared, and of the last months. */
async function failsNames(context: JobContext): Promise<readonly string[]> {
  const asOf = await today(context);
  const listed = await context.edgar.listFailsFiles();
  if (listed !== null) return listed;
  const [oldest] = await reportedQuarters(context.db);
  const recent = addDays(asOf, -FAILS_DAYS);
  const before = oldest === undefined ? recent : addDays(oldest, -FAILS_DAYS);
  const [from] = [before, recent].sort();
  return failsNamesBetween(from !== undefined && from > FIRST_PRICES ? from : FIRST_PRICES, asOf);
}

async function companyFile(context: JobContext): Promise<ReferenceFile | null> {
  const { db, edgar } = context;
  const file = await nullOn(edgar.fetchCompanyTickers(), ...ABSENT);
  if (file === null || (await isImported(db, COMPANY_TICKERS, file.sha256))) return null;
  // A local folder does not know the day of its snapshot: a file's time differs between machines.
  const modified = edgar.isLocal ? null : file.headers.lastModified;
  const day = modified === null ? null : parseIsoDate(new Date(modified).toISOString().slice(0, 10));
  const mappings = parseCompanyTickers(file.bytes).map(
    ({ ticker, cik, name }): SecurityMapping => ({
      kind: 'cik',
      symbol: ticker,
      cusip: null,
      cik,
      name,
      source: 'company_tickers',
      sourceDate: day,
      validFrom: day,
      validTo: day,
      confidence: MAPPING_CONFIDENCE.company_tickers,
    }),
  );
  return { name: COMPANY_TICKERS, sha256: file.sha256, mappings };
}

function statedBy(entry: FailsEntry): SecurityMapping[] {
  const printed = printedSymbol(entry.symbol);
  if (printed === null) return [];
  return [
    {
      kind: 'cusip',
      ...printed,
      cusip: entry.cusip,
      cik: null,
      name: entry.name,
      source: 'fails_to_deliver',
      sourceDate: entry.lastSettlement,
      validFrom: entry.firstSettlement,
      validTo: entry.lastSettlement,
      confidence: MAPPING_CONFIDENCE.fails_to_deliver,
    },
  ];
}

/**
 * Tickers whose briefs the mappings change: symbols of held CUSIPs of the named issuers, whose other shares are
 * resolved by them (rule 3.5), symbols of issuers with a Form 4, and tickers with a brief. So filing and file give
 * the same briefs in any order of arrival.
 */
export async function affectedTickers(db: Db, mappings: readonly SecurityMapping[]): Promise<Ticker[]> {
  const cusips = mappings.flatMap((mapping) => mapping.cusip ?? []);
  const stated = await statedOfIssuers(db, cusips);
  const held = await heldAmong(db, [...new Set(stated.map(({ cusip }) => cusip))]);
  const issuers = new Set(await filingsIn(db).distinct('issuerCik', { issuerCik: { $ne: null } }));
  const keys = await invalidationsIn(db).distinct('key', { kind: 'brief' });
  const known = new Set(keys.flatMap((key) => parseTicker(key) ?? []).map(withoutSeparator));
  const named = [...stated, ...mappings]
    .filter(({ symbol, cik }) => known.has(withoutSeparator(symbol)) || (cik !== null && issuers.has(cik)))
    .map(({ symbol }) => symbol);
  return [...new Set([...(await symbolsOfCusips(db, held)), ...named])];
}
