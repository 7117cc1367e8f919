import { AppError, unavailable } from '../../errors.ts';
import { lastPlace, type Place } from '../../store/account/ledger.ts';
import { findOrganization, type OrganizationDoc, raiseEpoch } from '../../store/account/organizations.ts';
import { redisKeys } from '../redis-keys.ts';
import { moneyScript, redisRun } from '../run.ts';
import type { CreditStore } from '../store.ts';
import { drainLogOnce } from './drain.ts';
import { type Held, heldBalance, isSame } from './held.ts';
import { rebuild } from './rebuild.ts';

const runAdmit = moneyScript(new URL('admit.lua', import.meta.url));

/** A balance as it was read, and the present run. */
type Seen = { readonly held: Held | null; readonly runId: string };

type Org = Pick<OrganizationDoc, '_id' | 'epoch'>;

const MAX_ROUNDS = 5;
const opening = new Map<string, Promise<number>>();

/**
 * Has the balance of an organisation admitted to the present run of Redis, and returns its epoch
 * (rule 12.7). Until then every script refuses it, so nothing changes it. A balance that equals the ledger is
 * admitted as it is; one that is lost, older, or of another history is rebuilt from the ledger under a
 * new epoch. Callers of one process share one try; several processes at once are safe.
 */
export function openBalance(store: CreditStore, org: Org): Promise<number> {
  const name = `${store.tag}|${org._id}`;
  const known = opening.get(name);
  if (known !== undefined) return known;
  const begun = admitted(store, org).finally(() => opening.delete(name));
  opening.set(name, begun);
  return begun;
}

/** The balance, admitted where it was not. */
export async function currentBalance(store: CreditStore, org: Org): Promise<number> {
  await openBalance(store, org);
  return Number(await store.redis.hget(redisKeys(store.tag).org(org._id), 'bal'));
}

async function admitted(store: CreditStore, org: Org): Promise<number> {
  const { db, redis, tag } = store;
  const run = redisRun(redis, redisKeys(tag).fence);
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    // MongoDB first: a rebuild writes to Redis before it raises the epoch there.
    const { epoch } = (await findOrganization(db, org._id)) ?? org;
    const held = await heldBalance(store, org._id);
    const runId = await run.id();
    if (held?.run === runId) {
      await raiseEpoch(db, org._id, held.epoch);
      return held.epoch;
    }
    await drainBefore(store, { held, runId });
    const last = await lastPlace(db, org._id);
    const wanted = last ?? { epoch, n: 0, balance: 0 };
    if (held === null && last === null) await admit(store, org._id, { ...wanted, g: 0 });
    else if (held !== null && isSame(held, wanted) && wanted.epoch >= epoch && last?.isSealed !== true)
      await admit(store, org._id, wanted);
    else if (await isStillClosed(store, org._id, { held, runId }))
      await admitRebuilt(store, { orgId: org._id, epoch, held, last });
  }
  throw unavailable('balance_unsettled', `The balance of ${org._id} changes while it is compared`);
}

/** The run in which this process drained what the runs before had left in a log, by the tag of the store. */
const drainedIn = new Map<string, string>();

/**
 * The ledger is to have what the log has of the balance. One that waits since an earlier run has nothing newer
 * than that run there, so the whole log is drained once a run, not for each organisation.
 */
async function drainBefore(store: CreditStore, { held, runId }: Seen): Promise<void> {
  const isOfEarlierRun = held !== null && held.run !== '';
  if (isOfEarlierRun && drainedIn.get(store.tag) === runId) return;
  await drainLogOnce(store);
  drainedIn.set(store.tag, runId);
}

/**
 * Whether the ledger was read while nothing could change the balance. Else another process has admitted it, and the
 * ledger may have what was charged since: no reason to end the epoch.
 */
async function isStillClosed(store: CreditStore, orgId: string, { held, runId }: Seen): Promise<boolean> {
  const now = await heldBalance(store, orgId);
  if (now === null || held === null) return now === held;
  return now.run !== runId && isSame(now, held);
}

async function admitRebuilt(store: CreditStore, broken: Parameters<typeof rebuild>[1]): Promise<void> {
  const rebuilt = await rebuild(store, broken);
  if (rebuilt !== null) await admit(store, broken.orgId, rebuilt);
}

/** Whether it was admitted shows the next look: another process may have been faster. */
async function admit(
  store: CreditStore,
  orgId: string,
  place: Place & { readonly g?: number },
): Promise<void> {
  const keys = redisKeys(store.tag);
  const { epoch, n, balance, g = '' } = place;
  const args = [epoch, n, balance, g].map(String);
  const reply = await runAdmit(redisRun(store.redis, keys.fence), [keys.org(orgId)], args);
  if (!['ADMITTED', 'ALREADY', 'DIFFERS'].includes(String(reply))) {
    throw new AppError('script_reply', `admit.lua returned ${JSON.stringify(reply)}`);
  }
}
