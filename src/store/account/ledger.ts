import type { Db } from 'mongodb';
import { findAmong, findByIds } from '../mongo/lists.ts';
import { insertOrLose, JOURNALED, placesOfDuplicates } from '../mongo/write.ts';

/**
 * One change of an organisation's balance. The rows are numbered without gaps, and each `balanceAfter` is that of the
 * row before plus `delta`. `open` takes the next number of its epoch, so that no row follows there any more, and begins
 * the epoch that its `rid` names; its `delta` is what was not known before.
 */
export type LedgerDoc = {
  /** `<org>|<epoch, 6 digits>|<n, 12 digits>` */
  _id: string;
  orgId: string;
  kind: 'charge' | 'void' | 'crash_void' | 'grant' | 'open';
  /** Credits; negative for a charge. */
  delta: number;
  balanceAfter: number;
  /** What is done once: the attempt of a charge or void, `grant-<g>`, `open-<epoch>`. */
  rid: string;
  /** Of an `open` the run of Redis that it was written for. */
  tool: string;
  /** Empty for a grant. */
  keyId: string;
  /** ISO 8601 UTC, by the clock of Redis. */
  at: string;
};

/** Where a row stands, and the balance after it. */
export type Place = { readonly epoch: number; readonly n: number; readonly balance: number };

/** `isOpening`: the row is an `open`, written for that `run` of Redis, and its epoch has no other row. */
export type LastPlace = Place & { readonly id: string; readonly isOpening: boolean; readonly run: string };

/** Digits of `n` in an id. */
const N_DIGITS = 12;

export const ledgerIn = (db: Db) => db.collection<LedgerDoc>('ledger');

export function ledgerId(orgId: string, epoch: number, n: number): string {
  return `${orgId}|${String(epoch).padStart(6, '0')}|${String(n).padStart(N_DIGITS, '0')}`;
}

type Placed = Pick<LedgerDoc, '_id' | 'kind' | 'rid' | 'balanceAfter'>;

/** An `open` stands in the epoch that it begins. */
export function placeOf({ _id, kind, rid, balanceAfter }: Placed): Place {
  const [, epoch, n] = _id.split('|');
  const begun = kind === 'open' ? rid.slice('open-'.length) : epoch;
  return { epoch: Number(begun), n: Number(n), balance: balanceAfter };
}

/** What an epoch begins with: `delta` is added to the balance of the last row. */
type Beginning = {
  readonly epoch: number;
  readonly delta: number;
  readonly at: string;
  readonly run: string;
};

/** The row that ends the epoch of the last one, where it takes the next number, and begins another epoch. */
export function openingRow(
  orgId: string,
  last: Place | null,
  { epoch, delta, at, run }: Beginning,
): LedgerDoc {
  return {
    _id: ledgerId(orgId, last?.epoch ?? epoch - 1, (last?.n ?? 0) + 1),
    ...{ orgId, kind: 'open', delta, balanceAfter: (last?.balance ?? 0) + delta, rid: `open-${epoch}` },
    ...{ tool: run, keyId: '', at },
  };
}

/** The latest rows of an organisation, newest first. Reads a range of ids. */
export function latestRows(db: Db, orgId: string, limit: number): Promise<LedgerDoc[]> {
  return ledgerIn(db).find(rowsAfter(orgId, '')).sort({ _id: -1 }).limit(limit).toArray();
}

/** The last row of an organisation; null when it has none. */
export async function lastPlace(db: Db, orgId: string): Promise<LastPlace | null> {
  const [row] = await latestRows(db, orgId, 1);
  if (row === undefined) return null;
  return { ...placeOf(row), id: row._id, isOpening: row.kind === 'open', run: row.tool };
}

/** The row of an organisation at a place; null when the ledger does not have it. */
export async function rowAt(
  db: Db,
  orgId: string,
  { epoch, n }: Pick<Place, 'epoch' | 'n'>,
): Promise<LedgerDoc | null> {
  const own = await ledgerIn(db).findOne({ _id: ledgerId(orgId, epoch, n), kind: { $ne: 'open' } });
  const row = own ?? (await rowOf(db, { orgId, rid: `open-${epoch}`, kind: 'open' }));
  return row !== null && placeOf(row).n === n ? row : null;
}

/** Filter of an organisation's rows after an id; after '' all of them. */
export function rowsAfter(orgId: string, id: string) {
  return { _id: { $gt: id === '' ? `${orgId}|` : id, $lt: `${orgId}}` } };
}

/** The row of what was done once; null when it was not, or is not known yet. */
export function rowOf(db: Db, row: Pick<LedgerDoc, 'orgId' | 'rid' | 'kind'>): Promise<LedgerDoc | null> {
  const { orgId, rid, kind } = row;
  return ledgerIn(db).findOne({ orgId, rid, kind });
}

/** Whether the ledger has a void of an attempt. */
export async function isVoided(db: Db, orgId: string, rid: string): Promise<boolean> {
  const made = await rowOf(db, { orgId, rid, kind: 'void' });
  return made !== null || (await rowOf(db, { orgId, rid, kind: 'crash_void' })) !== null;
}

