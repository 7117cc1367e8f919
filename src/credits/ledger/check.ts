import { grantsAfter, orgsWithPendingGrants } from '../../store/account/grants.ts';
import {
  grantsInLedger,
  type LastPlace,
  type LedgerDoc,
  lastPlace,
  ledgerId,
  ledgerIn,
  type Place,
  placeOf,
  rowAt,
  rowOf,
  rowsAfter,
} from '../../store/account/ledger.ts';
import { checkpointsOf, saveCheckpoint, saveLedgerCheck } from '../../store/account/ledger-checks.ts';
import { organizationIds } from '../../store/account/organizations.ts';
import { redisKeys } from '../redis-keys.ts';
import { redisRun } from '../run.ts';
import type { CreditStore } from '../store.ts';
import { wholeLog } from './entry.ts';
import { type Held, heldBalance, isAfter, isSame } from './held.ts';

/** What a check counted, and every difference that it found, one sentence each. */
export type LedgerCheck = {
  organizations: number;
  /** Credits of all organisations together: as Redis has them, where no process has asked it yet as the ledger does. */
  balance: number;
  rows: number;
  charges: number;
  voids: number;
  crash_voids: number;
  grants: number;
  /** Epochs that were begun: after a restart of Redis, or a fence. */
  opened: number;
  /** Credits that a fence had to add or take: the ledger did not know of them. */
  unexplained: number;
  /** Balances of Redis that no process has compared with the ledger since its last start. */
  unconfirmed: number;
  /** Organisations whose charges are stopped until the operator sets the fence. */
  stopped: number;
  problems: string[];
};

/** Organisations that are read together. */
const AT_ONCE = 200;
/** Far more than ever wait: the ledger has a grant within seconds. */
const MAX_PENDING = 10_000;

/**
 * Recomputes every balance from the ledger (rule 12.8): numbers without gaps, each balance the one before
 * plus its change and never below 0, grants as MongoDB has them and none without a row, voids of charges, and what
 * Redis has in the ledger or still in the log. Charges may go on meanwhile. The result is stored for operators.
 * @param whole from the first row; else from where the last clean check of an organisation ended, and nothing of
 * one that has not changed since and has no grant that waits for its row
 */
export async function checkLedger(store: CreditStore, { whole }: { readonly whole: boolean }) {
  const stopped = await store.redis.smembers(redisKeys(store.tag).forks);
  const found: LedgerCheck = {
    ...{ organizations: 0, balance: 0, rows: 0, charges: 0, voids: 0, crash_voids: 0, grants: 0 },
    ...{ opened: 0, unexplained: 0, unconfirmed: 0, stopped: stopped.length, problems: [] },
  };
  for (const orgId of stopped) found.problems.push(`${orgId}: charging is stopped (tidemark credits fence)`);
  for (const { streamId, text } of (await wholeLog(store)).malformed)
    found.problems.push(`entry ${streamId} of the log cannot be read: ${text}`);
  const run = await redisRun(store.redis, redisKeys(store.tag).fence).id();
  const pending = new Set(await orgsWithPendingGrants(store.db, MAX_PENDING));
  for await (const orgIds of organizationIds(store.db, AT_ONCE)) {
    for (const one of await look(store, orgIds, { run, whole, pending }))
      await checkOrganization(store, one, found);
  }
  await saveLedgerCheck(store.db, { at: store.now().toISOString(), ...found }, { whole });
  return found;
}

/** What is known of an organisation before its rows are read. */
type Looked = {
  readonly orgId: string;
  /** The last row of the last clean check; null to begin with the first row. */
  readonly through: string | null;
  /** Where the ledger ended before Redis was read. */
  readonly drained: LastPlace | null;
  readonly held: Held | null;
  /** Whether the balance in Redis is in force. */
  readonly isAdmitted: boolean;
  /** Whether a grant waits for its row: one that Redis takes for applied gets no number. */
  readonly isPending: boolean;
};

