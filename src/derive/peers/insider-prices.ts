import type { Db } from 'mongodb';
import { windowOf } from '../../domain/brief/insider-leg.ts';
import {
  type Cik,
  type Cusip,
  type IsoDate,
  issuerOf,
  type QuarterEnd,
  type Ticker,
} from '../../domain/ids.ts';
import { quartersAround, quartersOf } from '../../domain/insider/price.ts';
import { filingsIn } from '../../store/filing/filings.ts';
import { requireAsOf } from '../../store/filing/settings.ts';
import { invalidateBriefs } from '../../store/invalidation/invalidate.ts';
import { findAmong, inLists } from '../../store/mongo/lists.ts';
import { notePricesFollowed, type QuarterPrices, savePrices } from '../../store/peers/quarter-prices.ts';
import { securitiesIn, symbolsOfCik } from '../../store/security/securities.ts';

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
  await invalidateBriefs(db, tickers, { unmoved: true });
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
  for (const issuerCik of inLists(await issuersOf(db, cusips))) {
    const recent = await filingsIn(db).distinct('issuerCik', {
      issuerCik,
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
  const ofCusips = await findAmong(securitiesIn(db), {
    field: 'issuer',
    values: cusips.map(issuerOf),
    projection: { bare: 1 },
  });
  const named = await findAmong(securitiesIn(db), {
    field: 'bare',
    values: ofCusips.map(({ bare }) => bare),
    projection: { cik: 1 },
  });
  return [...new Set(named.flatMap(({ cik }) => cik ?? []))];
}