/** The rows of some attempts of an organisation, in any order. */
export function rowsOf(db: Db, orgId: string, rids: Iterable<string>): Promise<LedgerDoc[]> {
  return findAmong(ledgerIn(db), { field: 'rid', values: rids, where: { orgId } });
}

/** The number in the `rid` of a grant. */
export function grantNumberOf(rid: string): number {
  return Number(rid.slice('grant-'.length));
}

/** The numbers of the grants that the ledger has. Reads a range of the index of rids. */
export async function grantsInLedger(db: Db, orgId: string): Promise<number[]> {
  const rids = { $gte: 'grant-', $lt: 'grant.' };
  const rows = await ledgerIn(db)
    .find({ orgId, rid: rids, kind: 'grant' }, { projection: { rid: 1 } })
    .toArray();
  return rows.map(({ rid }) => grantNumberOf(rid));
}

/** Inserts a row at its place; false when the place, or what it does once, is taken. */
export function insertRow(db: Db, row: LedgerDoc): Promise<boolean> {
  return insertOrLose(ledgerIn(db), row);
}

/**
 * Adds rows of the log in their order. Rows that the ledger has are as good as added, so this may be
 * repeated and done by several processes. Returns the organisations whose rows do not continue the ledger:
 * a row before is missing, a number is another's, the balances do not add up, or their epoch has ended.
 * None of their rows from there on is added.
 */
export async function appendRows(db: Db, rows: readonly LedgerDoc[]): Promise<Set<string>> {
  const broken = await brokenChains(db, rows);
  let left = rows.filter(({ orgId }) => !broken.has(orgId));
  for (;;) {
    const refused = await insertInOrder(db, left);
    if (refused === null) return broken;
    const stored = new Map((await findByIds(ledgerIn(db), ids(left))).map((row) => [row._id, row]));
    const isStored = (row: LedgerDoc): boolean => isSame(stored.get(row._id), row);
    // Another's number, or under another number already: two histories of one balance.
    if (!isStored(refused)) broken.add(refused.orgId);
    left = left.filter((row) => !broken.has(row.orgId) && !isStored(row));
  }
}

function isSame(stored: LedgerDoc | undefined, row: LedgerDoc): boolean {
  return stored?.rid === row.rid && stored.kind === row.kind && stored.balanceAfter === row.balanceAfter;
}

function ids(rows: readonly LedgerDoc[]): string[] {
  return rows.map(({ _id }) => _id);
}

/** Inserts rows until one is refused as a duplicate. That one; null when all were added. */
export async function insertInOrder(db: Db, rows: readonly LedgerDoc[]): Promise<LedgerDoc | null> {
  if (rows.length === 0) return null;
  try {
    await ledgerIn(db).insertMany([...rows], { ordered: true, writeConcern: JOURNALED });
    return null;
  } catch (error) {
    const [place = 0] = placesOfDuplicates(error);
    return rows[place] ?? null;
  }
}

/** One read of ids for all organisations: the row before the first one. */
async function brokenChains(db: Db, rows: readonly LedgerDoc[]): Promise<Set<string>> {
  const firsts = new Map<string, LedgerDoc>();
  const before = new Map<string, LedgerDoc>();
  const broken = new Set<string>();
  for (const row of rows) {
    const last = before.get(row.orgId);
    if (last === undefined) firsts.set(row.orgId, row);
    else if (!follows(last, row)) broken.add(row.orgId);
    before.set(row.orgId, row);
  }
  const read = await findAmong(ledgerIn(db), {
    field: '_id',
    values: [...firsts.values()].map(previousId),
    projection: { balanceAfter: 1, kind: 1, rid: 1 },
  });
  const found = new Map<string, Placed>(read.map((row) => [row._id, row]));
  for (const [orgId, row] of firsts) {
    const { epoch, n } = placeOf(row);
    const previous = found.get(previousId(row)) ?? (await rowAt(db, orgId, { epoch, n: n - 1 }));
    const before = previous === null ? { epoch, n: 0, balance: 0 } : placeOf(previous);
    const isNext = before.epoch === epoch && before.n === n - 1;
    if (!isNext || before.balance + row.delta !== row.balanceAfter) broken.add(orgId);
  }
  return broken;
}

function follows(last: LedgerDoc, row: LedgerDoc): boolean {
  // Without its parts: every row of the log is looked at.
  const isNext =
    Number(row._id.slice(-N_DIGITS)) === Number(last._id.slice(-N_DIGITS)) + 1 &&
    row._id.slice(0, -N_DIGITS) === last._id.slice(0, -N_DIGITS);
  return isNext && last.balanceAfter + row.delta === row.balanceAfter;
}

function previousId(row: LedgerDoc): string {
  const { epoch, n } = placeOf(row);
  return ledgerId(row.orgId, epoch, n - 1);
}
