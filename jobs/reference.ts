import { addDays } from '../src/domain/calendar.ts';
import { type IsoDate, parseTicker, type Ticker } from '../src/domain/ids.ts';
import { MAPPING_CONFIDENCE, type SecurityMapping } from '../src/domain/security.ts';
import { parseCompanyTickers } from '../src/edgar/company-tickers.ts';
import { isEdgarError } from '../src/edgar/edgar-error.ts';
import { type FailsEntry, failsNamesBetween, readFailsFile } from '../src/edgar/fails.ts';
import { requireAsOf } from '../src/store/as-of.ts';
import { dirtyIn, markDirty } from '../src/store/dirty.ts';
import { heldAmong } from '../src/store/held.ts';
import { isImported, markImported, REFERENCE_RUN } from '../src/store/imports.ts';
import { type StatedMapping, saveMappings, symbolsOfCusips } from '../src/store/securities.ts';
import type { Job, JobContext } from './context.ts';
import { wakeBriefs } from './wake.ts';

/** Fails files of this long before the as-of date are read; they are published weeks later. */
const FAILS_DAYS = 200;

/** Imports what the SEC says about tickers, CUSIPs and CIKs; each file once for its bytes. */
export const reference: Job<{ slot: number }> = async (context) => {
  const added = [...(await importCompanies(context)), ...(await importFails(context))];
  const tickers = await affectedTickers(context, added);
  await markDirty(context.db, 'brief', tickers);
  await wakeBriefs(context, tickers);
  await markImported(context.db, REFERENCE_RUN, context.now().toISOString());
  context.log.info({ mappings: added.length, tickers: tickers.length }, 'reference data imported');
};

async function importCompanies({ db, edgar }: JobContext): Promise<SecurityMapping[]> {
  const file = await orNull(edgar.fetchCompanyTickers());
  if (file === null || (await isImported(db, 'company_tickers', file.sha256))) return [];
  // A local folder does not know the day of its snapshot; a file time would differ between machines.
  const modified = edgar.isLocal ? null : file.headers.lastModified;
  const day = modified === null ? null : (new Date(modified).toISOString().slice(0, 10) as IsoDate);
  const mappings = parseCompanyTickers(file.bytes).map(
    ({ ticker, cik, name }): StatedMapping => ({
      id: `company_tickers|${ticker}|${cik}`,
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
  const added = await saveMappings(db, mappings);
  await markImported(db, 'company_tickers', file.sha256);
  return added;
}

async function importFails(context: JobContext): Promise<SecurityMapping[]> {
  const { db, edgar } = context;
  const asOf = await requireAsOf(db);
  const names = (await edgar.listFailsFiles()) ?? failsNamesBetween(addDays(asOf, -FAILS_DAYS), asOf);
  const added: SecurityMapping[] = [];
  for (const name of names) {
    if (await isImported(db, name)) continue;
    const file = await orNull(edgar.fetchFailsFile(name));
    if (file === null) continue;
    const { entries } = await readFailsFile(file.bytes);
    added.push(
      ...(await saveMappings(
        db,
        entries.flatMap((entry) => statedBy(name, entry)),
      )),
    );
    await markImported(db, name, file.sha256);
    context.log.info({ file: name, entries: entries.length }, 'fails-to-deliver file imported');
  }
  return added;
}

function statedBy(file: string, entry: FailsEntry): StatedMapping[] {
  const symbol = parseTicker(entry.symbol);
  if (symbol === null) return [];
  return [
    {
      id: `${file.replace(/\.(zip|txt)$/, '')}|${symbol}|${entry.cusip}`,
      kind: 'cusip',
      symbol,
      cusip: entry.cusip,
      cik: null,
      name: entry.description,
      source: 'fails_to_deliver',
      sourceDate: entry.lastSettlement,
      validFrom: entry.firstSettlement,
      validTo: entry.lastSettlement,
      confidence: MAPPING_CONFIDENCE.fails_to_deliver,
    },
  ];
}

/** New symbols of CUSIPs that someone holds, and new statements about tickers with a brief. */
async function affectedTickers({ db }: JobContext, added: readonly SecurityMapping[]): Promise<Ticker[]> {
  const held = await heldAmong(db, [...new Set(added.flatMap((mapping) => mapping.cusip ?? []))]);
  const known = new Set(await dirtyIn(db).distinct('key', { kind: 'brief' }));
  const named = added.map((mapping) => mapping.symbol).filter((symbol) => known.has(symbol));
  return [...new Set([...(await symbolsOfCusips(db, held)), ...named])];
}

async function orNull<T>(answer: Promise<T>): Promise<T | null> {
  try {
    return await answer;
  } catch (error) {
    if (isEdgarError(error, 'edgar_not_found', 'edgar_no_index')) return null;
    throw error;
  }
}
