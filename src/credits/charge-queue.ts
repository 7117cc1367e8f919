import { byAccount, type Charge, chargeArgs, type Limits } from './charge-batch.ts';
import type { OpenCalls } from './open-calls.ts';
import type { RedisKeys } from './redis-keys.ts';
import { batchScript, callError, type RedisRun } from './run.ts';

const runCharges = batchScript(new URL('enter.lua', import.meta.url), new URL('charge.lua', import.meta.url));

/** Redis answers nobody else meanwhile: for less than half a millisecond. */
const MAX_BATCH = 64;
/** A script that takes longer is not waited for: Redis may be silent, and each call has its own second for an answer. */
const MAX_WAIT_MS = 20;
/** Of the reply, for each charge. */
const VALUES = 3;

type Parts = {
  readonly run: RedisRun;
  readonly keys: RedisKeys;
  readonly limits: Limits;
  readonly openCalls: OpenCalls | undefined;
};

type Waiting = {
  readonly charge: Charge;
  readonly resolve: (reply: readonly unknown[]) => void;
  readonly reject: (error: unknown) => void;
};

/**
 * Sends the charges of one moment to Redis as one script. A charge that comes alone leaves at the end of its turn of
 * the event loop. Those that come while a script is under way leave together when it has answered, as ioredis does
 * with its pipelines, and after 20 ms at the latest. Each resolves to its own `{ code, balance, third }`, or rejects:
 * with its own error, or with that of the whole script.
 */
export function queueCharges({ run, keys, limits, openCalls }: Parts) {
  let waiting = new Map<string, Waiting>();
  let isScheduled = false;
  let underWay = 0;
  let patience: NodeJS.Timeout | undefined;

  async function send(): Promise<void> {
    const batch = byAccount(waiting.values());
    waiting = new Map();
    clearTimeout(patience);
    patience = undefined;
    underWay += 1;
    const answered = openCalls?.take() ?? [];
    try {
      const charges = batch.map(({ charge }) => charge);
      const { names, args } = chargeArgs(keys, limits, charges);
      args.push(...answered);
      const reply = await runCharges(run, names, args);
      const values: unknown[] = Array.isArray(reply) ? reply : [];
      if (values.length > VALUES * batch.length) openCalls?.giveBack(answered);
      settle(batch, values);
    } catch (error) {
      openCalls?.giveBack(answered);
      for (const { reject } of batch) reject(error);
    }
    underWay -= 1;
    schedule();
  }

  function schedule(): void {
    if (isScheduled || waiting.size === 0) return;
    if (underWay > 0) {
      patience ??= setTimeout(sendWaiting, MAX_WAIT_MS);
      return;
    }
    isScheduled = true;
    setImmediate(() => {
      isScheduled = false;
      sendWaiting();
    });
  }

  function sendWaiting(): void {
    if (waiting.size > 0) void send();
  }

  return (charge: Charge): Promise<readonly unknown[]> => {
    const { marker } = charge;
    // The script reads all markers before it sets any, so another charge of the request goes after it.
    if (waiting.has(marker)) void send();
    return new Promise((resolve, reject) => {
      waiting.set(marker, { charge, resolve, reject });
      if (waiting.size >= MAX_BATCH) void send();
      else schedule();
    });
  };
}

/** By an index: no slice of the reply and no closure for each call. */
function settle(batch: readonly Waiting[], values: readonly unknown[]): void {
  let at = 0;
  for (const { resolve, reject } of batch) {
    if (values[at] === 'ERROR') reject(callError(String(values[at + 1])));
    else resolve([values[at], values[at + 1], values[at + 2]]);
    at += VALUES;
  }
}
