import { diff as queue } from '../queues/derive.ts';
import { reconcileIssuer } from '../src/derive/insider/writer.ts';
import { refreshLeaderboard } from '../src/derive/leaderboard/writer.ts';
import { refreshPeers } from '../src/derive/peers/writer.ts';
import { compareReports } from '../src/derive/report/compare-reports.ts';
import { searchPart } from '../src/derive/search/entries.ts';
import {
  type CountedPart,
  countHolders,
  type HoldersKey,
  holdersId,
  holdersInputs,
  noteHoldersFollowed,
  saveHolders,
  uncounted,
} from '../src/derive/search/holders.ts';
import { LANES, LAST_LANE, type Lane } from '../src/domain/filing/lane.ts';
import type { QuarterEnd } from '../src/domain/ids.ts';
import { showBrief } from '../src/read/brief/brief.ts';
import { reportId } from '../src/store/filing/filings.ts';
import { requireAsOf } from '../src/store/filing/settings.ts';
import { invalidate } from '../src/store/invalidation/invalidate.ts';
import {
  pendingInvalidation,
  pendingVersion,
  postponeInvalidations,
  settleInvalidation,
  settleInvalidations,
} from '../src/store/invalidation/invalidation.ts';
import { setOnRead } from '../src/store/invalidation/left-to-readers.ts';
import { noteAnnounced } from '../src/store/publish/current-briefs.ts';
import { BOARD_KEY, leaderboardDue } from '../src/store/publish/leaderboard.ts';
import { publishPart, SECURITY_PARTS } from '../src/store/publish/search-index.ts';
import type { PendingReport } from '../src/store/report/reports.ts';
import { dueAmong, enqueueBriefs, enqueueReports, pendingOf } from './pending/enqueue.ts';
import { pendingReport, pendingUnit } from './pending/units.ts';
import { together } from './together.ts';
import type { Job, JobContext } from './worker/context.ts';

/**
 * Compares the pending reports of a part of the managers together: of each lane a unit, which takes about a second,
 * the most urgent lane first, and then the next ones.
 */
export const diff: Job<'diff'> = async (context, { part }) => {
  const { db, producer, precedence, now } = context;
  const failures: unknown[] = [];
  let isLast = true;
  for (const lane of LANES) {
    if (lane === LAST_LANE) await precedence.giveWay();
    const next = await pendingUnit(db, { part, lane });
    isLast &&= next.isLast;
    const compared = compareUnit(context, next.unit, lane);
    await compared.then((reports) => enqueueReports(context, reports)).catch((error) => failures.push(error));
  }
  if (failures.length > 0) throw failures[0];
  if (!isLast) await producer.enqueue(queue, { part, at: now().getTime() });
};

/**
 * Compares at once what a live filing has invalidated, and the later quarters that follow. Of the filings that a
 * process parses at the same time one is compared after another: a large report takes 200 MB, and seconds of the loop.
 */
export function compareLive(context: JobContext, keys: readonly string[]): Promise<void> {
  return context.comparing.alone(() => compareInTurn(context, keys));
}

async function compareInTurn(context: JobContext, keys: readonly string[]): Promise<void> {
  const pending = await pendingOf(context, 'report', keys);
  const unit = pending.filter(({ lane }) => lane === 'live').map(pendingReport);
  const later = await compareUnit(context, unit, 'live');
  if (later.length > 0) await compareInTurn(context, later);
}

/**
 * One that cannot be compared leaves the others to be compared alone, and goes to the back. Returns the reports that
 * follow. Briefs of history are left to the dispatcher, because other units touch the same.
 */
async function compareUnit(
  context: JobContext,
  unit: readonly PendingReport[],
  lane: Lane,
): Promise<readonly string[]> {
  const { db } = context;
  if (unit.length === 0) return [];
  const { done, failed } = await together(unit, (some) => compareReports(db, some, lane));
  const keys = [...failed.keys()].map(({ key }) => reportId(key));
  await postponeInvalidations(db, 'report', keys);
  const tickers = done.flatMap((followers) => followers.tickers);
  if (lane !== LAST_LANE) await enqueueBriefs(context, tickers);
  for (const error of failed.values()) throw error;
  return done.flatMap((followers) => followers.reports);
}

/**
 * Builds a ticker's brief and shows it, unless a later version is shown. API processes hear of a new id only.
 * The next change of a brief that nobody asked for lately is left to its reader (rule 13.7).
 */
