import type { Db } from 'mongodb';
import { ALGORITHM_VERSION } from '../../domain/brief/manifest.ts';
import { stoppedWords } from '../../domain/brief/words/holder-words.ts';
import { filingDeadline } from '../../domain/calendar.ts';
import type { CorpusState } from '../../domain/filing/index-coverage.ts';
import {
  HELD_ELSEWHERE,
  NO_REPORT_OF_MANAGER,
  NO_REPORTS,
  type QuarterLine,
  quarterLine,
  suspectedSplits,
  todaysShares,
  unreadFilings,
  windowOpen,
} from '../../domain/history/quarter-line.ts';
import { cusipsOf, factorBetween, type SecurityCusip } from '../../domain/holders/former-cusips.ts';
import { isOfDoubted } from '../../domain/holders/observation.ts';
import type { Cik, Cusip, QuarterEnd, Ticker } from '../../domain/ids.ts';
import { quartersThrough } from '../../domain/quarter.ts';
import { ONE_FOR_ONE, type SplitFactor } from '../../domain/report/report.ts';
import { type Covered, lacking } from '../../domain/wire/limitation.ts';
import { type UnreadReport, unreadReportsOf } from '../../store/filing/failures.ts';
import { knownStamps } from '../../store/invalidation/invalidate.ts';
import { digestOf } from '../../store/mongo/pack.ts';
import type { PublishedCorpus } from '../../store/publish/corpus.ts';
import { readLines, saveLine } from '../../store/publish/quarter-lines.ts';
import { partOfSecurity } from '../../store/publish/search-index.ts';
import { type LateManager, lateManagers } from '../../store/report/last-held.ts';
import { findReport, hasReports } from '../../store/report/reports.ts';
import { holdersAmong, type Shown } from './among.ts';
import { coverageOfEmpty, firstDayOf } from './coverage.ts';
import { doubtedChanges, heldMisprints, withDoubted } from './observations.ts';
import { actionsBetween, historyAmong, type SecurityHistory } from './security-history.ts';
import { shownIn, shownOf } from './shown.ts';
import { openSlots } from './slots.ts';
import { stoppedBefore, unreadOfHolders } from './unread.ts';

type HistoryQuery = {
  readonly ticker: Ticker;
  readonly cusip: Cusip;
  readonly corpus: PublishedCorpus;
  readonly quarters: number;
  /** Null: all managers. */
  readonly cik: Cik | null;
};

type CoverageQuery = HistoryQuery & { readonly firstDay: () => ReturnType<typeof firstDayOf> };

type CoveredLine = QuarterLine & Pick<Covered, 'coverage_status'>;

/** What a line is computed from. */
type Quarter = {
  readonly quarterEnd: QuarterEnd;
  readonly history: SecurityHistory;
  /** Every CUSIP of the quarter, with its factor into today's shares. */
  readonly names: readonly SecurityCusip[];
  readonly misprints: readonly Cusip[];
};

/**
 * The latest quarters of a security, or of one manager in it, newest first; none before the first quarter
 * with a report. A quarter costs a read of its holders. The lines of settled quarters are kept and cost one
 * document each, until a report of the quarter or a later split changes what they were computed from.
 */
export async function positionHistory(db: Db, query: HistoryQuery): Promise<CoveredLine[]> {
  const quarters = await quartersOf(db, query);
  let day: ReturnType<typeof firstDayOf> | null = null;
  const firstDay = () => (day ??= firstDayOf(db, query));
  const covered: CoveredLine[] = [];
  if (query.cik === null) {
    for (const line of await linesOfAll(db, query, quarters))
      covered.push(await withCoverage(db, line, { ...query, firstDay }));
  } else {
    for (const quarter of quarters)
      covered.push(await lineOfManager(db, quarter, { ...query, cik: query.cik, firstDay }));
  }
  const late = query.cik === null ? await lateIn(db, query, quarters) : [];
  const unread = await unreadIn(db, query, { quarters, late });
  return covered.map((line, at) => {
    const full = withUnread(withSuspectedSplits(line, quarters[at]), unread);
    const isOpen = !isSettled(line.quarter_end, query.corpus.state);
    return isOpen ? withWindow(full) : withStopped(full, { late, unread });
  });
}

