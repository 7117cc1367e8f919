import { batches } from '../../domain/group.ts';
import { lastGrant, noteCarriedGrants, settleGrants } from '../../store/account/grants.ts';
import {
  grantsInLedger,
  insertInOrder,
  insertRow,
  type LastPlace,
  type LedgerDoc,
  lastMovement,
  lastPlace,
  ledgerId,
  type Place,
  placeOf,
  rowsOf,
} from '../../store/account/ledger.ts';
import { sealEpochs } from '../../store/account/ledger-seals.ts';
import { countUsage } from '../../store/account/usage.ts';
import type { CreditStore } from '../store.ts';
import { removeFromLog } from './drain.ts';
import { type Entry, entriesOfLog } from './entry.ts';
import { isAfter } from './held.ts';

/** Rows that are added at once. */
const BATCH = 500;

type Broken = {
  readonly orgId: string;
  /** As the organisation's document has it. */
  readonly epoch: number;
  /** What Redis has; null when it has nothing. Nothing changes it meanwhile. */
  readonly held: (Place & { readonly g: number }) | null;
  /** Where the ledger ends; null when it has nothing. */
  readonly last: LastPlace | null;
};

/**
 * Ends the epoch of an organisation in the ledger, begins a new one and returns what Redis is to have (rule 12.7).
 * The ledger stands. Of Redis come the entries that the ledger lacks, and the difference that is in none of them:
 * the ledger is the older one (MongoDB was restored), or an entry could not be read. The balance is never below 0.
 * Null when another process begins an epoch at the same time. Safe to repeat after a crash at any point.
 */
export async function rebuild(store: CreditStore, broken: Broken): Promise<(Place & { g: number }) | null> {
  const { orgId, held } = broken;
  const sealed = broken.last?.isSealed === true ? broken.last.epoch : 0;
  const newest = Math.max(broken.epoch, held?.epoch ?? 0, sealed);
  // An epoch that neither the organisation nor Redis has was begun and not finished: it goes on.
  const isBegun = broken.last !== null && broken.last.epoch > newest;
  // A drain that was under way may still add rows: nothing is summed before that is over.
  if (!isBegun) await sealBefore(store, broken, newest);
  const last = isBegun ? broken.last : await lastMovement(store.db, orgId);
  const entries: Entry[] = [];
  for await (const entry of entriesOfLog(store)) if (entry.row.orgId === orgId) entries.push(entry);
  const stored = await storedRows(store, orgId, entries);
  const missing = entries.map(({ row }) => row).filter((row) => !stored.has(nameOf(row)));
  const open = openRow(store, { orgId, held, last }, { epoch: newest + 1, entries, missing });
  if (!isBegun && !(await insertRow(store.db, open))) return null;
  for (const batch of batches(missing, BATCH)) await append(store, orgId, batch);
  const rows = await storedRows(store, orgId, entries);
  if (entries.some(({ row }) => !rows.has(nameOf(row)))) return null;
  await countUsage(
    store.db,
    [...rows.values()].sort((one, other) => (one._id < other._id ? -1 : 1)),
  );
  await removeFromLog(store, entries);
  const place = await lastPlace(store.db, orgId);
  if (place === null || place.isSealed) return null;
  const g = await settledGrant(store, broken, ledgerId(orgId, place.epoch, 1));
  store.log?.error({ orgId, redis: held, ledger: last, now: { ...place, g } }, 'a balance was rebuilt');
  return { epoch: place.epoch, n: place.n, balance: place.balance, g };
}

/** Ends every epoch in which a row could still be added: those since the last row, which a restored ledger may lack. */
async function sealBefore(
  store: CreditStore,
  { orgId, held, epoch, last }: Broken,
  to: number,
): Promise<void> {
  const from = last?.epoch ?? Math.min(epoch, held?.epoch ?? epoch);
  await sealEpochs(store.db, { orgId, from, to, at: store.now().toISOString() });
}

/** The number of the last grant in the balance. What the ledger has no row of is in the difference of `open`. */
async function settledGrant({ db }: CreditStore, { orgId, held }: Broken, open: string): Promise<number> {
  const inLedger = new Set(await grantsInLedger(db, orgId));
  const most = [...inLedger].reduce((one, other) => Math.max(one, other), held?.g ?? 0);
  const g = Math.min(await lastGrant(db, orgId), most);
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

type Opening = {
  /** The new one. */
  readonly epoch: number;
  readonly entries: readonly Entry[];
  readonly missing: readonly LedgerDoc[];
};

/** `last`: the last row that moved the balance. */
type Summed = Pick<Broken, 'orgId' | 'held'> & { readonly last: Place | null };

/** The first row of the new epoch. */
function openRow(store: CreditStore, broken: Summed, { epoch, entries, missing }: Opening): LedgerDoc {
  const { orgId, last } = broken;
  const known = last?.balance ?? 0;
  const carried = carriedChange(broken, entries);
  // The charges of a history that spent more than the ledger has are not asked for.
  let sum = known + carried;
  let lowest = Math.min(0, sum);
  for (const { delta } of missing) {
    sum += delta;
    lowest = Math.min(lowest, sum);
  }
  const delta = carried - lowest;
  return {
    _id: ledgerId(orgId, epoch, 1),
    ...{ orgId, kind: 'open', delta, balanceAfter: known + delta, rid: `open-${epoch}` },
    ...{ tool: 'rebuild', keyId: '', at: store.now().toISOString() },
  };
}

/**
 * What changed the balance and is in neither ledger nor log, as the balances beside it say: what a restored ledger
 * lost, and entries among the others that could not be read.
 */
function carriedChange({ held, last }: Summed, entries: readonly Entry[]): number {
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

/** Adds what the log had at the end of the ledger, once: another process may do the same. */
async function append({ db }: CreditStore, orgId: string, rows: readonly LedgerDoc[]): Promise<void> {
  for (;;) {
    const stored = await rowsOf(
      db,
      orgId,
      rows.map(({ rid }) => rid),
    );
    const known = new Set(stored.map(nameOf));
    const last = await lastPlace(db, orgId);
    if (last === null) throw new RangeError(`${orgId} has no epoch`);
    // Another process has found this epoch wanting as well, and adds them to the next one.
    if (last.isSealed) return;
    let { n, balance } = last;
    const next = rows
      .filter((row) => !known.has(nameOf(row)))
      .map((row) => {
        n += 1;
        balance += row.delta;
        return { ...row, _id: ledgerId(orgId, last.epoch, n), balanceAfter: balance };
      });
    if ((await insertInOrder(db, next)) === null) return;
  }
}
