import type { Db } from 'mongodb';
import { LAST_LANE, type Lane } from '../../domain/filing/lane.ts';
import { SUCCESSIONS } from '../../domain/filing/manager.ts';
import type { Follower } from '../../domain/filing/stored.ts';
import type { Cusip, Ticker } from '../../domain/ids.ts';
import { nextQuarterEnd } from '../../domain/quarter.ts';
import { relatedCusips } from '../../read/holders/security-history.ts';
import {
  type FilingDoc,
  type FormerReading,
  filingsIn,
  filingsOfReports,
  type ReportKey,
  reportId,
  reportIdOf,
} from '../../store/filing/filings.ts';
import { invalidate, invalidateBriefs } from '../../store/invalidation/invalidations.ts';
import { republishCorpus } from '../../store/publish/corpus.ts';
import { BOARD_KEY } from '../../store/publish/leaderboard.ts';
import { fundsIn } from '../../store/report/funds.ts';
import { cusipsOfPages, noteHeld, pagesOf, previousPagesOf } from '../../store/report/holdings.ts';
import { ALL_OPTION_BUCKETS, options } from '../../store/report/options.ts';
import { type ReportDoc, reportBefore } from '../../store/report/reports.ts';
import { saveMappings, symbolsOfCik, symbolsOfCusips } from '../../store/security/securities.ts';
import { peersQuartersOf } from '../peers/invalidate-followers.ts';
import { invalidateSearchOfReport, invalidateSearchOfSymbols } from '../search/invalidate-tickers.ts';
import { statedBy, withdrawFormer } from './issuer-statements.ts';
import { noteFollowersInvalidated } from './writer.ts';

/**
 * Invalidates what a parsed filing changes and then notes it, so that a crash in between only repeats
 * it. Returns the invalidated keys.
 */
export async function invalidateFollowers(db: Db, filing: FilingDoc): Promise<FilingFollowers> {
  const keys: FilingFollowers = { report: [], brief: [], insider: [] };
  const readings: FormerReading[] = filing.former === undefined ? [filing] : [filing.former, filing];
  if (filing.followers.includes('brief')) await saveMappings(db, statedBy(filing));
  if (filing.former !== undefined) await withdrawFormer(db, filing.former);
  for (const kind of filing.followers) {
    const followers = await Promise.all(readings.map((reading) => KEYS[kind](db, reading)));
    keys[kind] = [...new Set(followers.flat())];
    if (kind === 'brief') await invalidateBriefs(db, keys.brief, { lane: filing.lane, unmoved: true });
    else await invalidate(db, { kind, lane: filing.lane }, keys[kind]);
  }
  const { matchedCount } = await filingsIn(db).updateOne(
    { _id: filing._id, fence: filing.fence, parserVersion: filing.parserVersion },
    { $set: { derive: 'done' }, $unset: { former: '' } },
  );
  // The filing was read again meanwhile: what this reading stated may have been withdrawn before it was saved.
  if (matchedCount === 0) await withdrawFormer(db, filing);
  return keys;
}

type FilingFollowers = Record<Follower, readonly string[]>;

const KEYS: Record<Follower, (db: Db, filing: FormerReading) => Promise<readonly string[]>> = {
  report: async (_db, filing) => [reportIdOf(filing) ?? []].flat(),
  insider: async (_db, { issuerCik }) => [issuerCik ?? []].flat(),
  brief: tickersOfIssuer,
};

/** The symbols that the form itself states for its issuer, then every symbol known for the issuer. */
async function tickersOfIssuer(db: Db, filing: FormerReading): Promise<Ticker[]> {
  const { issuerCik } = filing;
  if (issuerCik === null) return [];
  const stated = statedBy(filing);
  const symbols = [...stated.map((mapping) => mapping.symbol), ...(await symbolsOfCik(db, issuerCik))];
  await invalidateSearchOfSymbols(db, symbols);
  return [...new Set(symbols)];
}

