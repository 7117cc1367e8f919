import type { Db } from 'mongodb';
import { fetch, parse } from '../../queues/filings.ts';
import type { QueueName } from '../../queues/index.ts';
import { compare } from '../../src/domain/compare.ts';
import { LAST_LANE, type Lane } from '../../src/domain/filing/lane.ts';
import { priorKeys } from '../../src/domain/filing/manager.ts';
import type { Accession } from '../../src/domain/ids.ts';
import {
  filingsIn,
  filingsOfReports,
  hasWaiting,
  type ReportKey,
  reportId,
  reportIdOf,
  reportKeyOf,
  unitCandidates,
  type WaitingState,
} from '../../src/store/filing/filings.ts';
import {
  type InvalidationDoc,
  listPending,
  versioningOf,
} from '../../src/store/invalidation/invalidation.ts';
import type { PendingReport } from '../../src/store/report/reports.ts';
import type { JobContext } from '../worker/context.ts';

/** Parts of the managers, each with one job at a time: so many workers may compare at once. */
export const REPORT_PARTS = 8;

/** Of one unit: some seconds of CPU at most… */
const MAX_REPORTS = 64;

/** …and of memory, with all that is computed of them: rows as filed, those of the quarter before included. */
const MAX_ROWS = 20_000;

/** Keys that a unit is chosen from: those of all parts that have waited longest. */
const LISTED = 1_000;

/** The part of a report, by its key. All quarters of a manager are in one, because they share their folds. */
export function partOfReport(key: string): string {
  return String(Number(key.split('|')[0]) % REPORT_PARTS);
}

/**
 * The reports of a part and lane that have waited longest, of later quarters first; at least one, however long.
 * Those that failed went to the back, so they keep no other from its turn. `isLast`: no other one was seen.
 */
export async function pendingUnit(db: Db, { part, lane }: { readonly part: string; readonly lane: Lane }) {
  const listed = await listPending(db, { kind: 'report', lane }, LISTED);
  const own = listed.filter(({ key }) => partOfReport(key) === part).map(pendingReport);
  const chosen = await withinRows(db, own.slice(0, MAX_REPORTS));
  const unit = [...chosen].sort((a, b) => compare(b.key.quarterEnd, a.key.quarterEnd));
  return { unit, isLast: unit.length === own.length };
}

export function pendingReport(doc: InvalidationDoc): PendingReport {
  return { ...versioningOf(doc), key: reportKeyOf(doc.key) };
}

/** The first of the reports that are not too long together with the reports before them. */
async function withinRows(db: Db, reports: readonly PendingReport[]): Promise<PendingReport[]> {
  const reads = reports.map(({ key }) => [key, ...priorKeys(key)]);
  const lengths = await rowsFiled(db, reads.flat());
  let rows = 0;
  return reports.filter((_, at) => {
    for (const id of (reads[at] ?? []).map(reportId)) {
      rows += lengths.get(id) ?? 0;
      // A table is read once.
      lengths.delete(id);
    }
    return at === 0 || rows <= MAX_ROWS;
  });
}

/** The rows in all filings of each report, by its id. */
async function rowsFiled(db: Db, keys: readonly ReportKey[]): Promise<Map<string, number>> {
  const fields = { cik: 1, 'content.kind': 1, 'content.quarterEnd': 1, 'rows.count': 1 };
  const lengths = new Map<string, number>();
  for (const filing of await filingsOfReports(db, keys, fields)) {
    const id = reportIdOf(filing) ?? '';
    lengths.set(id, (lengths.get(id) ?? 0) + Number(filing.rows?.count ?? 0));
  }
  return lengths;
}

/** Parts of the filings of history, each with one job of a stage at a time: so many workers may share a stage. */
const FILING_PARTS = 4;

/** Filings of a unit: of fetching some seconds at EDGAR's rate, of parsing some tenths of a second of CPU. */
const MAX_FILINGS = { discovered: 16, fetched: 64 } as const;

/** The stage of filings that wait for it. */
const SPECS = { discovered: fetch, fetched: parse } as const;

/** The filings of history in a part that are handled together next. `isLast`: no other one was seen. */
export async function unitOfFilings(
  db: Db,
  state: WaitingState,
  { part, now }: { readonly part: string; readonly now: Date },
) {
  const most = MAX_FILINGS[state];
  const listed = await unitCandidates(db, state, { now, limit: FILING_PARTS * most });
  const own = listed.filter((accession) => partOfFiling(accession) === part);
  return { unit: own.slice(0, most), isLast: own.length <= most && listed.length < FILING_PARTS * most };
}

function partOfFiling(accession: Accession): string {
  return String(Number(accession.slice(-6)) % FILING_PARTS);
}

/**
 * Whether filings of history wait for a stage, or are claimed by a unit, whether its worker lives or not. Ask the
 * queues first: what a job leaves waiting is then seen here. Failed filings that wait for a retry do not count; that
 * may take hours.
 */
export async function hasWaitingHistory({ db, now }: JobContext): Promise<boolean> {
  if (!(await hasWaiting(db, LAST_LANE))) return false;
  // In the order of their way: a filing that moves on meanwhile is met later. Not both conditions at once: for that the
  // embedded engine reads all filings that are stored.
  for (const state of ['discovered', 'fetched'] as const) {
    const isDue = { nextAt: { $lte: now().toISOString() } };
    for (const isWaiting of [isDue, { unit: { $exists: true } }]) {
      const where = { state, lane: LAST_LANE, ...isWaiting };
      if ((await filingsIn(db).findOne(where, { projection: { _id: 1 } })) !== null) return true;
    }
  }
  return false;
}

/** Whether one of the queues works, or filings of history wait to be fetched or parsed. */
export async function isReading(context: JobContext, names: readonly QueueName[]): Promise<boolean> {
  return (await context.producer.load(names)) > 0 || hasWaitingHistory(context);
}

/**
 * Enqueues a unit of each part that has filings of history to begin with; then it goes on by itself. Only the
 * dispatcher does, so that the filings of many days of an index are gathered, and a unit is seldom of one.
 */
export async function enqueueFilingUnits(
  { db, producer, now }: JobContext,
  state: WaitingState,
): Promise<void> {
  const listed = await unitCandidates(db, state, { now: now(), limit: FILING_PARTS * MAX_FILINGS[state] });
  const parts = new Set(listed.map(partOfFiling));
  const at = now().getTime();
  const jobs = [...parts].sort().map((part) => ({ part, at }));
  await producer.enqueueAll(SPECS[state], jobs);
}