type Check = { readonly run: string; readonly whole: boolean; readonly pending: ReadonlySet<string> };

/** The ledger is read before Redis, which must not end before it, and Redis before the rows, which have what it has. */
async function look(store: CreditStore, orgIds: readonly string[], { run, whole, pending }: Check) {
  const { db } = store;
  const through = whole ? [] : await checkpointsOf(db, orgIds);
  const drained = await Promise.all(orgIds.map((orgId) => lastPlace(db, orgId)));
  const held = await Promise.all(orgIds.map((orgId) => heldBalance(store, orgId)));
  return orgIds.map((orgId, at): Looked => {
    const ofRedis = held[at] ?? null;
    return {
      ...{ orgId, through: through[at] ?? null, drained: drained[at] ?? null },
      ...{ held: ofRedis, isAdmitted: ofRedis?.run === run, isPending: pending.has(orgId) },
    };
  });
}

async function checkOrganization(store: CreditStore, looked: Looked, found: LedgerCheck): Promise<void> {
  const { orgId, held, drained, isAdmitted } = looked;
  const known = found.problems.length;
  found.organizations += 1;
  found.balance += (isAdmitted ? held : drained)?.balance ?? 0;
  if (held !== null && !isAdmitted) found.unconfirmed += 1;
  if (isUnchanged(looked)) return;
  const last = await checkRows(store, looked, found);
  if (held !== null && isAdmitted) {
    await checkHeld(store, { orgId, held, drained }, found);
    await checkGrants(store, { orgId, applied: held.g }, found);
  }
  // With a problem the next check begins where this one did, so that it does not say clean.
  if (found.problems.length > known) {
    if (looked.through === null) await saveCheckpoint(store.db, orgId, null);
  } else if (last !== null) await saveCheckpoint(store.db, orgId, last);
}

/** Ledger and Redis end where the last clean check did: what changes a balance, a grant too, takes a number. */
function isUnchanged({ through, drained, held, isAdmitted, isPending }: Looked): boolean {
  if (isPending || drained === null || through !== drained.id) return false;
  return !isAdmitted || (held !== null && isSame(held, drained));
}

const COUNTED = {
  charge: 'charges',
  void: 'voids',
  crash_void: 'crash_voids',
  grant: 'grants',
  open: 'opened',
} as const;

/** Returns the id of the last row; null when there is none. */
async function checkRows(
  store: CreditStore,
  { orgId, through }: Pick<Looked, 'orgId' | 'through'>,
  found: LedgerCheck,
): Promise<string | null> {
  const { db } = store;
  const granted = new Map((await grantsAfter(db, orgId, 0)).map(({ g, amount }) => [`grant-${g}`, amount]));
  let last = through === null ? null : await ledgerIn(db).findOne({ _id: through });
  if (through !== null && last === null) found.problems.push(`${through}: a row that was checked is lost`);
  for await (const row of ledgerIn(db)
    .find(rowsAfter(orgId, last?._id ?? ''))
    .sort({ _id: 1 })) {
    found.rows += 1;
    found[COUNTED[row.kind]] += 1;
    if (row.kind === 'open') found.unexplained += row.delta;
    for (const fault of await faultsOf(store, row, { last, granted }))
      if (fault !== null) found.problems.push(`${row._id}: ${fault}`);
    last = row;
  }
  return last?._id ?? null;
}

type InForce = Pick<Looked, 'orgId' | 'drained'> & { readonly held: Held };

/** What Redis has is the row of its number, in the ledger or in the log, and not older than the ledger. */
async function checkHeld(
  store: CreditStore,
  { orgId, held, drained }: InForce,
  found: LedgerCheck,
): Promise<void> {
  const id = ledgerId(orgId, held.epoch, held.n);
  if (drained !== null && isAfter(drained, held))
    found.problems.push(`${id}: Redis ends here, the ledger at ${drained.id}`);
  if (held.n === 0 && held.balance === 0) return;
  const stored = async () => rowAt(store.db, orgId, held);
  const row = (await stored()) ?? (await inLog(store, (one) => one._id === id)) ?? (await stored());
  if (row?.balanceAfter === held.balance) return;
  const has = row === null ? 'neither ledger nor log has this row' : `it should be ${row.balanceAfter}`;
  found.problems.push(`${id}: Redis has ${held.balance}, ${has}`);
}

