import type { RedisKeys } from './redis-keys.ts';

/** One call as `charge.lua` takes it. */
export type Charge = {
  /** The names of its keys. */
  readonly names: { readonly key: string; readonly org: string; readonly marker: string };
  readonly account: readonly [digest: string, orgId: string, epoch: string, keyId: string];
  /** The name under which it is noted as open; empty when it is not. */
  readonly openName: string;
  readonly args: readonly [
    cost: string,
    attemptId: string,
    fingerprint: string,
    tool: string,
    counts: '0' | '1',
  ];
};

/** Maximum at risk of an organisation and of all, calls a second of an organisation, and its burst. */
export type Limits = readonly [cap: string, most: string, rate: string, burst: string];

/** Charges of the same account one after the other: what they share is sent once, and read once by Redis. */
export function inAccounts<T extends { readonly charge: Charge }>(batch: readonly T[]): T[][] {
  const accounts = new Map<string, T[]>();
  for (const one of batch) {
    // Also of one key: it may be presented under another digest, or under another epoch after a rebuild.
    const account = one.charge.account.join();
    const known = accounts.get(account);
    if (known === undefined) accounts.set(account, [one]);
    else known.push(one);
  }
  return [...accounts.values()];
}

/** KEYS and ARGV of `charge.lua`. */
export function chargeArgs(
  { log, exposure, openCalls }: Pick<RedisKeys, 'log' | 'exposure' | 'openCalls'>,
  limits: Limits,
  accounts: readonly (readonly Charge[])[],
): { names: string[]; args: string[] } {
  const charges = accounts.flat();
  const names = [log, exposure, openCalls, ...charges.map((charge) => charge.names.marker)];
  const args = [String(charges.length), String(accounts.length), ...limits];
  for (const { openName } of charges) args.push(openName);
  for (const own of accounts) {
    const [first] = own;
    if (first === undefined) continue;
    names.push(first.names.key, first.names.org);
    args.push(...first.account, String(own.length));
    for (const charge of own) args.push(...charge.args);
  }
  return { names, args };
}