/** Its shares are not restated for what is not proven. */
function withSuspectedSplits(line: CoveredLine, quarter: Quarter | undefined): CoveredLine {
  const later = quarter?.history.quarters.filter(({ quarterEnd }) => quarterEnd > line.quarter_end) ?? [];
  const suspected = later
    .flatMap(({ corporateActions }) => corporateActions)
    .flatMap((action) => (action.kind === 'split_suspected' ? [action.factor] : []));
  if (suspected.length === 0 || line.holders === 0) return line;
  return { ...line, limitations: [...line.limitations, suspectedSplits(suspected)] };
}

/** Of a quarter without any row: whether that means none. */
async function withCoverage(db: Db, line: QuarterLine, query: CoverageQuery): Promise<CoveredLine> {
  const isEmpty = line.holders === 0 && Object.values(line.counts).every((count) => count === 0);
  if (!isEmpty) return { ...line, coverage_status: 'covered' };
  // A row that is excluded is one too.
  if (line.limitations.length > 0) return { ...line, ...UNKNOWN, coverage_status: 'partial' };
  const { asOf } = query.corpus;
  const found = await coverageOfEmpty(db, { ...query, asOf, quarterEnd: line.quarter_end });
  return found.coverage_status === 'covered' ? { ...line, ...found } : { ...line, ...found, ...UNKNOWN };
}

const UNKNOWN = { stance: 'not_determined' } as const;

async function quartersOf(db: Db, { cusip, corpus: { state }, quarters }: HistoryQuery): Promise<Quarter[]> {
  const latest = state.latestReportedQuarterEnd;
  if (latest === null) return [];
  const ends = await sinceFirstReport(db, quartersThrough(latest, quarters));
  const actions = await actionsBetween(db, { reported: ends[0] ?? latest, latest });
  const misprints = await heldMisprints(db, cusip);
  return ends.reverse().map((quarterEnd) => {
    const history = historyAmong(cusip, actions, quarterEnd);
    return {
      quarterEnd,
      history,
      names: cusipsOf(cusip, history.quarters, { reported: quarterEnd, counted: latest }),
      misprints,
    };
  });
}

/** @param ends the earliest first */
async function sinceFirstReport(db: Db, ends: readonly QuarterEnd[]): Promise<QuarterEnd[]> {
  for (const [at, quarterEnd] of ends.entries()) {
    if (await hasReports(db, quarterEnd)) return ends.slice(at);
  }
  return [];
}

async function linesOfAll(db: Db, { cusip, corpus: { state } }: HistoryQuery, quarters: readonly Quarter[]) {
  // Read before the holders: a kept line is never older than what it claims to be computed from.
  const bases = await basesOf(
    db,
    quarters.filter(({ quarterEnd }) => isSettled(quarterEnd, state)),
  );
  const kept = await readLines(db, cusip, bases);
  const lines: QuarterLine[] = [];
  for (const quarter of quarters) {
    const basis = bases.get(quarter.quarterEnd);
    const known = kept.get(quarter.quarterEnd);
    if (known !== undefined) lines.push(known);
    else if (basis === undefined) lines.push(await readLine(db, quarter));
    else lines.push(await keptLine(db, quarter, { cusip, basis }));
  }
  return lines;
}

/** Lines that one process reads at once: a quarter with 6,000 holders takes half a second of CPU. */
const LINES_AT_ONCE = 2;
const sharedLine = sharedBuilds<QuarterLine>(LINES_AT_ONCE);

type Kept = { readonly cusip: Cusip; readonly basis: string };

/**
 * Reads the line and keeps it, once for all calls that wait for it. A call whose deadline passes goes on, so the
 * next one finds the lines that were read since, and joins the one in progress.
 */
