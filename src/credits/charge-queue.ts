import { byAccount, type Charge, chargeArgs, type Limits } from './charge-batch.ts';
import { gather, handOut, MAX_BATCH, VALUES, type Waiting } from './gather.ts';
import type { OpenCalls } from './open-calls.ts';
import type { RedisKeys } from './redis-keys.ts';
import { batchScript, type RedisRun } from './run.ts';

const runCharges = batchScript(new URL('enter.lua', import.meta.url), new URL('charge.lua', import.meta.url));

type Parts = {
  readonly run: RedisRun;
  readonly keys: RedisKeys;
  readonly limits: Limits;
  readonly openCalls: OpenCalls | undefined;
};

type WaitingCharge = Waiting & { readonly charge: Charge };

/**
 * Sends the charges of one moment to Redis as one script ({@link gather}). Each resolves to its own
 * `{ code, balance, calls left or wait }`, or rejects: with its own error, or with that of the whole script.
 */
export function queueCharges({ run, keys, limits, openCalls }: Parts) {
  let waiting = new Map<string, WaitingCharge>();

  async function send(): Promise<void> {
    const accounts = byAccount([...waiting.values()]);
    const batch = accounts.flat();
    waiting = new Map();
    const answered = openCalls?.take() ?? [];
    try {
      const charges = accounts.map((own) => own.map(({ charge }) => charge));
      const { names, args } = chargeArgs(keys, limits, charges);
      args.push(...answered);
      const reply = await runCharges.now(run, names, args);
      const values: unknown[] = Array.isArray(reply) ? reply : [];
      if (values.length > VALUES * batch.length) openCalls?.giveBack(answered);
      handOut(batch, values);
    } catch (error) {
      openCalls?.giveBack(answered);
      for (const { reject } of batch) reject(error);
    }
  }

  const gathered = gather({ hasWaiting: () => waiting.size > 0, send });
  return (charge: Charge): Promise<readonly unknown[]> => {
    const { marker } = charge;
    // The script reads all markers before it sets any, so another charge of the request goes after it.
    if (waiting.has(marker)) gathered.sendNow();
    return new Promise((resolve, reject) => {
      waiting.set(marker, { charge, resolve, reject });
      if (waiting.size >= MAX_BATCH) gathered.sendNow();
      else gathered.schedule();
    });
  };
}
