import { z } from 'zod';
import { LANES, LAST_LANE, type Lane } from '../src/domain/filing/lane.ts';
import {
  type Accession,
  type Cik,
  type IsoDate,
  isAccession,
  isCik,
  isIsoDate,
  isTicker,
  type QuarterEnd,
  requireIsoDate,
  type Ticker,
} from '../src/domain/ids.ts';

/**
 * What an operator may give processes of its own (`tidemark work --queues`): what brings a filing in and
 * compares it; briefs; what is computed over a whole quarter, which holds its event loop for seconds; the
 * leaderboard, over columns that no other group shares; and the import of data sets, which may block its event loop for a second.
 */
export const QUEUE_GROUPS = ['live', 'briefs', 'heavy', 'leaderboard', 'bulk'] as const;

export type QueueGroup = (typeof QUEUE_GROUPS)[number];

/** Everything that an operator needs to know about a queue. The job of the same name is in `jobs/`. */
export type QueueSpec<Payload> = {
  /** The same word in queue, job, dashboard and test. */
  readonly name: string;
  readonly about: string;
  /** Queues of one group may share a process, and an event loop. */
  readonly group: QueueGroup;
  readonly payload: z.ZodType<Payload>;
  /**
   * Two enqueued jobs with one id are one job while the first is waiting or running. Built from checked
   * ids only (rule 13.4): BullMQ breaks on `:`, bare integers and its own key names (`meta`, `wait`…).
   */
  readonly jobId: (payload: Payload) => string;
  /**
   * The key of the invalidation that the job settles, or the part that its units are taken from, for one waiting and
   * one running job at most (rule 13.4). Null for all other jobs.
   */
  readonly key: (payload: Payload) => string | null;
  /** The lowest number runs first, from 1 to 2,097,151 (rule 13.4). Null: in the order of enqueuing. */
  readonly priority: ((payload: Payload) => number) | null;
  readonly attempts: number;
  /** First wait of an exponential backoff with jitter. */
  readonly backoffMs: number;
  /** Jobs at once in one worker process. */
  readonly concurrency: number;
  /**
   * A failed job keeps its id, so that it is not repeated before the next slot. Not where the database says what is pending: there a
   * job that stays would swallow the job that the dispatcher adds again under the same id.
   */
  readonly keepsFailed: boolean;
  /** A worker that is silent for this long loses its job to another worker. */
  readonly lockMs: number;
  /** When the clock enqueues it, in New York time; empty when only other stages do. */
  readonly schedule: readonly Schedule[];
};

type Schedule = {
  /** Six cron fields, seconds first. */
  readonly cron: string;
  /** Length of a slot: a slot fires once for any number of schedulers. */
  readonly slotSeconds: number;
  /** What is due then, of a queue for several kinds of work. */
  readonly kind?: string;
};

const JOB_ID = /^[a-z]+-[A-Za-z0-9._-]{1,120}$/;

const LOCK_MS = 30_000;

/** Of stages that hold up new filings, and whose work never blocks the event loop that renews the lock. */
export const SHORT_LOCK_MS = 15_000;

const DAY_MS = 86_400_000;
const LATEST_DAY = requireIsoDate('2500-01-01');

/** More days than any two dates are apart, and three of them within BullMQ's 2,097,151. */
const LANE_SPAN = 600_000;

type Place = { readonly lane?: Lane | undefined; readonly day?: IsoDate | undefined };

/**
 * The priority of work: live before reconcile before backfill, and within a lane that of a later day
 * first. It counts from a fixed day, because jobs that are enqueued on other days are compared.
 */
export function urgency({ lane = LAST_LANE, day = LATEST_DAY }: Place): number {
  const age = (Date.parse(LATEST_DAY) - Date.parse(day)) / DAY_MS;
  return LANES.indexOf(lane) * LANE_SPAN + Math.max(1, age);
}

const DEFAULTS = {
  key: () => null,
  priority: null,
  attempts: 8,
  backoffMs: 500,
  concurrency: 1,
  keepsFailed: false,
  lockMs: LOCK_MS,
  schedule: [],
} as const;

/**
 * Of a queue with one job id: while a job waits or runs, none is added, whatever its slot. Running twice does no harm.
 */
export const ONE_JOB = {
  attempts: 1,
  backoffMs: 0,
  // A failed job that stays would swallow every later one.
  keepsFailed: false,
  // None is added while its worker is dead.
  lockMs: 10_000,
} as const;

type Optional = keyof typeof DEFAULTS;

type Definition<Payload> = Omit<QueueSpec<Payload>, Optional> & Partial<Pick<QueueSpec<Payload>, Optional>>;

/** Declares a queue and checks its job ids. */
export function defineQueue<Payload>(spec: Definition<Payload>): QueueSpec<Payload> {
  const checked = (payload: Payload): string => {
    const id = spec.jobId(payload);
    if (!JOB_ID.test(id)) throw new Error(`${spec.name}: "${id}" is not a job id`);
    return id;
  };
  return Object.freeze({ ...DEFAULTS, ...spec, jobId: checked });
}

/** Payloads carry ids, never documents. */
export const accession = z.custom<Accession>((value) => typeof value === 'string' && isAccession(value));

export const cik = z.custom<Cik>((value) => typeof value === 'string' && isCik(value));
export const day = z.custom<IsoDate>((value) => typeof value === 'string' && isIsoDate(value));
export const quarterEnd = z.custom<QuarterEnd>((value) => typeof value === 'string' && isIsoDate(value));
export const ticker = z.custom<Ticker>((value) => typeof value === 'string' && isTicker(value));

/** `f0` to `ff`, `h0` to `hf`. */
export const searchPart = z.string().regex(/^[fh][0-9a-f]$/);

/** `0` to `7`: a part of the managers whose reports are compared together. */
export const reportPart = z.string().regex(/^[0-7]$/);

/** `0` to `3`: a part of the filings of history that are fetched, and parsed, together. */
export const filingPart = z.string().regex(/^[0-3]$/);

/**
 * Which run it is. For a filing its fence, 0 before the first claim, so that every stage names the
 * same job. For a day the slot of the backfill.
 */
export const run = z.number().int().min(0);

/** Version of the invalidation that the job was enqueued for: a later one is another job. */
export const version = z.number().int().min(0);

/** Absent in what the dispatcher enqueues by key. */
export const lane = z.enum(LANES).optional();

/** The slot that the clock fired for: its start in epoch seconds; 0 when enqueued by hand. */
export const slot = z.number().int().min(0);
