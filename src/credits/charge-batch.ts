import type { RedisKeys } from './redis-keys.ts';

/** Who pays for a call: what all its calls share is sent once for those of a batch, and read once by Redis. */
export type PayingAccount = {
  readonly names: { readonly key: string; readonly org: string };
  readonly values: readonly [digest: string, orgId: string, epoch: string, keyId: string];
};

/** One call as `charge.lua` takes it. */
export type Charge = {
  /** The same object for calls that may share it. */
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
export type Limits = readonly [maxOrg: string, maxTotal: string, rate: string, burst: string];

/** Charges of the same account one after the other. */
export function byAccount<T extends { readonly charge: Charge }>(batch: Iterable<T>): T[] {
  const accounts = new Map<PayingAccount, T[]>();
  for (const one of batch) {
    const own = accounts.get(one.charge.account);
    if (own === undefined) accounts.set(one.charge.account, [one]);
    else own.push(one);
  }
  return [...accounts.values()].flat();
}

/** KEYS and ARGV of `charge.lua` for charges {@link byAccount}. */
export function chargeArgs(
  { log, exposure, openCalls }: Pick<RedisKeys, 'log' | 'exposure' | 'openCalls'>,
  limits: Limits,
  charges: readonly Charge[],
): { names: string[]; args: string[] } {
  const names: string[] = [log, exposure, openCalls];
  const args = [String(charges.length), '', ...limits];
  for (const { marker, openName } of charges) {
    names.push(marker);
    args.push(openName);
  }
  let accounts = 0;
  for (let at = 0; at < charges.length; accounts += 1) at = pushAccount(charges, at, { names, args });
  args[1] = String(accounts);
  return { names, args };
}

/**
 * Adds the charges of one account, from `start` on, without a slice or closure for each call. Returns where the next
 * one begins.
 */
function pushAccount(
  charges: readonly Charge[],
  start: number,
  { names, args }: { names: string[]; args: string[] },
): number {
  const account = charges[start]?.account;
  if (account === undefined) return charges.length;
  names.push(account.names.key, account.names.org);
  const count = args.push(...account.values, '') - 1;
  let at = start;
  for (; charges[at]?.account === account; at += 1) args.push(...(charges[at]?.args ?? []));
  args[count] = String(at - start);
  return at;
}
