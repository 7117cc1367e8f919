import type { Db } from 'mongodb';
import { windowOf } from '../../domain/brief/insider-leg.ts';
import { batches } from '../../domain/group.ts';
import {
  type Cik,
  type Cusip,
  type IsoDate,
  issuerOf,
  type QuarterEnd,
  type Ticker,
} from '../../domain/ids.ts';
import { quartersAround, quartersOf } from '../../domain/insider/price.ts';
import { withoutSeparator } from '../../domain/security/symbol.ts';
import { filingsIn } from '../../store/filing/filings.ts';
import { requireAsOf } from '../../store/filing/settings.ts';
import { invalidate } from '../../store/invalidation/invalidations.ts';
import { notePricesFollowed, type QuarterPrices, savePrices } from '../../store/peers/quarter-prices.ts';
import { securitiesIn, symbolsOfCik } from '../../store/security/securities.ts';

const AT_ONCE = 1_000;

/**
 * Stores the prices of a quarter and invalidates the briefs whose trades are compared with a changed
 * price. Lists of trades read the prices when they are asked for. Returns the tickers.
 */
export async function refreshPrices(
  db: Db,
  quarterEnd: QuarterEnd,
  table: { readonly prices: QuarterPrices; readonly version: number },
): Promise<Ticker[]> {
  const changed = await savePrices(db, quarterEnd, table);
  if (changed.length === 0) return [];
  const tickers = await tickersPricedBy(db, changed, { quarterEnd, asOf: await requireAsOf(db) });
  await invalidate(db, 'brief', tickers);
  await notePricesFollowed(db, quarterEnd, table.version);
  return tickers;
}

/** Tickers whose briefs compare trades with one of the prices: issuers with a form in the window. */
async function tickersPricedBy(
  db: Db,
  cusips: readonly Cusip[],
  { quarterEnd, asOf }: { readonly quarterEnd: QuarterEnd; readonly asOf: IsoDate },
): Promise<Ticker[]> {
  const window = windowOf(asOf);
  if (!quartersOf(window).flatMap(quartersAround).includes(quarterEnd)) return [];
  const tickers = new Set<Ticker>();
  for (const batch of batches(cusips, AT_ONCE)) {
    const issuers = await issuersOf(db, batch);
    const recent = await filingsIn(db).distinct('issuerCik', {
      issuerCik: { $in: issuers },
      filedDate: { $gte: window.start },
    });
    for (const cik of recent) {
      if (cik === null) continue;
      for (const ticker of await symbolsOfCik(db, cik)) tickers.add(ticker);
    }
  }
  return [...tickers].sort();
}

/** The issuers to which any source gave a symbol of the CUSIPs' issuers. */
async function issuersOf(db: Db, cusips: readonly Cusip[]): Promise<Cik[]> {
  const digits = [...new Set(cusips.map(issuerOf))];
  const docs = await securitiesIn(db)
    .find({ issuer: { $in: digits } }, { projection: { symbol: 1 } })
    .toArray();
  const named = await securitiesIn(db)
    .find(
      { bare: { $in: [...new Set(docs.map(({ symbol }) => withoutSeparator(symbol)))] } },
      { projection: { cik: 1 } },
    )
    .toArray();
  return [...new Set(named.flatMap(({ cik }) => cik ?? []))];
}
