import { hostname } from 'node:os';
import { Worker } from 'node:worker_threads';
import type { Db } from 'mongodb';
import { VERSION } from '../domain/version.ts';
import type { Logger } from '../log.ts';
import { heartbeats, type ProcessRole, removeHeartbeat, saveHeartbeat } from '../store/process/heartbeats.ts';

/**
 * The heartbeat of a process, and the watch over its event loop. A worker may compute for minutes: its heartbeat goes
 * on then. An API or a scheduler may not.
 */
export async function keepHealth(
  mongoUrl: string,
  ...beat: Parameters<typeof keepHeartbeat>
): Promise<{ readonly close: () => Promise<void> }> {
  const [{ db }, { role }] = beat;
  const heartbeat = await keepHeartbeat(...beat);
  const pulse: Pulse = { mongoUrl, database: db.databaseName, id: heartbeat.id };
  const loop = watchLoop(LOOP_SECONDS[role], role === 'worker' ? pulse : null);
  return {
    close: async () => {
      await heartbeat.close();
      await loop.close();
    },
  };
}

/** How long an event loop may stand still. Peers of a whole quarter take that of a worker for minutes. */
const LOOP_SECONDS: Readonly<Record<ProcessRole, number>> = { api: 60, scheduler: 60, worker: 600 };

/** The heartbeat that goes on while the loop computes. Its process alone cannot write it then. */
type Pulse = {
  readonly mongoUrl: string;
  readonly database: string;
  /** Of the heartbeat. */
  readonly id: string;
};

/**
 * Kills this process when its event loop stands still for so many seconds, as {@link LOOP_SECONDS} says: nothing in
 * it can end it in order then. The seconds are counted, not read from a clock: a process that was suspended (SIGSTOP)
 * must not die when it goes on. With a pulse the heartbeat goes on meanwhile, and stops only when the process does.
 */
export function watchLoop(
  limitSeconds: number,
  pulse: Pulse | null = null,
): { readonly close: () => Promise<void> } {
  const beats = new Int32Array(new SharedArrayBuffer(4));
  const tick = setInterval(() => Atomics.add(beats, 0, 1), 500).unref();
  const workerData = { beats, limitSeconds, pulse };
  const thread = new Worker(new URL('./loop-thread.mjs', import.meta.url), { execArgv: [], workerData });
  thread.unref();
  return {
    close: async () => {
      clearInterval(tick);
      await thread.terminate();
    },
  };
}

const BEAT_MS = 10_000;
/** A process of another machine that has been silent for so long is not coming back. */
const GONE_MS = 24 * 3_600_000;
/** What an end waits for MongoDB. */
const END_MS = 2_000;

/** What a process finds about itself. `wedged` is what only a restart heals. */
type Judgement = { readonly problems: readonly string[]; readonly wedged?: string };

type Process = {
  readonly role: ProcessRole;
  readonly about?: string;
  readonly judge: () => Promise<Judgement>;
  /** What it measured, as JSON, for the operators' port. */
  readonly metrics?: () => Promise<string>;
};
type Context = { readonly db: Db; readonly log: Logger; readonly now: () => Date };

/**
 * Writes the heartbeat of this process until it is closed, and ends the process with exit code 1 when it
 * finds itself wedged: its supervisor starts another one. A MongoDB that is away only makes the beat old.
 */
export async function keepHeartbeat(
  { db, log, now }: Context,
  { role, about = '', judge, metrics }: Process,
): Promise<{ readonly id: string; readonly close: () => Promise<void> }> {
  const own = { role, about, host: hostname(), pid: process.pid, version: VERSION, startedAt: now() };
  // Containers that share a host name, and count their processes apart, differ in what they do.
  const _id = `${[role, about].join(' ').trim()}@${own.host}:${own.pid}`;
  const beat = async (): Promise<void> => {
    const { problems, wedged } = await judge();
    if (wedged !== undefined) {
      log.fatal({ wedged }, 'this process is wedged: it ends, to be started again');
      process.exit(1);
    }
    const measured = metrics === undefined ? {} : { metrics: await metrics() };
    await saveHeartbeat(db, { _id, ...own, at: now(), problems, ...measured });
  };
  const quietly = (work: () => Promise<void>): Promise<void> =>
    work().catch((err) => log.warn({ err }, 'the heartbeat was not written'));
  let running: Promise<void> | null = null;
  const run = async (work: () => Promise<void>): Promise<void> => {
    running = quietly(work);
    await running;
    running = null;
  };
  await run(async () => {
    await forgetDead(db, now);
    await beat();
  });
  const timer = setInterval(() => {
    // One at a time: MongoDB may take longer than the interval.
    if (running === null) void run(beat);
  }, BEAT_MS).unref();
  const end = async (): Promise<void> => {
    await running;
    await quietly(() => removeHeartbeat(db, _id));
  };
  return {
    id: _id,
    close: async () => {
      clearInterval(timer);
      // What comes after is the work of the process, which has to end in order without MongoDB too.
      await Promise.race([end(), new Promise((resolve) => setTimeout(resolve, END_MS).unref())]);
    },
  };
}

/** Of processes that were killed: on this machine, or on one that has gone, as a container that was replaced. */
async function forgetDead(db: Db, now: () => Date): Promise<void> {
  for (const { _id, host, pid, at } of await heartbeats(db)) {
    const isDead = host === hostname() ? !isRunning(pid) : now().getTime() - at.getTime() > GONE_MS;
    if (isDead) await removeHeartbeat(db, _id);
  }
}

/** A process of this machine. */
function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: it runs, as another user.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
