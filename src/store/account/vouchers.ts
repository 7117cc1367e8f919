import type { Db } from 'mongodb';

/** Credits for the first organisation that enters the code. The code is not stored, only a keyed digest. */
export type VoucherDoc = {
  /** The first 16 characters of the digest. */
  _id: string;
  /** HMAC-SHA256 of the code under the pepper, hex. */
  digest: string;
  credits: number;
  /** `redeeming`: taken by an organisation, whose grant is under way or was interrupted. */
  state: 'open' | 'redeeming' | 'redeemed' | 'revoked';
  createdAt: string;
  /** From then on it cannot be redeemed; null for never. */
  expiresAt: string | null;
  orgId: string | null;
  redeemedAt: string | null;
};

const vouchersIn = (db: Db) => db.collection<VoucherDoc>('vouchers');

export function voucherId(digest: string): string {
  return digest.slice(0, 16);
}

export async function insertVouchers(db: Db, vouchers: readonly VoucherDoc[]): Promise<void> {
  await vouchersIn(db).insertMany([...vouchers]);
}

export async function findVoucher(db: Db, id: string): Promise<VoucherDoc | null> {
  return vouchersIn(db).findOne({ _id: id });
}

/** All vouchers, the oldest first. */
export async function listVouchers(db: Db): Promise<VoucherDoc[]> {
  return vouchersIn(db).find().sort({ createdAt: 1, _id: 1 }).toArray();
}

/** Takes an open voucher for an organisation; of several calls at once one returns true. */
export async function takeVoucher(db: Db, id: string, orgId: string, at: string): Promise<boolean> {
  const taken = await vouchersIn(db).updateOne(
    { _id: id, state: 'open' },
    { $set: { state: 'redeeming', orgId, redeemedAt: at } },
  );
  return taken.modifiedCount === 1;
}

/** Notes that the grant of a taken voucher is in the organisation's balance. */
export async function settleVoucher(db: Db, id: string): Promise<void> {
  await vouchersIn(db).updateOne({ _id: id, state: 'redeeming' }, { $set: { state: 'redeemed' } });
}

/** Revokes an open voucher; false when it is not open. */
export async function revokeVoucher(db: Db, id: string): Promise<boolean> {
  const revoked = await vouchersIn(db).updateOne({ _id: id, state: 'open' }, { $set: { state: 'revoked' } });
  return revoked.modifiedCount === 1;
}

/** Vouchers that were taken and not settled: in progress, or interrupted. */
export async function unsettledVouchers(db: Db): Promise<VoucherDoc[]> {
  return vouchersIn(db).find({ state: 'redeeming' }).toArray();
}
