import { MisuseError, UsageError, unavailable } from '../errors.ts';
import {
  appendGrant,
  grantsAfter,
  lastGrant,
  orgsWithPendingGrants,
  settleGrants,
} from '../store/account/grants.ts';
import { grantsInLedger } from '../store/account/ledger.ts';
import {
  findOrganization,
  findOrganizationByName,
  type OrganizationDoc,
} from '../store/account/organizations.ts';
import { heldBalance, stopCharging } from './ledger/held.ts';
import { openBalance } from './ledger/open-balance.ts';
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
): Promise<{ orgId: string; orgName: string; balance: number }> {
  checkAmount(grant.amount);
  const { amount, reason, source } = grant;
  // Its number must not be one that Redis has applied and a restored MongoDB does not know.
  await openBalance(store, org);
  const held = await heldBalance(store, org._id);
  if (held !== null && held.g > (await lastGrant(store.db, org._id))) {
    await stopCharging(store, org._id, held);
    return grantTo(store, org, grant);
  }
  const once = source === undefined ? {} : { source };
  await appendGrant(store.db, { orgId: org._id, amount, reason, ...once, at: store.now().toISOString() });
  return { orgId: org._id, orgName: org.name, balance: await applyGrants(store, org) };
}

/** Has the balance admitted, and applies in order the grants that MongoDB has and it does not. Returns the balance. */
export async function applyGrants(
  store: CreditStore,
  org: Pick<OrganizationDoc, '_id' | 'epoch'>,
): Promise<number> {
  const keys = redisKeys(store.tag);
  const wallet = openWallet(store.redis, keys);
  const epoch = await openBalance(store, org);
  const [applied, balance] = await store.redis.hmget(keys.org(org._id), 'g', 'bal');
  const missing = await grantsAfter(store.db, org._id, Number(applied ?? 0));
  let left = Number(balance ?? 0);
  for (const { g, amount } of missing) {
    const result = await wallet.grant({ orgId: org._id, epoch }, { g, amount });
    if (result.kind !== 'applied' && result.kind !== 'already') {
      throw unavailable('grant_refused', `Grant ${g} of ${org._id}: ${result.kind}`);
    }
    left = result.balance;
  }
  return left;
}

/**
 * Applies grants that a crash has left between MongoDB and Redis, or that Redis lost before the ledger had
 * them. Reads an index of these alone, so it costs nothing when there are none. What fails for one organisation keeps no
 * other one waiting.
 */
export async function applyPendingGrants(
  store: CreditStore,
  onFailure: (error: unknown) => void,
): Promise<void> {
  for (const orgId of await orgsWithPendingGrants(store.db, MAX_PENDING)) {
    await applyPending(store, orgId).catch(onFailure);
  }
}

async function applyPending(store: CreditStore, orgId: string): Promise<void> {
  await applyGrants(store, (await findOrganization(store.db, orgId)) ?? { _id: orgId, epoch: 1 });
  // Drained before, by a process that died before it could note so.
  await settleGrants(store.db, orgId, Math.max(0, ...(await grantsInLedger(store.db, orgId))));
}

const MAX_PENDING = 100;

/** Throws MisuseError unless the amount can be granted. */
export function checkAmount(amount: number): void {
  if (Number.isInteger(amount) && amount >= 0 && amount <= MAX_GRANT) return;
  throw new MisuseError(`The amount must be a whole number of credits from 0 to ${MAX_GRANT}.`);
}