/**
 * Invalidates what a saved report changes: the comparison of the next quarter, where one was filed;
 * the peers of the quarters around it; the leaderboard; the search; and the briefs of every security
 * in the rows shown now, shown before, and in the manager's last report before. That is more than
 * needed: a brief built twice is the same brief. Where no report is left, the corpus is published
 * again, because a crash may have lost `withdrawn`. Reports and briefs follow in the lane of the report.
 */
export async function invalidateReportFollowers(
  db: Db,
  key: ReportKey,
  { report, withdrawn, lane = LAST_LANE }: ComparedReport,
) {
  // Without this a change of 1999 would walk through every quarter since.
  const isFollowed = report?.followersInvalidated === true;
  const reports = isFollowed ? [] : (await comparedWith(db, [key])).map(reportId);
  await invalidate(db, { kind: 'report', lane }, reports);
  // Another verdict, or another report before it, leaves the report as filed: peers need no second look.
  if (report?.filed.followersInvalidated !== true) {
    await invalidate(db, 'peers', await peersQuartersOf(db, key));
  }
  const cusips = await touchedCusips(db, key, report ?? withdrawn);
  const named = [...new Set([...cusips, ...(await touchedOptions(db, key, report ?? withdrawn))])];
  await noteHeld(db, named);
  const tickers = await symbolsOfCusips(db, await relatedCusips(db, key.quarterEnd, named));
  await invalidateBriefs(db, tickers, { lane });
  await invalidate(db, 'leaderboard', [BOARD_KEY]);
  await invalidateSearchOfReport(db, key, report === null ? null : cusips);
  if (report === null) await republishCorpus(db);
  else await noteFollowersInvalidated(db, report);
  return { reports, tickers };
}

/** The reports that were filed and whose prior report is, or may be, one of these (rule 5.1). */
export async function comparedWith(db: Db, keys: readonly ReportKey[]): Promise<ReportKey[]> {
  const next = keys.flatMap(nextKeys);
  const found = await filingsOfReports(db, next, { cik: 1, 'content.kind': 1, 'content.quarterEnd': 1 });
  const filed = new Set(found.map(reportIdOf));
  return next.filter((key) => filed.has(reportId(key)));
}

function nextKeys({ cik, quarterEnd }: ReportKey): ReportKey[] {
  const next = nextQuarterEnd(quarterEnd);
  const successors = SUCCESSIONS.filter(
    ({ predecessor, firstQuarterEnds }) => predecessor === cik && firstQuarterEnds.includes(next),
  );
  return [cik, ...successors.map((one) => one.cik)].map((one) => ({ cik: one, quarterEnd: next }));
}

/** The report as it is shown now, else the one that this run withdrew. */
type ComparedReport = {
  readonly report: ReportDoc | null;
  readonly withdrawn: ReportDoc | null;
  readonly lane?: Lane;
};

async function touchedCusips(db: Db, key: ReportKey, report: ReportDoc | null): Promise<Cusip[]> {
  const before = await followedReport(db, key);
  const pages = [
    ...(report === null ? [] : [...pagesOf(report), ...previousPagesOf(report)]),
    ...(before === null ? [] : pagesOf(before)),
  ];
  return [...new Set(await cusipsOfPages(db, pages))];
}

/** The same of options, whose managers may hold no share of the security. */
async function touchedOptions(db: Db, key: ReportKey, report: ReportDoc | null): Promise<Cusip[]> {
  const before = await followedReport(db, key);
  const shown = report === null ? [] : [report.digest, ...report.previous.map(({ digest }) => digest)];
  const keys = [...shown.map((digest) => ({ ...key, digest })), ...(before === null ? [] : [before])];
  const rows = await options.ofKeys(db, keys, ALL_OPTION_BUCKETS);
  return [...new Set(rows.map(({ cusip }) => cusip))];
}

/** The report that the manager counted by until it filed this one. */
async function followedReport(db: Db, key: ReportKey): Promise<ReportDoc | null> {
  const fund = await fundsIn(db).findOne({ _id: key.cik });
  const isLatest = fund === null || fund.latestQuarterEnd <= key.quarterEnd;
  return isLatest ? await reportBefore(db, key) : null;
}
