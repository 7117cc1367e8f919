import type { Binary, Db } from 'mongodb';
import { canonicalJson, sha256Hex } from '../../domain/canonical.ts';
import { compare } from '../../domain/compare.ts';
import type { Cusip, IsoDate, QuarterEnd } from '../../domain/ids.ts';
import { METHOD_VERSION } from '../../domain/leaderboard/method.ts';
import { type CopiedPosition, hasCleanScale, type Portfolio } from '../../domain/leaderboard/portfolio.ts';
import type { LeaderboardQuarter } from '../../domain/leaderboard/quarter-series.ts';
import { shareConversionsOf } from '../../domain/peers/verdict.ts';
import type { PricedSecurity } from '../../domain/report/implied-price.ts';
import { rememberingShownPrices } from '../../domain/report/shown-prices.ts';
import type { ShownQuarter } from '../../domain/report/shown-quarter.ts';
import { MIN_PRICE_FILERS } from '../../domain/report/thresholds.ts';
import { reportId } from '../../store/filing/filings.ts';
import { findByIds } from '../../store/mongo/lists.ts';
import {
  AMOUNT,
  digestOfText,
  listOf,
  listText,
  PLAIN,
  packText,
  tupleOf,
  unpack,
} from '../../store/mongo/pack.ts';
import { corporateActionsOfQuarters, peersDigests } from '../../store/peers/corporate-actions.ts';
import { quarterStamps } from '../../store/publish/leaderboard.ts';
import { ofEachReport, type ReportDoc } from '../../store/report/reports.ts';
import { overShownQuarter, shownReports } from '../../store/report/shown-columns.ts';
import { copiedPortfolios } from './portfolios.ts';

/** A quarter's prices and copied portfolios, valid as long as the digest of its reports stays. */
type QuarterDoc = {
  _id: QuarterEnd;
  reportsDigest: string;
  /** Of prices and portfolios; absent in what an older release computed, as is `stamp`. */
  digest?: string;
  /** Of the quarter when its reports were read (`quarterStamps`): while it stays, so do they. */
  stamp?: string;
  prices: Binary;
  /** Each portfolio with the digest of what its report was; absent in what an older release computed. */
  byReport?: Binary;
};

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

/** With the digest of all that it says. */
export type DigestedQuarter = LeaderboardQuarter & { readonly digest: string };

/** The digests of the quarters that are stored as their reports are now, without reading either. */
export async function storedDigests(
  db: Db,
  quarters: readonly QuarterEnd[],
): Promise<Map<QuarterEnd, string>> {
  const stamps = await quarterStamps(db, quarters);
  const peers = await peersDigests(db, quarters);
  const actions = new Map(quarters.map((quarter, at) => [quarter, peers[at] ?? '']));
  const docs = await findByIds(quartersIn(db), quarters, { digest: 1, stamp: 1 });
  const current = docs.filter(({ _id, stamp }) => stamp === stamps.get(_id));
  return new Map(
    current.map(({ _id, digest = '' }) => [_id, digestOfQuarter(digest, actions.get(_id) ?? '')]),
  );
}

/** Corporate actions are no part of what is stored. */
function digestOfQuarter(stored: string, actions: string): string {
  return `${stored}|${actions}`;
}

/** The quarter as its reports are now: the stored one, or computed and stored. */
export async function leaderboardQuarter(
  db: Db,
  quarterEnd: QuarterEnd,
  asOf: IsoDate,
): Promise<DigestedQuarter> {
  const stamp = (await quarterStamps(db, [quarterEnd])).get(quarterEnd) ?? '';
  const [peers] = await corporateActionsOfQuarters(db, [quarterEnd]);
  const conversions = shareConversionsOf(peers?.corporateActions ?? []);
  const stored = await quartersIn(db).findOne({ _id: quarterEnd });
  const isCurrent = stored?.digest !== undefined && stored.stamp === stamp;
  const { digest, ...contents } = isCurrent
    ? { ...contentsOf(stored), digest: stored.digest ?? '' }
    : await computedQuarter(db, stored, { quarterEnd, asOf, stamp });
  return { quarterEnd, ...contents, conversions, digest: digestOfQuarter(digest, peers?.digest ?? '') };
}

type Contents = Pick<LeaderboardQuarter, 'prices' | 'portfolios'>;

function contentsOf(stored: QuarterDoc): Contents {
  const prices = unpack<unknown[]>(stored.prices).map(PRICE.decode);
  return { prices: tableOf(prices), portfolios: [...byReport(stored).values()] };
}

type QuarterRequest = { readonly quarterEnd: QuarterEnd; readonly asOf: IsoDate; readonly stamp: string };

/**
 * What did not change is taken from the stored quarter. A quarter whose reports changed while it was computed
 * is not stored: their invalidation brings the job back.
 */