function keptLine(db: Db, quarter: Quarter, { cusip, basis }: Kept): Promise<QuarterLine> {
  const { quarterEnd } = quarter;
  return sharedLine(db, [cusip, quarterEnd, basis].join('|'), async () => {
    // Another call may have kept it since this one looked.
    const kept = (await readLines(db, cusip, new Map([[quarterEnd, basis]]))).get(quarterEnd);
    if (kept !== undefined) return kept;
    const line = await readLine(db, quarter);
    await saveLine(db, cusip, basis, line);
    return line;
  });
}

async function readLine(db: Db, quarter: Quarter): Promise<QuarterLine> {
  return lineOf(db, quarter, (cusips) => shownIn(db, cusips, quarter.quarterEnd));
}

/** @param read the rows of some CUSIPs in the quarter: of all managers, or of one */
async function lineOf(
  db: Db,
  quarter: Quarter,
  read: (cusips: readonly Cusip[]) => Promise<Shown[]>,
): Promise<QuarterLine> {
  const { quarterEnd, history, names, misprints } = quarter;
  const shown = await read(history.cusips);
  const among = await holdersAmong(db, shown, { history, counted: quarterEnd });
  const holders = await withDoubted(db, among, { history, quarterEnd, misprints, read });
  const positions = shown.map(({ position }) => position);
  const held = new Set(positions.map(({ cusip }) => cusip));
  return quarterLine({
    quarterEnd,
    holders,
    shares: todaysShares(
      shown.filter((one) => !isOfDoubted(one)).map(({ position }) => position),
      names,
    ),
    factors: factorsSince(quarter).flatMap(([cusip, factor]) => (held.has(cusip) ? [factor] : [])),
  });
}

/** Today's shares for each share of the quarter, by CUSIP. */
function factorsSince({ quarterEnd, history, names }: Quarter): [Cusip, SplitFactor][] {
  const then = cusipsOf(history.cusip, history.quarters, { reported: quarterEnd, counted: quarterEnd });
  const factors = new Map(then.map(({ cusip, factor }) => [cusip, factor]));
  return names.map(({ cusip, factor }) => [cusip, factorBetween(factors.get(cusip) ?? ONE_FOR_ONE, factor)]);
}

async function lineOfManager(
  db: Db,
  quarter: Quarter,
  query: CoverageQuery & { readonly cik: Cik },
): Promise<CoveredLine> {
  const { quarterEnd } = quarter;
  const { cik } = query;
  const report = await findReport(db, { cik, quarterEnd });
  const line = await lineOf(db, quarter, async (cusips) =>
    report === null ? [] : shownOf(db, cusips, report),
  );
  if (report !== null && report.state !== 'notice') return withCoverage(db, line, query);
  const limitations = [report === null ? NO_REPORT_OF_MANAGER : HELD_ELSEWHERE];
  return { ...line, ...UNKNOWN, limitations, coverage_status: 'not_covered' };
}

type Behind = { readonly quarters: readonly Quarter[]; readonly late: readonly LateManager[] };

/** The filings that cannot be read, of the holders around their quarters or of one manager. */
async function unreadIn(db: Db, { cik, corpus: { asOf } }: HistoryQuery, { quarters, late }: Behind) {
  const first = quarters.at(-1);
  if (first === undefined) return [];
  if (cik !== null) return unreadReportsOf(db, cik);
  return unreadOfHolders(db, { cusips: cusipsIn(quarters), since: first.quarterEnd, asOf, late });
}

/** A manager with such a filing has not been silent. */
function withUnread(line: CoveredLine, unread: readonly UnreadReport[]): CoveredLine {
  const own = unread.filter(({ quarterEnd }) => quarterEnd === line.quarter_end);
  if (own.length === 0) return line;
  const limitations = line.limitations.filter((one) => one !== NO_REPORT_OF_MANAGER && one !== NO_REPORTS);
  const stance = line.stance === 'none_found' ? 'not_determined' : line.stance;
  return { ...line, stance, ...lacking({ ...line, limitations }, unreadFilings(own)) };
}

