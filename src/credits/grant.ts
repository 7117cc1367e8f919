import { UsageError, unavailable } from '../errors.ts';
import { appendGrant, grantsAfter } from '../store/account/grants.ts';
import {
  findOrganization,
  findOrganizationByName,
  type OrganizationDoc,
  organizationsIn,
} from '../store/account/organizations.ts';
import { redisKeys } from './redis-keys.ts';
import type { CreditStore } from './store.ts';
import { openWallet } from './wallet.ts';

/** Maximum credits of one grant. */
export const MAX_GRANT = 1_000_000_000;

/**
 * Grants credits: recorded in MongoDB first, then applied in Redis (rule 12.4). A crash in between
 * loses nothing: the next grant or start applies it. Throws UsageError for an unknown organisation or amount.
 */
export async function grantCredits(
  store: CreditStore,
  to: { readonly org: string; readonly amount: number; readonly reason: string },
) {
  checkAmount(to.amount);
  return grantTo(store, await requireOrganization(store, to.org), to);
}

/**
 * The organisation with that id, else with that name. The id comes first, because a name could equal
 * the id of another organisation. Throws UsageError when there is neither.
 */
export async function requireOrganization(
  { db }: Pick<CreditStore, 'db'>,
  idOrName: string,
): Promise<OrganizationDoc> {
  const org = (await findOrganization(db, idOrName)) ?? (await findOrganizationByName(db, idOrName));
  if (org === null) throw new UsageError(`There is no organisation ${JSON.stringify(idOrName)}.`);
  return org;
}

/** {@link grantCredits} for an organisation already read. Repeated calls with one `source` grant once. */
export async function grantTo(
  store: CreditStore,
  org: OrganizationDoc,
  grant: { readonly amount: number; readonly reason: string; readonly source?: string },
) {
  checkAmount(grant.amount);
  const { amount, reason, source } = grant;
  const once = source === undefined ? {} : { source };
  await appendGrant(store.db, { orgId: org._id, amount, reason, ...once, at: store.now().toISOString() });
  return { orgId: org._id, orgName: org.name, balance: await applyGrants(store, org) };
}

/** Applies in order the grants that MongoDB has and Redis does not. Returns the balance. */
export async function applyGrants(store: CreditStore, org: OrganizationDoc): Promise<number> {
  const keys = redisKeys(store.tag);
  const wallet = openWallet(store.redis, keys);
  const [applied, balance] = await store.redis.hmget(keys.org(org._id), 'g', 'bal');
  const missing = await grantsAfter(store.db, org._id, Number(applied ?? 0));
  let left = Number(balance ?? 0);
  for (const { g, amount } of missing) {
    const result = await wallet.grant({ orgId: org._id, epoch: org.epoch }, { g, amount });
    if (result.kind !== 'applied' && result.kind !== 'already') {
      throw unavailable('grant_refused', `Grant ${g} of ${org._id}: ${result.kind}`);
    }
    left = result.balance;
  }
  return left;
}

/** Applies the missing grants of every organisation. Runs at start, after a crash between the two writes. */
export async function reconcileGrants(store: CreditStore): Promise<void> {
  for await (const org of organizationsIn(store.db).find()) await applyGrants(store, org);
}

/** Throws UsageError unless the amount can be granted. */
export function checkAmount(amount: number): void {
  if (Number.isInteger(amount) && amount >= 0 && amount <= MAX_GRANT) return;
  throw new UsageError(`The amount must be a whole number of credits from 0 to ${MAX_GRANT}.`);
}
