import type { Binary, Collection, Db } from 'mongodb';
import { canonicalJson, sha256Hex } from '../../domain/canonical.ts';
import type { Cik, Cusip, IsoDate, QuarterEnd } from '../../domain/ids.ts';
import { METHOD_VERSION } from '../../domain/leaderboard/method.ts';
import { hasCleanScale, type Portfolio } from '../../domain/leaderboard/portfolio.ts';
import type { LeaderboardQuarter } from '../../domain/leaderboard/series.ts';
import {
  NO_CONVERSIONS,
  type ShareConversions,
  shareConversionsOf,
} from '../../domain/peers/share-conversion.ts';
import { type HeldRow, type PricedSecurity, priceSecurities } from '../../domain/report/implied-price.ts';
import { MIN_PRICE_FILERS } from '../../domain/report/thresholds.ts';
import { pack, unpack } from '../../store/mongo/packed.ts';
import { corporateActionsOfQuarter } from '../../store/peers/corporate-actions.ts';
import { bucketName, POSITION_BUCKETS, positionsOfBuckets } from '../../store/report/positions.ts';
import { type ReportDoc, reportsIn } from '../../store/report/reports.ts';
import { portfoliosOf } from './portfolios.ts';

/** A quarter's prices and copied portfolios, valid as long as the digest of its reports stays. */
type QuarterDoc = { _id: QuarterEnd; reportsDigest: string; prices: Binary; portfolios: Binary };

/** Amounts as decimal text: JSON has no bigint. */
type PackedPrice = [
  cusip: string,
  valueCents: string,
  shares: string,
  filers: number,
  compared: number,
  unchanged: number,
  splitLike: number,
];

/** Slices read at once: what is in memory is this part of a quarter's positions. */
const BUCKETS_AT_ONCE = 16;

function quartersIn(db: Db): Collection<QuarterDoc> {
  return db.collection<QuarterDoc>('leaderboard_quarters');
}

/**
 * The quarter as its reports are now: the stored one, or computed from them and stored. One that
 * changed while it was read is not stored: the mark that its change left brings the job back. What
 * the filers say together is read each time, and is no part of what is stored.
 */
export async function leaderboardQuarter(
  db: Db,
  quarterEnd: QuarterEnd,
  asOf: IsoDate,
): Promise<LeaderboardQuarter> {
  const seen = await reportsSeen(db, quarterEnd);
  if (seen.length === 0)
    return { quarterEnd, prices: new Map(), conversions: NO_CONVERSIONS, portfolios: [] };
  const stored = await quartersIn(db).findOne({ _id: quarterEnd });
  const conversions = shareConversionsOf((await corporateActionsOfQuarter(db, quarterEnd)).corporateActions);
  if (stored !== null && stored.reportsDigest === digestOfReports(seen))
    return unpackQuarter(stored, conversions);
  const reports = await holdingReports(db, quarterEnd);
  const digest = digestOfReports(reports);
  const prices = await pricesOf(db, quarterEnd, reports);
  const portfolios = await portfoliosOf(db, reports, asOf);
  if (digestOfReports(await reportsSeen(db, quarterEnd)) === digest) {
    const doc = {
      reportsDigest: digest,
      prices: pack(prices.map(packPrice)),
      portfolios: pack(portfolios.map(packPortfolio)),
    };
    await quartersIn(db).replaceOne({ _id: quarterEnd }, doc, { upsert: true });
  }
  return { quarterEnd, prices: new Map(prices), conversions, portfolios };
}

async function holdingReports(db: Db, quarterEnd: QuarterEnd): Promise<ReportDoc[]> {
  return reportsIn(db).find({ quarterEnd, state: 'holdings' }).sort({ _id: 1 }).toArray();
}

type Seen = Pick<ReportDoc, '_id' | 'digest' | 'reasons'>;

/** What the digest is of, without the lists that make up most of a report. */
async function reportsSeen(db: Db, quarterEnd: QuarterEnd): Promise<Seen[]> {
  return reportsIn(db)
    .find({ quarterEnd, state: 'holdings' }, { projection: { digest: 1, reasons: 1 } })
    .sort({ _id: 1 })
    .toArray();
}

/** The digest covers rows and filings; the reasons of the report as a whole are beside it. */
function digestOfReports(reports: readonly Seen[]): string {
  const seen = reports.map(({ _id, digest, reasons }) => [_id, digest, reasons]);
  return sha256Hex(canonicalJson([METHOD_VERSION, seen]));
}

/** Bucket by bucket, over the digests that the reports show and whose units are not in doubt. */
async function pricesOf(
  db: Db,
  quarterEnd: QuarterEnd,
  reports: readonly ReportDoc[],
): Promise<[Cusip, PricedSecurity][]> {
  const clean = reports.filter(hasCleanScale);
  if (clean.length < MIN_PRICE_FILERS) return [];
  const shown = new Map<Cik, string>(clean.map(({ cik, digest }) => [cik, digest]));
  const prices: [Cusip, PricedSecurity][] = [];
  for (let first = 0; first < POSITION_BUCKETS; first += BUCKETS_AT_ONCE) {
    const buckets = Array.from({ length: BUCKETS_AT_ONCE }, (_, at) => bucketName(first + at));
    const current: HeldRow[] = [];
    for await (const position of positionsOfBuckets(db, buckets, quarterEnd)) {
      if (shown.get(position.cik) === position.digest) current.push(position);
    }
    prices.push(...priceSecurities(current));
  }
  return prices.sort(([a], [b]) => (a < b ? -1 : 1));
}

function packPrice([cusip, price]: [Cusip, PricedSecurity]): PackedPrice {
  const { valueCents, shares, filers, compared, unchanged, splitLike } = price;
  return [cusip, valueCents.toString(), shares.toString(), filers, compared, unchanged, splitLike];
}

function unpackPrice(packed: PackedPrice): [Cusip, PricedSecurity] {
  const [cusip, valueCents, shares, filers, compared, unchanged, splitLike] = packed;
  const amounts = { valueCents: BigInt(valueCents), shares: BigInt(shares) };
  return [cusip as Cusip, { ...amounts, filers, compared, unchanged, splitLike }];
}

type PackedPortfolio = Omit<Portfolio, 'top10Weight' | 'optionShare' | 'copied'> & {
  readonly top10Weight: string;
  readonly optionShare: string;
  readonly copied: (readonly [cusip: string, weight: string])[];
};

function packPortfolio(portfolio: Portfolio): PackedPortfolio {
  return {
    ...portfolio,
    top10Weight: portfolio.top10Weight.toString(),
    optionShare: portfolio.optionShare.toString(),
    copied: portfolio.copied.map(({ cusip, weight }) => [cusip, weight.toString()]),
  };
}

function unpackPortfolio(packed: PackedPortfolio): Portfolio {
  return {
    ...packed,
    top10Weight: BigInt(packed.top10Weight),
    optionShare: BigInt(packed.optionShare),
    copied: packed.copied.map(([cusip, weight]) => ({ cusip: cusip as Cusip, weight: BigInt(weight) })),
  };
}

function unpackQuarter(doc: QuarterDoc, conversions: ShareConversions): LeaderboardQuarter {
  return {
    quarterEnd: doc._id,
    prices: new Map(unpack<PackedPrice[]>(doc.prices).map(unpackPrice)),
    conversions,
    portfolios: unpack<PackedPortfolio[]>(doc.portfolios).map(unpackPortfolio),
  };
}