async function inLog(store: CreditStore, isIt: (row: LedgerDoc) => boolean): Promise<LedgerDoc | null> {
  return (await wholeLog(store)).entries.map(({ row }) => row).find(isIt) ?? null;
}

type Granted = {
  readonly orgId: string;
  /** The number of the last grant that Redis has applied. */
  readonly applied: number;
};

/**
 * A grant in the balance has a row in ledger or log, unless the difference of a rebuild contains it. Of a balance
 * that is not admitted nothing is known: that applies what the ledger lacks.
 */
async function checkGrants(
  store: CreditStore,
  { orgId, applied }: Granted,
  found: LedgerCheck,
): Promise<void> {
  const { db } = store;
  const grants = await grantsAfter(db, orgId, 0);
  const settled = grants.filter(({ g, pending, carriedBy }) => !carriedBy && (!pending || g <= applied));
  const known = new Set(await grantsInLedger(db, orgId));
  for (const { g } of settled.filter((grant) => !known.has(grant.g))) {
    const rid = `grant-${g}`;
    const grant = { orgId, rid, kind: 'grant' } as const;
    const isRow = (row: LedgerDoc) => row.orgId === orgId && row.rid === rid;
    const row = (await inLog(store, isRow)) ?? (await rowOf(db, grant));
    if (row === null) found.problems.push(`${orgId}: neither ledger nor log has grant ${g}`);
  }
}

type Before = {
  /** The row before; null when there is none. */
  readonly last: LedgerDoc | null;
  /** The amounts of grants as MongoDB has them, by `rid`. */
  readonly granted: ReadonlyMap<string, number>;
};

/** What is wrong with a row of the ledger (rule 12.8), each in a few words; null for nothing. */
async function faultsOf(
  store: CreditStore,
  row: LedgerDoc,
  { last, granted }: Before,
): Promise<(string | null)[]> {
  return [faultOf(last, row), await sourceFaultOf(store, row, granted)];
}

/** A grant is as MongoDB has it; a void is of a charge, and the only one. */
async function sourceFaultOf(
  store: CreditStore,
  row: LedgerDoc,
  granted: ReadonlyMap<string, number>,
): Promise<string | null> {
  if (row.kind === 'grant') return granted.get(row.rid) === row.delta ? null : 'not as it was granted';
  if (row.kind !== 'void' && row.kind !== 'crash_void') return null;
  return (await isVoidOfCharge(store, row)) ? null : 'no charge of this amount';
}

/** Why a row does not follow from the one before; null when it does. */
function faultOf(last: LedgerDoc | null, row: LedgerDoc): string | null {
  const before: Place = last === null ? { epoch: 0, n: 0, balance: 0 } : placeOf(last);
  const { epoch, n, balance } = placeOf(row);
  const begins = last === null || row.kind === 'open';
  if (n !== before.n + 1) return `follows number ${before.n}`;
  if (begins ? epoch <= before.epoch : epoch !== before.epoch) return `follows epoch ${before.epoch}`;
  if (balance !== before.balance + row.delta) return `${before.balance} and ${row.delta} are not ${balance}`;
  return balance < 0 ? 'the balance is below 0' : null;
}

async function isVoidOfCharge({ db }: CreditStore, row: LedgerDoc): Promise<boolean> {
  const charge = await rowOf(db, { ...row, kind: 'charge' });
  const other = await rowOf(db, { ...row, kind: row.kind === 'void' ? 'crash_void' : 'void' });
  return charge?.delta === -row.delta && other === null;
}
