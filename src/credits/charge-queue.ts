import { groupBy } from '../domain/group.ts';
import { gather, handOut, MAX_BATCH, VALUES, type Waiting } from './gather.ts';
import type { OpenCalls } from './open-calls.ts';
import type { RedisKeys } from './redis-keys.ts';
import { batchScript, type RedisRun } from './run.ts';

const runCharges = batchScript(new URL('enter.lua', import.meta.url), new URL('charge.lua', import.meta.url));

/** Who pays for a call: what all its calls share is sent once for those of a batch, and read once by Redis. */
export type PayingAccount = {
  /** The same for calls that may share it. */
  readonly id: string;
  readonly names: { readonly key: string; readonly org: string };
  readonly values: readonly [digest: string, orgId: string, epoch: string, keyId: string];
};

/** One call as `charge.lua` takes it. */
type Charge = {
  readonly account: PayingAccount;
  /** The name of its marker. */
  readonly marker: string;
  /** The name under which it is noted as open; empty when it is not. */
  readonly openName: string;
  readonly args: readonly [
    cost: string,
    attemptId: string,
    fingerprint: string,
    tool: string,
    counts: '0' | '1',
    answer: string,
  ];
};

/** Maximum at risk of an organisation and of all, calls a second of an organisation, and its burst. */
type Limits = readonly [maxOrg: string, maxTotal: string, rate: string, burst: string];

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

/** The charges of each account. */
function byAccount<T extends { readonly charge: Charge }>(batch: readonly T[]): T[][] {
  return [...groupBy(batch, ({ charge }) => charge.account.id).values()];
}

/** KEYS and ARGV of `charge.lua` for the charges of each account. */
function chargeArgs(
  { log, exposure, openCalls }: Pick<RedisKeys, 'log' | 'exposure' | 'openCalls'>,
  limits: Limits,
  accounts: readonly (readonly Charge[])[],
): { names: string[]; args: string[] } {
  const charges = accounts.flat();
  const names = [log, exposure, openCalls, ...charges.map(({ marker }) => marker)];
  const args = [String(charges.length), String(accounts.length), ...limits];
  args.push(...charges.map(({ openName }) => openName));
  for (const own of accounts) {
    const account = own[0]?.account;
    if (account === undefined) continue;
    names.push(account.names.key, account.names.org);
    args.push(...account.values, String(own.length), ...own.flatMap((charge) => charge.args));
  }
  return { names, args };
}
