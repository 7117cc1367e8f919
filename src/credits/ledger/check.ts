import { grantsAfter } from '../../store/account/grants.ts';
import {
  grantsInLedger,
  type LedgerDoc,
  lastPlace,
  ledgerId,
  ledgerIn,
  type Place,
  placeOf,
  rowOf,
  rowsAfter,
} from '../../store/account/ledger.ts';
import { findCheckpoint, saveCheckpoint, saveLedgerCheck } from '../../store/account/ledger-checks.ts';
import { organizationsIn } from '../../store/account/organizations.ts';
import { countSetAside } from '../../store/account/set-aside.ts';
import { redisKeys } from '../redis-keys.ts';
import { redisRun } from '../run.ts';
import type { CreditStore } from '../store.ts';
import { entriesOfLog } from './entry.ts';
import { type Counted, compareExposure } from './exposure.ts';
import { type Held, heldBalance } from './open-balance.ts';

/** What a check counted, and every difference that it found, one sentence each. */
export type LedgerCheck = {
  organizations: number;
  rows: number;
  charges: number;
  voids: number;
  crash_voids: number;
  grants: number;
  rebuilt: number;
  /** Credits that a rebuild had to add or take: the ledger did not know of them. */
  unexplained: number;
  /** Balances of Redis that no process has compared with the ledger since its last start. */
  unconfirmed: number;
  /** Texts of Redis that cannot be read and wait for the operator. */
  set_aside: number;
  problems: string[];
};

/**
 * Recomputes every balance from the ledger (rule 12.8): numbers without gaps, each balance the one before
 * plus its change and never below 0, grants as MongoDB has them and none without a row, voids of charges, what
 * Redis has in the ledger or still in the log, and what counts as at risk. Charges may go on meanwhile. The result is stored for operators.
 * @param whole from the first row; else from where the last check of an organisation ended
 */
export async function checkLedger(store: CreditStore, { whole }: { readonly whole: boolean }) {
  const found: LedgerCheck = {
    ...{ organizations: 0, rows: 0, charges: 0, voids: 0, crash_voids: 0, grants: 0 },
    ...{ rebuilt: 0, unexplained: 0, unconfirmed: 0, set_aside: await countSetAside(store.db), problems: [] },
  };
  let all: Counted | null = null;
  const run = await redisRun(store.redis, redisKeys(store.tag).fence).id();
  for await (const { _id } of organizationsIn(store.db).find({}, { projection: { _id: 1 } })) {
    found.organizations += 1;
    const drained = await lastPlace(store.db, _id);
    // Redis before the rows: what it has is in the ledger by the time they are read, or still in the log.
    const held = await heldBalance(store, _id);
    await checkRows(store, { orgId: _id, whole }, found);
    const isAdmitted = held !== null && held.run === run;
    if (isAdmitted) {
      await checkHeld(store, { orgId: _id, held, drained }, found);
      const exposure = await compareExposure(store, _id, { repair: false });
      checkCounted(_id, exposure?.org, found);
      all = exposure?.all ?? all;
      await checkGrants(store, { orgId: _id, applied: held.g }, found);
    } else if (held !== null) found.unconfirmed += 1;
  }
  checkCounted('all organisations', all, found);
  await saveLedgerCheck(store.db, { at: store.now().toISOString(), ...found });
  return found;
}

const COUNTED = {
  charge: 'charges',
  void: 'voids',
  crash_void: 'crash_voids',
  grant: 'grants',
  open: 'rebuilt',
} as const;

type Range = { readonly orgId: string; readonly whole: boolean };

async function checkRows(store: CreditStore, { orgId, whole }: Range, found: LedgerCheck): Promise<void> {
  const { db } = store;
  const known = found.problems.length;
  const through = whole ? null : await findCheckpoint(db, orgId);
  const granted = new Map((await grantsAfter(db, orgId, 0)).map(({ g, amount }) => [`grant-${g}`, amount]));
  let last = through === null ? null : await ledgerIn(db).findOne({ _id: through });
  if (through !== null && last === null) found.problems.push(`${through}: a row that was checked is lost`);
  for await (const row of ledgerIn(db)
    .find(rowsAfter(orgId, last?._id ?? ''))
    .sort({ _id: 1 })) {
    found.rows += 1;
    found[COUNTED[row.kind]] += 1;
    if (row.kind === 'open') found.unexplained += row.delta;
    const faults = [faultOf(last, row), await sourceFaultOf(store, row, granted)];
    for (const fault of faults) if (fault !== null) found.problems.push(`${row._id}: ${fault}`);
    last = row;
  }
  // With a problem the next check begins here again, so that it does not say clean.
  if (last !== null && found.problems.length === known) await saveCheckpoint(db, orgId, last._id);
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
  if (n !== (begins ? 1 : before.n + 1)) return `follows number ${before.n}`;
  if (begins ? epoch <= before.epoch : epoch !== before.epoch) return `follows epoch ${before.epoch}`;
  if (balance !== before.balance + row.delta) return `${before.balance} and ${row.delta} are not ${balance}`;
  return balance < 0 ? 'the balance is below 0' : null;
}

async function isVoidOfCharge({ db }: CreditStore, row: LedgerDoc): Promise<boolean> {
  const charge = await rowOf(db, { ...row, kind: 'charge' });
  const other = await rowOf(db, { ...row, kind: row.kind === 'void' ? 'crash_void' : 'void' });
  return charge?.delta === -row.delta && other === null;
}

type InForce = {
  readonly orgId: string;
  readonly held: Held;
  /** Where the ledger ended before Redis was read. */
  readonly drained: Place | null;
};

/** What Redis has is the row of its number, in the ledger or in the log, and not older than the ledger. */
async function checkHeld(
  store: CreditStore,
  { orgId, held, drained }: InForce,
  found: LedgerCheck,
): Promise<void> {
  const id = ledgerId(orgId, held.epoch, held.n);
  const end = drained === null ? '' : ledgerId(orgId, drained.epoch, drained.n);
  if (id < end) found.problems.push(`${id}: Redis ends here, the ledger at ${end}`);
  if (held.n === 0 && held.balance === 0) return;
  const stored = async () => ledgerIn(store.db).findOne({ _id: id });
  const row = (await stored()) ?? (await inLog(store, (one) => one._id === id)) ?? (await stored());
  if (row?.balanceAfter === held.balance) return;
  const has = row === null ? 'neither ledger nor log has this row' : `it should be ${row.balanceAfter}`;
  found.problems.push(`${id}: Redis has ${held.balance}, ${has}`);
}

async function inLog(store: CreditStore, isIt: (row: LedgerDoc) => boolean): Promise<LedgerDoc | null> {
  for await (const { row } of entriesOfLog(store)) if (isIt(row)) return row;
  return null;
}

/** What counts as at risk is what the log has: else charges are refused for nothing, or the maximum does not hold. */
function checkCounted(whose: string, exposure: Counted | null | undefined, found: LedgerCheck): void {
  if (exposure === null || exposure === undefined || exposure.counted === exposure.inLog) return;
  found.problems.push(
    `${whose}: ${exposure.counted} credits count as at risk, the log has ${exposure.inLog}`,
  );
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
