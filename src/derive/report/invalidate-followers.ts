import type { Db } from 'mongodb';
import { readsReports } from '../../domain/brief/input.ts';
import type { Follower } from '../../domain/filing/filing.ts';
import { LAST_LANE, type Lane } from '../../domain/filing/lane.ts';
import { SUCCESSIONS } from '../../domain/filing/manager.ts';
import { groupBy } from '../../domain/group.ts';
import type { Accession, Cik, Ticker } from '../../domain/ids.ts';
import { nextQuarterEnd } from '../../domain/quarter.ts';
import { MAPPING_CONFIDENCE, type SecurityMapping } from '../../domain/security/mapping.ts';
import { statementIdOf } from '../../domain/security/statement.ts';
import { symbolsIn } from '../../domain/security/symbol.ts';
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
import { invalidate, invalidateBriefs, restampBriefs } from '../../store/invalidation/invalidate.ts';
import { invalidateNaming, namedByIssuer } from '../../store/invalidation/named-filings.ts';
import { publishedQuarter, republishCorpus } from '../../store/publish/corpus.ts';
import { invalidateBoard } from '../../store/publish/leaderboard.ts';
import { noteHeld } from '../../store/report/holdings.ts';
import { raiseQuarterStamps } from '../../store/report/quarter-reports.ts';
import {
  saveMappings,
  symbolsOfCiks,
  symbolsOfCusips,
  withdrawMappings,
} from '../../store/security/securities.ts';
import { peersQuarters } from '../peers/invalidate-followers.ts';
import { invalidateSearchOfReports, invalidateSearchOfSymbols } from '../search/invalidate-tickers.ts';
import { type ComparedReport, type Touched, touchedSecurities } from './touched-securities.ts';
import { noteFollowersInvalidated } from './writer.ts';

/**
 * Invalidates what parsed filings change, once for all of them, and then notes it, so that a crash in between only
 * repeats it. Returns the invalidated keys.
 */
export async function invalidateFollowers(db: Db, filings: readonly FilingDoc[]): Promise<FilingFollowers> {
  const keys: Record<Follower, string[]> = { report: [], brief: [], insider: [] };
  const formers = filings.flatMap(({ former }) => former ?? []);
  await saveMappings(db, followedBy('brief', filings).flatMap(statedBy));
  for (const former of formers) await withdrawFormer(db, former);
  for (const [lane, own] of groupBy(filings, (filing) => filing.lane)) {
    for (const kind of FOLLOWERS) {
      const followed = followedBy(kind, own);
      if (followed.length === 0) continue;
      const readings = followed.flatMap(readingsOf);
      const found = await KEYS[kind](db, readings);
      keys[kind].push(...found);
      if (kind === 'brief') await invalidateBriefs(db, found, { lane, unmoved: true });
      else if (kind === 'insider') await invalidateNaming(db, lane, filingsByIssuer(followed));
      else await invalidate(db, { kind, lane }, found);
    }
  }
  await noteInvalidated(db, filings);
  return keys;
}

type FilingFollowers = Readonly<Record<Follower, readonly string[]>>;

const FOLLOWERS: readonly Follower[] = ['report', 'brief', 'insider'];

function followedBy(kind: Follower, filings: readonly FilingDoc[]): FilingDoc[] {
  return filings.filter(({ followers }) => followers.includes(kind));
}

function readingsOf(filing: FilingDoc): FormerReading[] {
  return filing.former === undefined ? [filing] : [filing.former, filing];
}

/** A filing that was read again may have had another issuer before. */
function filingsByIssuer(filings: readonly FilingDoc[]): Map<Cik, Accession[]> {
  const named = filings.flatMap((filing) =>
    distinct(readingsOf(filing).map(({ issuerCik }) => issuerCik)).map((cik) => [cik, filing._id] as const),
  );
  return namedByIssuer(named);
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

const KEYS: Record<Follower, (db: Db, readings: readonly FormerReading[]) => Promise<readonly string[]>> = {
  report: async (_db, readings) => distinct(readings.map(reportIdOf)),
  insider: async (_db, readings) => distinct(readings.map(({ issuerCik }) => issuerCik)),
  brief: tickersOfIssuers,
};

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

/**
 * Invalidates what saved reports change, once for all of them: the comparisons of the next quarter, where one
 * was filed; the peers of the quarters around them; the leaderboard; the search; and the briefs that may read them,
 * of every security in the rows shown now, shown before, and in the reports that the manager counted by. That is
 * more than needed: a brief built twice is the same brief. Where a report is left no more, the corpus is published
 * again, because a crash may have lost `withdrawn`. Reports and briefs follow in the lane of the reports.
 */
export async function invalidateReportFollowers(
  db: Db,
  compared: readonly ComparedReport[],
  lane: Lane = LAST_LANE,
) {
  // Also where another worker saved them and died: who follows a report must not find an older list of its quarter.
  await raiseQuarterStamps(
    db,
    compared.map(({ key }) => key.quarterEnd),
  );
  // Without this a change of 1999 would walk through every quarter since.
  const moved = compared.filter(({ report }) => report?.followersInvalidated !== true);
  const reports = (await comparedWith(db, keysOf(moved))).map(reportId);
  await invalidate(db, { kind: 'report', lane, unmoved: true }, reports);
  // Another verdict, or another report before it, leaves the report as filed: peers need no second look.
  const filed = compared.filter(({ report }) => report?.filed.followersInvalidated !== true);
  const quarters = new Set(keysOf(filed).flatMap(({ quarterEnd }) => peersQuarters(quarterEnd)));
  await invalidate(db, 'peers', [...quarters]);
  const touched = await touchedSecurities(db, compared);
  await noteHeld(db, [...new Set(touched.flatMap(({ cusips, options: named }) => [...cusips, ...named]))]);
  const tickers = await invalidateBriefsOf(db, touched, lane);
  await invalidateBoard(db);
  await invalidateSearchOfReports(db, touched);
  if (compared.some(({ report }) => report === null)) await republishCorpus(db);
  await noteFollowersInvalidated(
    db,
    compared.flatMap(({ report }) => report ?? []),
  );
  return { reports, tickers };
}

/** No brief says anything of a report before those that it reads, unless it is its manager's last one (rule 13.7). */
async function invalidateBriefsOf(db: Db, touched: readonly Touched[], lane: Lane): Promise<Ticker[]> {
  const latest = await publishedQuarter(db);
  const isRead = ({ key, isPast }: Touched): boolean => !isPast || readsReports(latest, key.quarterEnd);
  const tickers = await tickersOf(db, touched.filter(isRead));
  await invalidateBriefs(db, tickers, { lane });
  const past = touched.filter((one) => !isRead(one));
  await restampBriefs(db, await tickersOf(db, past));
  return tickers;
}

const keysOf = (compared: readonly ComparedReport[]): ReportKey[] => compared.map(({ key }) => key);

/** By the quarter: what filers said until then decides which CUSIPs are one security. */
async function tickersOf(db: Db, touched: readonly Touched[]): Promise<Ticker[]> {
  const tickers = new Set<Ticker>();
  for (const [quarterEnd, own] of groupBy(touched, ({ key }) => key.quarterEnd)) {
    const named = own.flatMap(({ cusips, options: optional }) => [...cusips, ...optional]);
    const related = await relatedCusips(db, quarterEnd, [...new Set(named)]);
    for (const ticker of await symbolsOfCusips(db, related)) tickers.add(ticker);
  }
  return [...tickers];
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
