import { AppError, unavailable } from '../../errors.ts';
import { lastCarriedGrant, lastGrant } from '../../store/account/grants.ts';
import {
  grantsInLedger,
  insertRow,
  type LastPlace,
  type LedgerDoc,
  lastPlace,
  openingRow,
  type Place,
  placeOf,
} from '../../store/account/ledger.ts';
import { findOrganization, type OrganizationDoc, raiseEpoch } from '../../store/account/organizations.ts';
import { redisKeys } from '../redis-keys.ts';
import { moneyScript, redisRun } from '../run.ts';
import type { CreditStore } from '../store.ts';
import { drainLogOnce } from './drain.ts';
import { type Held, heldBalance, isInLedger, isStopped, stopCharging } from './held.ts';

const runAdmit = moneyScript(new URL('admit.lua', import.meta.url));

type Org = Pick<OrganizationDoc, '_id' | 'epoch'>;

const MAX_ROUNDS = 5;
const opening = new Map<string, Promise<number>>();

/**
 * Has the balance of an organisation admitted to the present run of Redis, and returns its epoch
 * (rule 12.7). Until then every script refuses it, so nothing changes it. The balance is the ledger's, under a new
 * epoch: what Redis lost stays lost. When Redis has what the ledger lacks, charging is stopped. Callers of one process
 * share one try; several processes at once are safe. Throws `credits_stopped`.
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

/** Looks, decides and admits, until the run has the balance: another process may be faster at any step. */
async function admitted(store: CreditStore, { _id, epoch: known }: Org): Promise<number> {
  const { db, redis, tag } = store;
  const run = redisRun(redis, redisKeys(tag).fence);
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    const epoch = (await findOrganization(db, _id))?.epoch ?? known;
    const held = await heldBalance(store, _id);
    const runId = await run.id();
    if (held?.run === runId) {
      await raiseEpoch(db, { _id, epoch }, held.epoch);
      return held.epoch;
    }
    await drainBefore(store, _id, { held, runId });
    const [last, isNew] = [await lastPlace(db, _id), (await lastGrant(db, _id)) === 0];
    // The ledger may have what was charged since another process admitted it, in this run or in one after it: no
    // reason to end that epoch. A row that is written from here on takes the place of ours.
    if ((await heldBalance(store, _id))?.run === runId || (await run.id()) !== runId) continue;
    if (held !== null && !(await isInLedger(store, _id, held))) {
      await stopCharging(store, _id, held);
      continue;
    }
    const place = placeToOpen({
      org: { _id, epoch },
      held,
      last,
      isNew,
      runId,
      at: store.now().toISOString(),
    });
    if (place.row !== null && !(await insertRow(db, place.row))) continue;
    await admit(store, _id, { ...place, g: await lastGrantInLedger(store, _id), runId });
  }
  throw refused('balance_unsettled', _id);
}

function refused(code: 'credits_stopped' | 'balance_unsettled', orgId: string): AppError {
  return unavailable(code, `The balance of ${orgId} cannot be compared with the ledger`, {
    public: 'Credits are not available at the moment.',
  });
}

/** A balance that the run has not admitted. */
type Closed = {
  readonly org: Org;
  /** In Redis. */
  readonly held: Held | null;
  /** Where the ledger ends. */
  readonly last: LastPlace | null;
  /** Nothing was ever granted. */
  readonly isNew: boolean;
  readonly runId: string;
  /** ISO 8601 UTC */
  readonly at: string;
};

/** Where the balance goes on, and the row that the ledger still lacks of that. */
function placeToOpen({ org, held, last, isNew, runId, at }: Closed): Place & { row: LedgerDoc | null } {
  const newest = Math.max(org.epoch, held?.epoch ?? 0);
  // With a grant there may be rows on their way, of a Redis that was lost: they get no place.
  if (last === null && isNew) return { epoch: newest, n: 0, balance: 0, row: null };
  // Begun in this run, by a process that died or is about to admit it. One of an earlier run may have had charges.
  if (last?.isOpening && last.run === runId && last.epoch > (held?.epoch ?? 0)) return { ...last, row: null };
  const epoch = Math.max(newest, last?.epoch ?? 0) + 1;
  const row = openingRow(org._id, last, { epoch, delta: 0, at, run: runId });
  return { ...placeOf(row), row };
}

/** The number of the last grant that the ledger has, with a row or in the difference of an opening. */
async function lastGrantInLedger({ db }: CreditStore, orgId: string): Promise<number> {
  return Math.max(await lastCarriedGrant(db, orgId), ...(await grantsInLedger(db, orgId)));
}

/** The run in which this process drained what the runs before had left in a log, by the tag of the store. */
const drainedIn = new Map<string, string>();

/**
 * The ledger is to have what the log has of the balance. One that waits since an earlier run has nothing newer
 * than that run there, so the whole log is drained once a run, not for each organisation. Throws `credits_stopped`.
 */
async function drainBefore(
  store: CreditStore,
  orgId: string,
  { held, runId }: Pick<Closed, 'held' | 'runId'>,
) {
  const isOfEarlierRun = held !== null && held.run !== '';
  const isDrained = isOfEarlierRun && drainedIn.get(store.tag) === runId;
  if (!isDrained && !(await isStopped(store, orgId))) {
    await drainLogOnce(store);
    drainedIn.set(store.tag, runId);
  }
  if (await isStopped(store, orgId)) throw refused('credits_stopped', orgId);
}

/** Whether it was admitted shows the next look: another process may have been faster. */
export async function admit(
  store: CreditStore,
  orgId: string,
  place: Place & { readonly g: number; readonly runId: string },
): Promise<void> {
  const keys = redisKeys(store.tag);
  const args = [place.epoch, place.n, place.balance, place.g, place.runId].map(String);
  const reply = await runAdmit(redisRun(store.redis, keys.fence), [keys.org(orgId)], args);
  if (!['ADMITTED', 'ALREADY', 'DIFFERS'].includes(String(reply))) {
    throw new AppError('script_reply', `admit.lua returned ${JSON.stringify(reply)}`);
  }
}
