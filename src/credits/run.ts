import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { Command, type Redis, ReplyError } from 'ioredis';
import { unavailable } from '../errors.ts';

/** The text of each script that moves money, in the order of their declaration. */
const TEXTS: string[] = [];

type MoneyScript = (run: RedisRun, keys: readonly string[], args: readonly string[]) => Promise<unknown>;

/** Declares a script that moves money; several files are joined in this order. */
export function moneyScript(...files: readonly URL[]): MoneyScript {
  return sentBy(sendWithOthers, declare(files));
}

/**
 * A script that is a batch by itself, or may be one. `now`: sent at once, where ioredis would hold it for the next
 * turn of the event loop.
 */
export function batchScript(...files: readonly URL[]): {
  readonly now: MoneyScript;
  readonly withOthers: MoneyScript;
} {
  const place = declare(files);
  return { now: sentBy(sendAtOnce, place), withOthers: sentBy(sendWithOthers, place) };
}

function sentBy(send: Send, place: number): MoneyScript {
  return (run, keys, args) => run.call(place, { keys, args, send });
}

function declare(files: readonly URL[]): number {
  return TEXTS.push(files.map((file) => readFileSync(file, 'utf8')).join('\n')) - 1;
}

type Send = (
  redis: Redis,
  digest: string,
  keys: readonly string[],
  args: readonly string[],
) => Promise<unknown>;

const sendWithOthers: Send = (redis, digest, keys, args) =>
  redis.evalsha(digest, keys.length, ...keys, ...args);

const sendAtOnce: Send = async (redis, digest, keys, args) =>
  redis.sendCommand(
    new Command('evalsha', [digest, String(keys.length), ...keys, ...args], { replyEncoding: 'utf8' }),
  );

export type RedisRun = {
  /** Names the run; a balance that is admitted carries it. */
  readonly id: () => Promise<string>;
  readonly call: (place: number, sent: Sent) => Promise<unknown>;
};

type Sent = { readonly keys: readonly string[]; readonly args: readonly string[]; readonly send: Send };

type Loaded = { readonly id: string; readonly digests: readonly string[] };

/** Another fence may forget the scripts between loading and calling them. */
const MAX_TRIES = 5;

const known = new WeakMap<Redis, Map<string, RedisRun>>();

/**
 * The run of a Redis: its process, between two fences and two fail-overs (rule 12.7). A restart forgets all scripts,
 * and their texts name the run that they were loaded for. So a command that was meant for another run, also one that
 * ioredis sends again, finds no script and moves nothing. One call is one command.
 */
export function redisRun(redis: Redis, fence: string): RedisRun {
  const runs = known.get(redis) ?? new Map<string, RedisRun>();
  known.set(redis, runs);
  const run = runs.get(fence) ?? openRun(redis, fence);
  runs.set(fence, run);
  return run;
}

function openRun(redis: Redis, fence: string): RedisRun {
  let loading: Promise<Loaded> | null = null;
  const forget = (): void => {
    loading = null;
  };
  // The next server may be another one, or the same with older data.
  redis.on('close', forget);
  const loaded = (): Promise<Loaded> => {
    if (loading !== null) return loading;
    const begun = load(redis, fence);
    begun.catch(() => loading === begun && forget());
    loading = begun;
    return begun;
  };
  /** Unless they were loaded again meanwhile. */
  const outdate = async (old: Loaded): Promise<void> => {
    if (loading !== null && (await loading) === old) forget();
  };
  return {
    async id() {
      const { id, digests } = await loaded();
      // After a fence or a restart this server has other scripts, or none.
      const [isPresent] = (await redis.script('EXISTS', digests[0] ?? '')) as number[];
      if (isPresent === 1 && (await presentId(redis, fence)) === id) return id;
      forget();
      return (await loaded()).id;
    },
    async call(place, { keys, args, send }) {
      for (let tries = 1; ; tries += 1) {
        const now = await loaded();
        try {
          return await send(redis, now.digests[place] ?? '', keys, args);
        } catch (error) {
          if (!isForgotten(error) || tries === MAX_TRIES) throw passing(error);
          await outdate(now);
        }
      }
    },
  };
}

/** An error that a script returned for one call of a batch. */
export function callError(message: string): unknown {
  return passing(new ReplyError(message));
}

function isForgotten(error: unknown): boolean {
  return error instanceof ReplyError && String(error).includes('NOSCRIPT');
}

/** No memory, disk or replica left: the script was refused before its first write. */
function passing(error: unknown): unknown {
  const isRefused =
    error instanceof ReplyError &&
    /^(ReplyError: )?(OOM|MISCONF|LOADING|READONLY|NOREPLICAS)/.test(String(error));
  if (!isRefused) return error;
  return unavailable('redis_refuses', String(error), {
    public: 'Credits are not available at the moment.',
    cause: error,
  });
}

/**
 * Loads the scripts for the present run on a connection of its own, which neither reconnects nor sends
 * again: what is read and what is loaded belong to one server. The fence is watched meanwhile. Those of the run before
 * are forgotten: a server that stayed up would charge on with them while balances are compared.
 */
async function load(redis: Redis, fence: string): Promise<Loaded> {
  const own = redis.duplicate({
    lazyConnect: true,
    autoResendUnfulfilledCommands: false,
    enableAutoPipelining: false,
    retryStrategy: () => null,
  });
  const loadedFor = `${fence}:run`;
  try {
    await own.connect();
    for (;;) {
      await own.watch(fence);
      const id = await presentId(own, fence);
      const texts = TEXTS.map((text) => `local RUN = '${id}'\n${text}`);
      const transaction = own.multi();
      if ((await own.get(loadedFor)) !== id) transaction.script('FLUSH').set(loadedFor, id);
      for (const text of texts) transaction.script('LOAD', text);
      if ((await transaction.exec()) !== null) return { id, digests: texts.map(sha1) };
    }
  } finally {
    own.disconnect();
  }
}

/**
 * Names the run that a server is in. A master that was a replica meanwhile keeps its process and its scripts, and may
 * have lost what only it had: each master begins a history of replication. So does one that gets its first replica,
 * or was without one for an hour, which costs a comparison of each balance and nothing else.
 */
async function presentId(redis: Redis, fence: string): Promise<string> {
  const [server, word] = [await redis.info(), await redis.get(fence)];
  const named = [...server.matchAll(/^(?:run_id|master_replid):(\w+)/gm)].map(([, value]) => value);
  return sha1([...named, word ?? ''].join(' ')).slice(0, 16);
}

function sha1(text: string): string {
  return createHash('sha1').update(text).digest('hex');
}
