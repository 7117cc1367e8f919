import { lastGrant } from '../../store/account/grants.ts';
import {
  grantsInLedger,
  insertRow,
  type LedgerDoc,
  lastPlace,
  ledgerId,
  type Place,
  rowOf,
} from '../../store/account/ledger.ts';
import { countUsage } from '../../store/account/usage.ts';
import type { CreditStore } from '../store.ts';
import { removeFromLog } from './drain.ts';
import { type Entry, readLog } from './entry.ts';

type Broken = {
  readonly orgId: string;
  /** As the organisation's document has it. */
  readonly epoch: number;
  /** What Redis has; null when it has nothing. Nothing changes it meanwhile. */
  readonly held: (Place & { readonly g: number }) | null;
  /** Where the ledger ends; null when it has nothing. */
  readonly last: Place | null;
};

/**
 * Begins a new epoch of an organisation in the ledger and returns what Redis is to have (rule 12.7). The ledger
 * stands. Of Redis come the entries that the ledger lacks, and, where the ledger is the older one
 * (MongoDB was restored), the difference up to them. The balance is never below 0. Null when another
 * process begins an epoch at the same time. Safe to repeat after a crash at any point.
 */
export async function rebuild(store: CreditStore, broken: Broken): Promise<(Place & { g: number }) | null> {
  const { orgId, held, last } = broken;
  const entries = await entriesOf(store, orgId);
  const stored = await storedRows(store, entries);
  const missing = entries.filter((_, at) => stored[at] === null).map(({ row }) => row);
  // An epoch that neither the organisation nor Redis has was begun and not finished: it goes on.
  const isBegun = last !== null && last.epoch > Math.max(broken.epoch, held?.epoch ?? 0);
  if (!isBegun && !(await insertRow(store.db, openRow(store, broken, { entries, missing })))) return null;
  for (const row of missing) await append(store, row);
  const rows = (await storedRows(store, entries)).filter((row) => row !== null);
  await countUsage(
    store.db,
    rows.sort((one, other) => (one._id < other._id ? -1 : 1)),
  );
  await removeFromLog(store, entries);
  const place = await lastPlace(store.db, orgId);
  if (place === null) return null;
  // A grant that the difference above contains has no row of its own.
  const inLedger = Math.max(0, ...(await grantsInLedger(store.db, orgId)));
  const g = Math.min(await lastGrant(store.db, orgId), Math.max(inLedger, held?.g ?? 0));
  store.log?.error({ orgId, redis: held, ledger: last, now: { ...place, g } }, 'a balance was rebuilt');
  return { ...place, g };
}

async function entriesOf(store: CreditStore, orgId: string): Promise<Entry[]> {
  const found: Entry[] = [];
  for (let after = '-'; ; ) {
    const chunk = await readLog(store, after, CHUNK);
    found.push(...chunk.filter(({ row }) => row.orgId === orgId));
    const last = chunk.at(-1);
    if (last === undefined || chunk.length < CHUNK) return found;
    after = last.streamId;
  }
}

const CHUNK = 1_000;

/** The row of each entry as the ledger has it, under whichever number; null where it has none. */
function storedRows({ db }: CreditStore, entries: readonly Entry[]): Promise<(LedgerDoc | null)[]> {
  return Promise.all(entries.map(({ row }) => rowOf(db, row)));
}

type Log = { readonly entries: readonly Entry[]; readonly missing: readonly LedgerDoc[] };

/** The first row of the new epoch. */
function openRow(store: CreditStore, broken: Broken, { entries, missing }: Log): LedgerDoc {
  const { orgId, held, last } = broken;
  const known = last?.balance ?? 0;
  const start = startOf(entries, held);
  const isAhead = start !== null && isAfter(start, last);
  const carried = isAhead ? start.balance - known : 0;
  // The charges of a history that spent more than the ledger has are not asked for.
  let lowest = 0;
  let sum = known + carried;
  for (const { delta } of missing) {
    sum += delta;
    lowest = Math.min(lowest, sum);
  }
  const delta = carried - lowest;
  const epoch = Math.max(broken.epoch, held?.epoch ?? 0, last?.epoch ?? 0) + 1;
  return {
    _id: ledgerId(orgId, epoch, 1),
    ...{ orgId, kind: 'open', delta, balanceAfter: known + delta, rid: `open-${epoch}` },
    ...{ tool: 'rebuild', keyId: '', at: store.now().toISOString() },
  };
}

/** The place before the first entry that the log has, else where Redis stands. */
function startOf(entries: readonly Entry[], held: Place | null): Place | null {
  const first = entries[0]?.row;
  if (first === undefined) return held;
  const [, epoch, n] = first._id.split('|');
  return { epoch: Number(epoch), n: Number(n) - 1, balance: first.balanceAfter - first.delta };
}

function isAfter(place: Place, last: Place | null): boolean {
  if (last === null) return place.n > 0;
  return place.epoch > last.epoch || (place.epoch === last.epoch && place.n > last.n);
}

/** Adds what the log had at the end of the ledger, once. */
async function append(store: CreditStore, row: LedgerDoc): Promise<void> {
  for (;;) {
    if ((await rowOf(store.db, row)) !== null) return;
    const last = await lastPlace(store.db, row.orgId);
    if (last === null) throw new RangeError(`${row.orgId} has no epoch`);
    const _id = ledgerId(row.orgId, last.epoch, last.n + 1);
    if (await insertRow(store.db, { ...row, _id, balanceAfter: last.balance + row.delta })) return;
  }
}
