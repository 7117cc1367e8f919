import type { Db } from 'mongodb';
import { addDays, asOfDate } from '../../domain/calendar.ts';
import { LANES, minutesBehind } from '../../domain/filing/lane.ts';
import type { IsoDate, QuarterEnd } from '../../domain/ids.ts';
import { previousQuarterEnd, quarterEndOn, quartersThrough } from '../../domain/quarter.ts';
import { VERSION } from '../../domain/version.ts';
import type { StatusData } from '../../domain/wire/status.ts';
import { indexAlarms } from '../../store/filing/alarms.ts';
import { headSeq } from '../../store/filing/events.ts';
import { type FilingDoc, filingsIn, waitingSince } from '../../store/filing/filings.ts';
import { polledAt, publishedAsOf } from '../../store/filing/settings.ts';
import { type HeartbeatDoc, heartbeats, type ProcessRole } from '../../store/process/heartbeats.ts';
import { publishedCorpus } from '../../store/publish/corpus.ts';

/** What is answered, and why it is not `ok`, in words for operators. */
type ServiceStatus = { readonly data: StatusData; readonly problems: readonly string[] };

type StatusSource = {
  readonly db: Db;
  readonly now: () => Date;
  /** The carried forms. */
  readonly forms: readonly { readonly carries: readonly string[] }[];
  readonly countQuarters: (db: Db, asOf: IsoDate) => Promise<QuarterCount[]>;
};

/** Longer than a reading of the feed with its retries takes. */
const MAX_MINUTES_BEHIND = 10;

/**
 * The state of the whole service, from MongoDB alone, by a dozen reads of single documents and counts that are
 * kept: it costs the same however much is stored.
 */
export async function serviceStatus({ db, now, forms, countQuarters }: StatusSource): Promise<ServiceStatus> {
  const [asOf, polled, waiting, corpus, head, all, alarms] = await Promise.all([
    publishedAsOf(db),
    polledAt(db),
    waitingSince(db),
    publishedCorpus(db),
    headSeq(db),
    processHealth(db, now),
    indexAlarms(db),
  ]);
  const waitingSinceMs = waiting === null ? null : Date.parse(waiting);
  const behind =
    polled === null ? null : minutesBehind(now().getTime(), { polledMs: Date.parse(polled), waitingSinceMs });
  const processes = withoutReplaced(all);
  const problems = [
    ...missingRoles(processes),
    ...processes.flatMap(problemsOf),
    ...(behind !== null && behind > MAX_MINUTES_BEHIND ? [`${behind} minutes behind EDGAR`] : []),
    ...aheadOf(asOf, now()),
    ...alarms.map(({ name, reason }) => `filings of ${name} may be missing, a listing failed: ${reason}`),
  ];
  const through = corpus?.corpus.state.indexedThrough ?? null;
  const data: StatusData = {
    status: problems.length === 0 ? 'ok' : 'degraded',
    version: VERSION,
    as_of: asOf,
    last_poll_at: polled,
    minutes_behind: behind,
    watermarks: forms.flatMap(({ carries }) => carries).map((form) => ({ form, through })),
    quarters: asOf === null ? [] : await countQuarters(db, asOf),
    events: { head_seq: head },
    processes: processes.map(({ role, version, at, isAlive, queues }) => ({
      ...{ role, version, heartbeat_at: at.toISOString(), alive: isAlive, queues },
    })),
  };
  return { data, problems };
}

/** With what other services say: any problem more, and nothing is `ok`. */
export function withProblems({ data, problems }: ServiceStatus, more: readonly string[]): ServiceStatus {
  const status = more.length === 0 ? data.status : 'degraded';
  return { data: { ...data, status }, problems: [...problems, ...more] };
}

/** A clock that was wrong turned the day, and no clock turns it back (rule 1.3). */
function aheadOf(asOf: IsoDate | null, now: Date): string[] {
  const latest = addDays(asOfDate(null, now.getTime()), 1);
  return asOf === null || asOf <= latest
    ? []
    : [`the published day ${asOf} is ahead of the clock: start a worker once with TIDEMARK_AS_OF`];
}

/** Without one of these something stands still. Workers of `bulk` may be scaled down to none. */
const NEEDED: readonly (readonly [role: ProcessRole, group: string])[] = [
  ['api', ''],
  ['worker', 'live'],
  ['worker', 'briefs'],
  ['worker', 'heavy'],
  ['worker', 'leaderboard'],
  ['scheduler', ''],
];