async function computedQuarter(
  db: Db,
  stored: QuarterDoc | null,
  { quarterEnd, asOf, stamp }: QuarterRequest,
): Promise<Contents & { readonly digest: string }> {
  const seen = await reportsSeen(db, quarterEnd);
  const known = byReport(stored);
  const reportsDigest = digestOfReports(seen);
  const isSame = known.size > 0 && stored?.reportsDigest === reportsDigest;
  const prices = isSame
    ? unpack<unknown[]>(stored.prices).map(PRICE.decode)
    : await pricesOf(db, quarterEnd, seen);
  const portfolios = isSame ? known : await currentPortfolios(db, { seen, known }, { quarterEnd, asOf });
  const priced = JSON.stringify(prices.map(PRICE.encode));
  // One after another: the lists of all portfolios take several times as much as their JSON.
  const copied = [...portfolios].map(
    ([key, portfolio]) => [JSON.stringify(key), JSON.stringify(PORTFOLIO.encode(portfolio))] as const,
  );
  // Without the keys: another version of a report may say the same.
  const digest = digestOfText(listText([priced, listText(copied.map(([, portfolio]) => portfolio))]));
  if (digestOfReports(await reportsSeen(db, quarterEnd)) === reportsDigest) {
    const doc = {
      reportsDigest,
      digest,
      stamp,
      prices: packText(priced),
      byReport: packText(listText(copied.map(listText))),
    };
    await quartersIn(db).replaceOne({ _id: quarterEnd }, doc, { upsert: true });
  }
  return { prices: tableOf(prices), portfolios: [...portfolios.values()], digest };
}

/** What a key covers. */
type Keyed = Pick<ReportDoc, '_id' | 'version' | 'digest' | 'reasons'>;

/** A report that lists holdings. */
type Seen = Pick<ReportDoc, '_id' | 'cik' | 'reasons'> & { readonly key: string };

/** What the digest covers, each hashed once, without the lists that make up most of a report; in order of CIK. */
async function reportsSeen(db: Db, quarterEnd: QuarterEnd): Promise<Seen[]> {
  type Fields = Pick<ReportDoc, 'state' | 'version' | 'digest' | 'reasons'>;
  const fields = { state: '$state', version: '$version', digest: '$digest', reasons: '$reasons' };
  const reports = await ofEachReport<Fields>(db, quarterEnd, fields);
  return reports
    .filter(({ state }) => state === 'holdings')
    .map(({ cik, reasons, version, digest }) => {
      const _id = reportId({ cik, quarterEnd });
      return { _id, cik, reasons, key: keyOf({ _id, version, digest, reasons }) };
    });
}

/**
 * What a portfolio was copied from. A report's digest covers rows and filings, but not the reasons of the
 * report as a whole; its version also covers filings and verdicts of an earlier state, which may be copied.
 */
function keyOf({ _id, version, digest, reasons }: Keyed): string {
  return sha256Hex(canonicalJson([METHOD_VERSION, _id, Number(version), digest, reasons])).slice(0, 24);
}

function digestOfReports(reports: readonly Seen[]): string {
  return sha256Hex(canonicalJson(reports.map(({ key }) => key)));
}

type Portfolios = ReadonlyMap<string, Portfolio>;

/** By the key of the report, in order of CIK. */
function byReport(stored: QuarterDoc | null): Portfolios {
  if (stored?.byReport === undefined) return new Map();
  const entries = unpack<[string, unknown][]>(stored.byReport);
  return new Map(entries.map(([key, portfolio]) => [key, PORTFOLIO.decode(portfolio)]));
}

/** The known portfolios of reports that stayed as they were, and those of all others, in order of CIK. */
async function currentPortfolios(
  db: Db,
  { seen, known }: { readonly seen: readonly Seen[]; readonly known: Portfolios },
  of: { readonly quarterEnd: QuarterEnd; readonly asOf: IsoDate },
): Promise<Portfolios> {
  const changed = seen.filter(({ key }) => !known.has(key)).map(({ _id }) => _id);
  const copied = changed.length === 0 ? [] : await copiedPortfolios(db, changed, of);
  const fresh = copied.map(({ portfolio, report }) => [keyOf(report), portfolio] as const);
  const kept = seen.flatMap(({ key }) => {
    const portfolio = known.get(key);
    return portfolio === undefined ? [] : [[key, portfolio] as const];
  });
  return new Map([...kept, ...fresh].sort(([, a], [, b]) => compare(a.cik, b.cik)));
}

/** What was priced in each quarter, for as long as its columns are in memory. */
const remembered = new WeakMap<ShownQuarter, ReturnType<typeof rememberingShownPrices>>();

/** From the reports whose scales are not in doubt, in order of CUSIP. */
async function pricesOf(db: Db, quarterEnd: QuarterEnd, reports: readonly Seen[]) {
  const managers = reports.filter(hasCleanScale).map(({ cik }) => cik);
  if (managers.length < MIN_PRICE_FILERS) return [];
  const shown = await shownReports(db, quarterEnd);
  const prices = await overShownQuarter(db, shown, (quarter, names) => {
    const pricesOfManagers = remembered.get(quarter) ?? rememberingShownPrices();
    remembered.set(quarter, pricesOfManagers);
    return pricesOfManagers(quarter, { names, managers });
  });
  return prices
    .map(([cusip, price]): StoredPrice => ({ cusip, ...price }))
    .sort((a, b) => compare(a.cusip, b.cusip));
}

function tableOf(prices: readonly StoredPrice[]): Map<Cusip, PricedSecurity> {
  return new Map(prices.map(({ cusip, ...price }) => [cusip, price]));
}