const isSettled = (quarterEnd: QuarterEnd, { latestReportedQuarterEnd, filingWindow }: CorpusState) =>
  quarterEnd !== latestReportedQuarterEnd || filingWindow === 'closed';

function withWindow(line: CoveredLine): CoveredLine {
  const limitations = [windowOpen(filingDeadline(line.quarter_end)), ...line.limitations];
  const { coverage_status: own } = line;
  return { ...line, limitations, coverage_status: own === 'covered' ? 'partial' : own };
}

/** The managers that are behind the latest settled quarter and held the security by their last tables. */
async function lateIn(db: Db, { corpus: { state } }: HistoryQuery, quarters: readonly Quarter[]) {
  // While the window is open most holders may be behind the one after it.
  const settled = quarters.find(({ quarterEnd }) => isSettled(quarterEnd, state));
  if (settled === undefined) return [];
  return lateManagers(db, cusipsIn(quarters), { latest: settled.quarterEnd, by: 'held' });
}

function cusipsIn(quarters: readonly Quarter[]): Cusip[] {
  return [...new Set(quarters.flatMap(({ history }) => history.cusips))];
}

/** A line that falls because a report is not stored says so. */
function withStopped(line: CoveredLine, behind: Parameters<typeof stoppedBefore>[1]): CoveredLine {
  const words = stoppedWords(line.quarter_end, stoppedBefore(line.quarter_end, behind));
  return words === false ? line : { ...line, limitations: [...line.limitations, words] };
}

/**
 * What each line is computed from, as a digest: the reports of the quarter that show or showed a security
 * of its part of the search, and the CUSIPs with their factors. None where no report was ever noted.
 */
async function basesOf(db: Db, quarters: readonly Quarter[]) {
  const keysOf = ({ quarterEnd, names, history, misprints }: Quarter): string[] =>
    [...names, ...doubtedChanges(history, quarterEnd).map(({ from: cusip }) => ({ cusip }))]
      .map(({ cusip }) => cusip)
      .concat(misprints)
      .map(partOfSecurity)
      .filter((part, at, all) => all.indexOf(part) === at)
      .sort()
      .map((part) => `${part}|${quarterEnd}`);
  const stamps = await knownStamps(db, 'holders', quarters.flatMap(keysOf));
  const bases = quarters.flatMap((quarter): [QuarterEnd, string][] => {
    const seen = keysOf(quarter).flatMap((key) => stamps.get(key) ?? []);
    if (seen.length === 0) return [];
    const factors = quarter.names.map(({ cusip, factor }) => [
      cusip,
      String(factor.numerator),
      String(factor.denominator),
    ]);
    const actions = quarter.history.quarters.filter(({ quarterEnd }) => quarterEnd <= quarter.quarterEnd);
    return [[quarter.quarterEnd, digestOf([ALGORITHM_VERSION, seen, factors, textOf(actions)])]];
  });
  return new Map(bases);
}

function textOf(actions: SecurityHistory['quarters']): string {
  return JSON.stringify(actions, (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value));
}

/**
 * Builds that several readers wait for: who asks for one in progress joins it, also when its first reader has
 * given up. So many are at work at once, and the others wait in the order of their arrival. A build that failed
 * is begun again by the next reader.
 */
function sharedBuilds<T>(atOnce: number) {
  const building = new WeakMap<Db, Map<string, Promise<T>>>();
  const slots = openSlots(atOnce);
  /** @param key names all that the build depends on */
  return (db: Db, key: string, build: () => Promise<T>): Promise<T> => {
    const own = building.get(db) ?? new Map<string, Promise<T>>();
    building.set(db, own);
    const known = own.get(key);
    if (known !== undefined) return known;
    const begun = slots.run(build).finally(() => own.delete(key));
    own.set(key, begun);
    return begun;
  };
}