function missingRoles(processes: readonly ProcessHealth[]): string[] {
  const isThere = (role: ProcessRole, group: string): boolean =>
    processes.some((one) => one.isAlive && one.role === role && (group === '' || one.queues.includes(group)));
  return NEEDED.filter(([role, group]) => !isThere(role, group)).map(
    ([role, group]) => `no ${[role, group].join(' ').trim()} is running`,
  );
}

function problemsOf({ role, about, host, pid, problems }: ProcessHealth): string[] {
  const name = `${[role, about].join(' ').trim()} (${host}, process ${pid})`;
  return problems.map((problem) => `${name}: ${problem}`);
}

type QuarterCount = StatusData['quarters'][number];

/** Quarters of filing dates that a status shows, the present one included. */
const SHOWN = 8;
const OPEN_MS = 60_000;
const CLOSED_MS = 3_600_000;

/**
 * Counts filings by the quarter of their filing date, newest quarter first. What was counted is kept: for a
 * minute in the present quarter, for an hour in an earlier one. So the cost is that of one quarter a minute,
 * however many are stored.
 */
export function openQuarterCounts(now: () => Date) {
  const kept = new Map<QuarterEnd, { readonly at: number; readonly count: QuarterCount }>();
  return async (db: Db, asOf: IsoDate): Promise<QuarterCount[]> => {
    const present = quarterEndOn(asOf);
    const counts: QuarterCount[] = [];
    for (const quarter of quartersThrough(present, SHOWN).sort().reverse()) {
      const age = now().getTime() - (kept.get(quarter)?.at ?? 0);
      if (age > (quarter === present ? OPEN_MS : CLOSED_MS)) {
        kept.set(quarter, { at: now().getTime(), count: await countQuarter(db, quarter) });
      }
      counts.push(...[kept.get(quarter)?.count ?? []].flat());
    }
    return counts;
  };
}

const STATES = ['discovered', 'fetched', 'parsed', 'quarantined'] as const;

async function countQuarter(db: Db, quarter: QuarterEnd): Promise<QuarterCount> {
  const filedDate = { $gte: addDays(previousQuarterEnd(quarter), 1), $lte: quarter };
  // State, lane and day are an index: no filing is read.
  const count = async (state: FilingDoc['state']): Promise<number> => {
    let sum = 0;
    for (const lane of LANES) sum += await filingsIn(db).countDocuments({ state, lane, filedDate });
    return sum;
  };
  const [discovered = 0, fetched = 0, parsed = 0, quarantined = 0] = await Promise.all(STATES.map(count));
  return { quarter_end: quarter, filed: discovered + fetched + parsed + quarantined, parsed, quarantined };
}

/**
 * Older than this and the process hangs, is stopped or was killed: one that computes beats all the same. With the
 * seconds for which a status is kept it is below a minute.
 */
const STALE_MS = 50_000;

export type ProcessHealth = HeartbeatDoc & {
  /** The groups of queues that a worker serves; empty for the others. */
  readonly queues: string[];
  readonly ageSeconds: number;
  /** It beats; it may have problems all the same. */
  readonly isAlive: boolean;
  readonly isReady: boolean;
};

/** All processes, ready or not, with the reason. */
export async function processHealth(db: Db, now: () => Date): Promise<ProcessHealth[]> {
  return (await heartbeats(db)).map((beat) => {
    const ageMs = now().getTime() - beat.at.getTime();
    const ageSeconds = Math.max(0, Math.round(ageMs / 1_000));
    const isAlive = ageMs <= STALE_MS;
    const problems = isAlive ? beat.problems : [`no heartbeat for ${ageSeconds} s`, ...beat.problems];
    const queues = beat.about.split(', ').filter((group) => group !== '');
    return { ...beat, queues, problems, ageSeconds, isAlive, isReady: problems.length === 0 };
  });
}

/**
 * Without the dead ones in whose place another process has started, as after a crash.
 */
export function withoutReplaced(processes: readonly ProcessHealth[]): ProcessHealth[] {
  const isReplaced = (dead: ProcessHealth): boolean =>
    processes.some(
      (other) =>
        other.isAlive &&
        other.role === dead.role &&
        other.about === dead.about &&
        other.startedAt.getTime() > dead.at.getTime(),
    );
  return processes.filter((process) => process.isAlive || !isReplaced(process));
}
