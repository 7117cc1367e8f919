import type { Db } from 'mongodb';
import { canonicalJson, sha256Hex } from '../../domain/canonical.ts';
import { compare } from '../../domain/compare.ts';
import type { IsoDate, QuarterEnd } from '../../domain/ids.ts';
import { METHOD_VERSION } from '../../domain/leaderboard/method.ts';
import { hasCleanScale } from '../../domain/leaderboard/portfolio.ts';
import type { LeaderboardQuarter } from '../../domain/leaderboard/quarter-series.ts';
import { shareConversionsOf } from '../../domain/peers/verdict.ts';
import type { PriceTable } from '../../domain/report/implied-price.ts';
import { rememberingShownPrices } from '../../domain/report/shown-quarter.ts';
import { MIN_PRICE_FILERS } from '../../domain/report/thresholds.ts';
import { reportId } from '../../store/filing/filings.ts';
import { corporateActionsOfQuarters, peersDigests } from '../../store/peers/corporate-actions.ts';
import { type QuarterReport, quarterReports, quarterStamps } from '../../store/report/quarter-reports.ts';
import type { ReportDoc } from '../../store/report/reports.ts';
import { overShownQuarter, standingOf } from '../../store/report/shown-columns.ts';
import { copiedPortfolios } from './portfolios.ts';
import {
  digestOfContents,
  type Portfolios,
  type QuarterContents,
  type StoredQuarter,
  saveQuarter,
  storedHeads,
  storedQuarter,
} from './stored-quarter.ts';

/** With the digest of all that it says. */
export type DigestedQuarter = LeaderboardQuarter & { readonly digest: string };

/** The digests of the quarters that are stored as their reports are now, without reading either. */
export async function storedDigests(
  db: Db,
  quarters: readonly QuarterEnd[],
): Promise<Map<QuarterEnd, string>> {
  const stamps = await boardStamps(db, quarters);
  const peers = await peersDigests(db, quarters);
  const actions = new Map(quarters.map((quarter, at) => [quarter, peers[at] ?? '']));
  const docs = await storedHeads(db, quarters);
  return new Map(
    docs.flatMap(({ _id, stamp, contentsDigest }) =>
      contentsDigest === undefined || stamp !== stamps.get(_id)
        ? []
        : [[_id, digestOfQuarter(contentsDigest, actions.get(_id) ?? '')] as const],
    ),
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
  const stamp = await stampOf(db, quarterEnd);
  const [peers] = await corporateActionsOfQuarters(db, [quarterEnd]);
  const conversions = shareConversionsOf(peers?.corporateActions ?? []);
  const stored = await storedQuarter(db, quarterEnd);
  const isCurrent = stored !== null && stored.stamp === stamp;
  const { prices, portfolios, contentsDigest } = isCurrent
    ? stored
    : await computedQuarter(db, stored, { quarterEnd, asOf, stamp });
  return {
    quarterEnd,
    prices,
    portfolios: [...portfolios.values()],
    conversions,
    digest: digestOfQuarter(contentsDigest, peers?.digest ?? ''),
  };
}

/** Who saves a report raises it a moment later. Read it before the reports. */
async function stampOf(db: Db, quarterEnd: QuarterEnd): Promise<string> {
  return (await boardStamps(db, [quarterEnd])).get(quarterEnd) ?? '';
}

/** What changes with the reports of a quarter, or with the method. */
async function boardStamps(db: Db, quarters: readonly QuarterEnd[]): Promise<Map<QuarterEnd, string>> {
  const stamps = await quarterStamps(db, quarters);
  return new Map(quarters.map((quarter) => [quarter, `${METHOD_VERSION}|${stamps.get(quarter) ?? ''}`]));
}

type QuarterRequest = { readonly quarterEnd: QuarterEnd; readonly asOf: IsoDate; readonly stamp: string };

/**
 * What did not change is taken from the stored quarter. When a report changed during the computation, its quarter is
 * not stored: a portfolio folded by earlier verdicts could stand under the key of the later report. The invalidation
 * of the report brings the job back.
 */
async function computedQuarter(
  db: Db,
  stored: StoredQuarter | null,
  { quarterEnd, asOf, stamp }: QuarterRequest,
): Promise<StoredQuarter> {
  const reports = await quarterReports(db, quarterEnd);
  const seen = seenAmong(reports, quarterEnd);
  const reportsDigest = digestOfReports(seen);
  const isSame = stored?.reportsDigest === reportsDigest;
  const { prices, portfolios } = isSame
    ? stored
    : await currentContents(db, { reports, seen, known: stored?.portfolios }, { quarterEnd, asOf });
  const contentsDigest = digestOfContents({ prices, portfolios });
  const quarter = { _id: quarterEnd, reportsDigest, contentsDigest, stamp, prices, portfolios };
  const isAsSeen = seen.every(({ key }) => portfolios.has(key));
  if (isAsSeen && (await stampOf(db, quarterEnd)) === stamp) await saveQuarter(db, quarter);
  return quarter;
}

type Reports = {
  readonly reports: readonly QuarterReport[];
  readonly seen: readonly Seen[];
  /** Stored before. */
  readonly known: Portfolios | undefined;
};

async function currentContents(
  db: Db,
  { reports, seen, known = new Map() }: Reports,
  of: Omit<QuarterRequest, 'stamp'>,
): Promise<QuarterContents> {
  const prices = await pricesOf(db, standingOf(of.quarterEnd, reports), seen);
  return { prices, portfolios: await currentPortfolios(db, { seen, known }, of) };
}

/** What a key covers. */
type Keyed = Pick<ReportDoc, '_id' | 'version' | 'digest' | 'reasons'>;

/** A report that lists holdings. */
type Seen = Pick<ReportDoc, '_id' | 'cik' | 'reasons'> & { readonly key: string };

/** What the digest covers, each hashed once, in order of CIK. */
function seenAmong(reports: readonly QuarterReport[], quarterEnd: QuarterEnd): Seen[] {
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

/** From the reports whose scales are not in doubt, in order of CUSIP. */
async function pricesOf(
  db: Db,
  shown: ReturnType<typeof standingOf>,
  reports: readonly Seen[],
): Promise<PriceTable> {
  const managers = reports.filter(hasCleanScale).map(({ cik }) => cik);
  if (managers.length < MIN_PRICE_FILERS) return new Map();
  const prices = await overShownQuarter(db, shown, (quarter, names) =>
    quarter.remembered(rememberingShownPrices)(quarter, { names, managers }),
  );
  return new Map([...prices].sort(([a], [b]) => compare(a, b)));
}
