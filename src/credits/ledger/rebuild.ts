import { batches } from '../../domain/group.ts';
import { lastGrant, noteCarriedGrants, settleGrants } from '../../store/account/grants.ts';
import {
  grantsInLedger,
  insertInOrder,
  insertRow,
  type LastPlace,
  type LedgerDoc,
  lastPlace,
  ledgerId,
  openingRow,
  type Place,
  placeOf,
  rowsOf,
} from '../../store/account/ledger.ts';
import { findOrganization } from '../../store/account/organizations.ts';
import { countUsage } from '../../store/account/usage.ts';
import { redisKeys } from '../redis-keys.ts';
import { redisRun } from '../run.ts';
import type { CreditStore } from '../store.ts';
import { removeFromLog } from './drain.ts';
import type { Entry } from './entry.ts';
import { type Held, heldBalance, isAfter } from './held.ts';
import { admit } from './open-balance.ts';

/** Rows that are added at once. */
const BATCH = 500;

/** What Redis has of an organisation whose charges are stopped, and where the ledger ends. */
type Fork = {
  readonly orgId: string;
  readonly held: Held | null;
  readonly last: LastPlace | null;
  /** Its entries of the log. */
  readonly entries: readonly Entry[];
};

/**
 * Joins what Redis and the ledger have of a balance in a new epoch, and lets it be charged again (rule 12.7). The ledger
 * stands. Of Redis come the entries that the ledger lacks, and the difference that is in none of them: the ledger is
 * the older one (MongoDB was restored), or an entry could not be read. The balance is never below 0. Nothing changes it
 * meanwhile. Safe to repeat after a crash at any point.
 */
export async function rebuild(store: CreditStore, orgId: string, entries: readonly Entry[]): Promise<void> {
  const { db, redis } = store;
  const { fence, forks } = redisKeys(store.tag);
  const runId = await redisRun(redis, fence).id();
  const held = await heldBalance(store, orgId);
  const last = await lastPlace(db, orgId);
  const stored = await storedRows(store, orgId, entries);
  const missing = entries.map(({ row }) => row).filter((row) => !stored.has(nameOf(row)));
  const known = (await findOrganization(db, orgId))?.epoch ?? 1;
  const epoch = Math.max(known, held?.epoch ?? 0, last?.epoch ?? 0) + 1;
  const delta = gained({ orgId, held, last, entries }, missing);
  const open = openingRow(orgId, last, { epoch, delta, at: store.now().toISOString(), run: runId });
  if (!(await insertRow(db, open))) throw new RangeError(`the ledger of ${orgId} changes: run it again`);
  for (const batch of batches(missing, BATCH)) await append(store, orgId, batch);
  await countUsage(
    db,
    [...(await storedRows(store, orgId, entries)).values()].sort((one, other) =>
      one._id < other._id ? -1 : 1,
    ),
  );
  await removeFromLog(store, entries);
  const place = (await lastPlace(db, orgId)) ?? placeOf(open);
  await admit(store, orgId, { ...place, g: await settledGrant(store, { orgId, held }, open._id), runId });
  await redis.srem(forks, orgId);
  store.log?.error({ orgId, redis: held, ledger: last, now: place }, 'a balance was rebuilt');
}

/** The number of the last grant in the balance. What the ledger has no row of is in the difference of `open`. */
async function settledGrant(
  { db }: CreditStore,
  { orgId, held }: Pick<Fork, 'orgId' | 'held'>,
  open: string,
): Promise<number> {
  const inLedger = new Set(await grantsInLedger(db, orgId));
  const g = Math.min(await lastGrant(db, orgId), Math.max(held?.g ?? 0, ...inLedger));
  const carried = Array.from({ length: g }, (_, at) => at + 1).filter((one) => !inLedger.has(one));
  await noteCarriedGrants(db, orgId, carried, open);
  await settleGrants(db, orgId, g);
  return g;
}

/** What is done once. */
const nameOf = ({ kind, rid }: Pick<LedgerDoc, 'kind' | 'rid'>): string => `${kind}|${rid}`;

/** The rows of entries that the ledger has, under whichever number, by what they do once. */
async function storedRows({ db }: CreditStore, orgId: string, entries: readonly Entry[]) {
  const rids = entries.map(({ row }) => row.rid);
  const wanted = new Set(entries.map(({ row }) => nameOf(row)));
  const rows = await rowsOf(db, orgId, rids);
  return new Map(rows.map((row) => [nameOf(row), row] as const).filter(([name]) => wanted.has(name)));
}

/** What the balance gains before the missing rows. Charges of more than there was are not asked for. */
function gained(fork: Fork, missing: readonly LedgerDoc[]): number {
  const carried = carriedChange(fork);
  let sum = (fork.last?.balance ?? 0) + carried;
  let lowest = Math.min(0, sum);
  for (const { delta } of missing) {
    sum += delta;
    lowest = Math.min(lowest, sum);
  }
  return carried - lowest;
}

/**
 * What changed the balance and is in neither ledger nor log, as the balances beside it say: what a restored ledger
 * lost, and entries among the others that could not be read.
 */
function carriedChange({ held, last, entries }: Fork): number {
  let place: Place = last ?? { epoch: 0, n: 0, balance: 0 };
  let carried = 0;
  const goTo = (next: Place): void => {
    if (!isAfter(next, place)) return;
    carried += next.balance - place.balance;
    place = next;
  };
  for (const { row } of entries) {
    const after = placeOf(row);
    goTo({ ...after, n: after.n - 1, balance: row.balanceAfter - row.delta });
    if (isAfter(after, place)) place = after;
  }
  if (held !== null) goTo(held);
  return carried;
}

/** Adds what the log had at the end of the ledger, once. */
async function append({ db }: CreditStore, orgId: string, rows: readonly LedgerDoc[]): Promise<void> {
  const last = await lastPlace(db, orgId);
  if (last === null) throw new RangeError(`${orgId} has no epoch`);
  let { n, balance } = last;
  const next = rows.map((row) => {
    n += 1;
    balance += row.delta;
    return { ...row, _id: ledgerId(orgId, last.epoch, n), balanceAfter: balance };
  });
  if ((await insertInOrder(db, next)) !== null)
    throw new RangeError(`the ledger of ${orgId} changes: run it again`);
}