export const brief: Job<'brief'> = async (context, { ticker }) => {
  const { db, now } = context;
  const pending = await pendingInvalidation(db, 'brief', ticker);
  if (pending === null) return;
  if ((await dueAmong(context, 'current_briefs', [{ key: ticker, ...pending }])).length === 0) return;
  const { version, lane } = pending;
  // Ahead of the build: a reader who comes meanwhile says otherwise, and is the last one to say it.
  await setOnRead(db, ticker, true);
  const shown = await showBrief(db, ticker, { version, lane, at: now().toISOString() });
  // A reader had one built for a later publication, perhaps before what is pending here: build it again.
  if (!shown.isShown) return;
  if (shown.isNews) {
    await context.announceCurrentBrief(ticker);
    await noteAnnounced(db, ticker, shown.brief.briefId);
  }
  // Ahead of the end: while it is pending, no change is left to readers.
  if (shown.isAsked) await setOnRead(db, ticker, false);
  await settleInvalidation(db, 'brief', ticker, version);
};

/** Reconciles an issuer's forms and stores every transaction row. One that cannot be goes to the back. */
export const insider: Job<'insider'> = ({ db }, { cik }) =>
  reconcileIssuer(db, cik).catch(async (error: unknown) => {
    await postponeInvalidations(db, 'insider', [cik]);
    throw error;
  });

/** As many keys as one read takes. The dispatcher enqueues the others. */
const ENQUEUED_AT_ONCE = 200;

/** Computes the peers of a quarter and invalidates what they change. */
export const peers: Job<'peers'> = async (context, { quarterEnd }) => {
  const { db, log, now } = context;
  const version = await pendingVersion(db, 'peers', quarterEnd);
  if (version === null) return;
  const refreshed = await refreshPeers(db, quarterEnd, { version, at: now().toISOString() });
  // Still pending: the dispatcher enqueues it again.
  if (refreshed.kind === 'moved_on') return;
  await settleInvalidation(db, 'peers', quarterEnd, version);
  if (refreshed.kind === 'unchanged') return;
  const { reports, tickers } = refreshed;
  log.info({ quarterEnd, reports: reports.length }, 'peers changed');
  await enqueueReports(context, reports);
  // Those reports touch the same tickers once more: the dispatcher enqueues the briefs then.
  if (reports.length > 0) return;
  await enqueueBriefs(context, tickers.slice(0, ENQUEUED_AT_ONCE));
};

/** Computes the leaderboard for what is due when the job starts, not when it was enqueued. */
export const leaderboard: Job<'leaderboard'> = async ({ db, log, now }) => {
  const due = await leaderboardDue(db);
  if (due === null) return;
  await refreshLeaderboard(db, due, now().toISOString());
  await settleInvalidation(db, 'leaderboard', BOARD_KEY, due.version);
  log.info({ asOf: due.asOf }, 'leaderboard published');
};

/** Counts the holders of a quarter, or writes a part of the search index. */
export const search: Job<'search'> = (context, { part, quarterEnd }) =>
  quarterEnd === undefined ? writePart(context, part) : countQuarter(context, quarterEnd);

/** Unless a later version is shown. */
async function writePart(context: JobContext, part: string): Promise<void> {
  const { db, now } = context;
  const version = await pendingVersion(db, 'search', part);
  if (version === null || (await dueAmong(context, 'search_parts', [{ key: part }])).length === 0) return;
  const shown = await searchPart(db, part, await requireAsOf(db));
  await publishPart(db, part, { shown, version, at: now().toISOString() });
  await settleInvalidation(db, 'search', part, version);
}

/**
 * Counts the holders of a quarter and has the parts of the search written again. One pass over the quarter
 * counts all parts that are pending, so that the jobs of the other parts end at once. Equal reports are not
 * counted again.
 */
async function countQuarter(context: JobContext, quarterEnd: QuarterEnd): Promise<void> {
  const { db, now } = context;
  const keys = SECURITY_PARTS.map((part): HoldersKey => ({ part, quarterEnd }));
  const known = await pendingOf(context, 'holders', keys.map(holdersId));
  const due = await dueAmong(context, 'search_holders', known);
  const versions = new Map(due.map(({ key, version }) => [key, Number(version)]));
  if (versions.size === 0) return;
  const pending = keys.filter((key) => versions.has(holdersId(key)));
  const inputs = await holdersInputs(db, quarterEnd);
  const parts = (await uncounted(db, pending, inputs)).map(({ part }) => part);
  const counted = parts.length === 0 ? new Map() : await countHolders(db, inputs, parts);
  const at = now().toISOString();
  const saved = [...counted].map(([part, held]): CountedPart => {
    const key = { part, quarterEnd };
    return { ...key, held, version: versions.get(holdersId(key)) ?? 0, inputs: inputs.digest, at };
  });
  const changed = await saveHolders(db, saved);
  const written = changed.map(({ part }) => part);
  await invalidate(db, 'search', written);
  await noteHoldersFollowed(db, changed);
  await settleInvalidations(db, 'holders', versions);
}
