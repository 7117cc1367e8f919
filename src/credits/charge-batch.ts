import { groupBy } from '../domain/group.ts';
import type { RedisKeys } from './redis-keys.ts';

/** Who pays for a call: what all its calls share is sent once for those of a batch, and read once by Redis. */
export type PayingAccount = {
  /** The same for calls that may share it. */
  readonly id: string;
  readonly names: { readonly key: string; readonly org: string };
  readonly values: readonly [digest: string, orgId: string, epoch: string, keyId: string];
};

/** One call as `charge.lua` takes it. */
export type Charge = {
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

/** The charges of each account. */
export function byAccount<T extends { readonly charge: Charge }>(batch: readonly T[]): T[][] {
  return [...groupBy(batch, ({ charge }) => charge.account.id).values()];
}

/** KEYS and ARGV of `charge.lua` for the charges of each account. */
export function chargeArgs(
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
