import type { Redis } from 'ioredis';
import type { Db } from 'mongodb';
import { AppError, UsageError } from '../errors.ts';
import { appendGrant, grantsAfter } from '../store/account/grants.ts';
import {
  findOrganization,
  findOrganizationByName,
  type OrganizationDoc,
  organizationsIn,
} from '../store/account/organizations.ts';
import { redisKeys } from './redis-keys.ts';
import { openWallet, type Wallet } from './wallet.ts';

/** Where credits live: the records in Mongo, the balances in Redis under a hash tag. */
export type CreditStore = { readonly db: Db; readonly redis: Redis; readonly tag: string };

/** Most credits of one grant. */
export const MAX_GRANT = 1_000_000_000;

export type Granted = { readonly orgId: string; readonly orgName: string; readonly balance: number };

/**
 * Grants credits: recorded in MongoDB first, then applied in Redis (rule 12.4). A crash in between
 * loses nothing: the next grant or start applies it. Throws UsageError for an unknown organisation or amount.
 */
export async function grantCredits(
  store: CreditStore,
  to: { readonly org: string; readonly amount: number; readonly reason: string },
): Promise<Granted> {
  checkAmount(to.amount);
  return grantTo(store, await organizationCalled(store, to.org), to);
}

/**
 * The organisation of that id, else of that name: names are chosen freely, so that one could equal the
 * id of another organisation. Throws UsageError when there is neither.
 */
export async function organizationCalled(
  { db }: Pick<CreditStore, 'db'>,
  idOrName: string,
): Promise<OrganizationDoc> {
  const org = (await findOrganization(db, idOrName)) ?? (await findOrganizationByName(db, idOrName));
  if (org === null) throw new UsageError(`There is no organisation ${JSON.stringify(idOrName)}.`);
  return org;
}

/** {@link grantCredits} to an organisation already read; once for a `source`, however often it is asked. */
export async function grantTo(
  store: CreditStore,
  org: OrganizationDoc,
  grant: { readonly amount: number; readonly reason: string; readonly source?: string },
): Promise<Granted> {
  checkAmount(grant.amount);
  const { amount, reason, source } = grant;
  const once = source === undefined ? {} : { source };
  await appendGrant(store.db, { orgId: org._id, amount, reason, ...once, at: new Date().toISOString() });
  return { orgId: org._id, orgName: org.name, balance: await applyGrants(store, org) };
}

/** Applies what Mongo has and Redis has not, in order; answers the balance. */
export async function applyGrants(store: CreditStore, org: OrganizationDoc): Promise<number> {
  const keys = redisKeys(store.tag);
  const wallet = openWallet(store.redis, keys, { exposureCap: 0 });
  const [applied, balance] = await store.redis.hmget(keys.org(org._id), 'g', 'bal');
  const missing = await grantsAfter(store.db, org._id, Number(applied ?? 0));
  let left = Number(balance ?? 0);
  for (const { g, amount } of missing) left = await applyOne(wallet, org, { g, amount });
  return left;
}

/** Applies the missing grants of every organisation: after a crash between Mongo and Redis, at start. */
export async function reconcileGrants(store: CreditStore): Promise<void> {
  for await (const org of organizationsIn(store.db).find()) await applyGrants(store, org);
}

async function applyOne(
  wallet: Wallet,
  org: OrganizationDoc,
  grant: { readonly g: number; readonly amount: number },
): Promise<number> {
  const result = await wallet.grant({ orgId: org._id, epoch: org.epoch }, grant);
  if (result.kind === 'applied' || result.kind === 'already') return result.balance;
  throw new AppError('grant_refused', `Grant ${grant.g} of ${org._id}: ${result.kind}`, {
    status: 503,
    retry: true,
  });
}

/** Throws UsageError for what is no amount of a grant. */
export function checkAmount(amount: number): void {
  if (Number.isInteger(amount) && amount >= 0 && amount <= MAX_GRANT) return;
  throw new UsageError(`The amount must be a whole number of credits from 0 to ${MAX_GRANT}.`);
}
