import type { Binary, Db } from 'mongodb';
import { canonicalJson, sha256Hex } from '../../domain/canonical.ts';
import { compare } from '../../domain/compare.ts';
import type { Cusip, IsoDate, QuarterEnd } from '../../domain/ids.ts';
import { METHOD_VERSION } from '../../domain/leaderboard/method.ts';
import { type CopiedPosition, hasCleanScale, type Portfolio } from '../../domain/leaderboard/portfolio.ts';
import type { LeaderboardQuarter } from '../../domain/leaderboard/series.ts';
import { NO_CONVERSIONS, shareConversionsOf } from '../../domain/peers/verdict.ts';
import type { PricedSecurity } from '../../domain/report/implied-price.ts';
import { pricesShown } from '../../domain/report/shown-quarter.ts';
import { MIN_PRICE_FILERS } from '../../domain/report/thresholds.ts';
import { AMOUNT, listOf, PLAIN, pack, tupleOf, unpack } from '../../store/mongo/pack.ts';
import { corporateActionsOfQuarter } from '../../store/peers/corporate-actions.ts';
import { type ReportDoc, reportsIn } from '../../store/report/reports.ts';
import { overShownQuarter } from '../../store/report/shown-columns.ts';
import { portfoliosOf } from './portfolios.ts';

/** A quarter's prices and copied portfolios, valid as long as the digest of its reports stays. */
type QuarterDoc = { _id: QuarterEnd; reportsDigest: string; prices: Binary; portfolios: Binary };

type StoredPrice = PricedSecurity & { readonly cusip: Cusip };

const PRICE = tupleOf<StoredPrice>({
  cusip: PLAIN,
  valueCents: AMOUNT,
  shares: AMOUNT,
  filers: PLAIN,
  compared: PLAIN,
  unchanged: PLAIN,
  splitLike: PLAIN,
});

const PORTFOLIO = tupleOf<Portfolio>({
  cik: PLAIN,
  quarterEnd: PLAIN,
  lagDays: PLAIN,
  holdingsCount: PLAIN,
  top10Weight: AMOUNT,
  optionShare: AMOUNT,
  reasons: PLAIN,
  copied: listOf(tupleOf<CopiedPosition>({ cusip: PLAIN, weight: AMOUNT })),
});

const quartersIn = (db: Db) => db.collection<QuarterDoc>('leaderboard_quarters');

/**
 * The quarter as its reports are now: the stored one, or computed and stored. A quarter whose reports
 * changed while it was computed is not stored: their invalidation brings the job back. Corporate
 * actions are read each time and are no part of what is stored.
 */
export async function leaderboardQuarter(
  db: Db,
  quarterEnd: QuarterEnd,
  asOf: IsoDate,
): Promise<LeaderboardQuarter> {
  const seen = await reportsSeen(db, quarterEnd);
  if (seen.length === 0) {
    return { quarterEnd, prices: new Map(), conversions: NO_CONVERSIONS, portfolios: [] };
  }
  const stored = await quartersIn(db).findOne({ _id: quarterEnd });
  const conversions = shareConversionsOf(await corporateActionsOfQuarter(db, quarterEnd));
  if (stored !== null && stored.reportsDigest === digestOfReports(seen)) {
    const prices = unpack<unknown[]>(stored.prices).map(PRICE.decode);
    const portfolios = unpack<unknown[]>(stored.portfolios).map(PORTFOLIO.decode);
    return { quarterEnd, prices: tableOf(prices), conversions, portfolios };
  }
  const reports = await reportsIn(db).find({ quarterEnd, state: 'holdings' }).sort({ _id: 1 }).toArray();
  const reportsDigest = digestOfReports(reports);
  const prices = await pricesOf(db, quarterEnd, reports);
  const portfolios = await portfoliosOf(db, reports, asOf);
  if (digestOfReports(await reportsSeen(db, quarterEnd)) === reportsDigest) {
    const doc = {
      reportsDigest,
      prices: pack(prices.map(PRICE.encode)),
      portfolios: pack(portfolios.map(PORTFOLIO.encode)),
    };
    await quartersIn(db).replaceOne({ _id: quarterEnd }, doc, { upsert: true });
  }
  return { quarterEnd, prices: tableOf(prices), conversions, portfolios };
}

type Seen = Pick<ReportDoc, '_id' | 'digest' | 'reasons'>;

/** What the digest covers, without the lists that make up most of a report. */
async function reportsSeen(db: Db, quarterEnd: QuarterEnd): Promise<Seen[]> {
  return reportsIn(db)
    .find({ quarterEnd, state: 'holdings' }, { projection: { digest: 1, reasons: 1 } })
    .sort({ _id: 1 })
    .toArray();
}

/** A report's digest covers rows and filings, but not the reasons of the report as a whole. */
function digestOfReports(reports: readonly Seen[]): string {
  const seen = reports.map(({ _id, digest, reasons }) => [_id, digest, reasons]);
  return sha256Hex(canonicalJson([METHOD_VERSION, seen]));
}

/** From the reports whose scales are not in doubt, in order of CUSIP. */
async function pricesOf(db: Db, quarterEnd: QuarterEnd, reports: readonly ReportDoc[]) {
  const managers = reports.filter(hasCleanScale).map(({ cik }) => cik);
  if (managers.length < MIN_PRICE_FILERS) return [];
  const prices = await overShownQuarter(db, quarterEnd, (quarter, names) =>
    pricesShown(quarter, { names, managers }),
  );
  return prices
    .map(([cusip, price]): StoredPrice => ({ cusip, ...price }))
    .sort((a, b) => compare(a.cusip, b.cusip));
}

function tableOf(prices: readonly StoredPrice[]): Map<Cusip, PricedSecurity> {
  return new Map(prices.map(({ cusip, ...price }) => [cusip, price]));
}
