import type { Db } from 'mongodb';
import { addDays, asOfDate } from '../../domain/calendar.ts';
import { minutesBehind } from '../../domain/filing/feed-clock.ts';
import type { IsoDate } from '../../domain/ids.ts';
import { VERSION } from '../../domain/version.ts';
import type { StatusData } from '../../domain/wire/status.ts';
import { indexAlarms } from '../../store/filing/alarms.ts';
import { headSeq } from '../../store/filing/events.ts';
import { waitingSince } from '../../store/filing/filings.ts';
import { polledAt, publishedAsOf } from '../../store/filing/settings.ts';
import type { ProcessRole } from '../../store/process/heartbeats.ts';
import { publishedCorpus } from '../../store/publish/corpus.ts';
import { type ProcessHealth, processHealth, withoutReplaced } from './processes.ts';
import type { QuarterCount } from './quarters.ts';

/** What is answered, and why it is not `ok`, in words for operators. */
export type ServiceStatus = { readonly data: StatusData; readonly problems: readonly string[] };

export type StatusSource = {
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
    ...alarms.map(({ _id, reason }) => `filings of ${_id} may be missing, a listing failed: ${reason}`),
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
