import { MisuseError } from '../../errors.ts';
import type { Logger } from '../../log.ts';
import { findOrganization } from '../../store/account/organizations.ts';
import {
  findVoucher,
  insertVouchers,
  settleVoucher,
  takeVoucher,
  unsettledVouchers,
  type VoucherDoc,
  voucherId,
} from '../../store/account/vouchers.ts';
import { checkAmount, grantTo } from '../grant.ts';
import type { CreditStore } from '../store.ts';
import { VOUCHER } from './code.ts';
import { isSameSecret } from './key.ts';
import type { KeyStore } from './key-record.ts';

const MAX_AT_ONCE = 1_000;

type WantedVouchers = {
  readonly credits: number;
  readonly count: number;
  /** ISO 8601 UTC, when they expire; null for never. */
  readonly expiresAt: string | null;
};

/** A voucher and its code, which is not stored. */
export type MadeVoucher = { readonly code: string; readonly doc: VoucherDoc };

/** Makes vouchers. Throws MisuseError for an invalid amount or count. */
export async function makeVouchers(store: KeyStore, wanted: WantedVouchers): Promise<MadeVoucher[]> {
  checkAmount(wanted.credits);
  if (wanted.credits === 0) throw new MisuseError('A voucher needs credits.');
  if (!Number.isInteger(wanted.count) || wanted.count < 1 || wanted.count > MAX_AT_ONCE) {
    throw new MisuseError(`The number of vouchers must be from 1 to ${MAX_AT_ONCE}.`);
  }
  const createdAt = store.now().toISOString();
  const { credits, expiresAt } = wanted;
  const made = Array.from({ length: wanted.count }, (): MadeVoucher => {
    const code = VOUCHER.make();
    const digest = VOUCHER.digest(VOUCHER.read(code) ?? '', store.pepper);
    const rest = { createdAt, expiresAt, orgId: null, redeemedAt: null };
    return { code, doc: { _id: voucherId(digest), digest, credits, state: 'open', ...rest } };
  });
  const docs = made.map(({ doc }) => doc);
  await insertVouchers(store.db, docs);
  return made;
}

type Redeemed =
  | { readonly kind: 'redeemed'; readonly credits: number; readonly balance: number }
  /** This organisation redeemed it before; nothing was granted again. */
  | { readonly kind: 'already' }
  /** No such code, revoked, or another organisation's. The reason is not revealed. */
  | { readonly kind: 'unknown' }
  | { readonly kind: 'expired' };

/**
 * Redeems a code: takes the voucher in one write, grants under the voucher's own source, then settles
 * it. After a crash the same code or {@link finishVouchers} finishes it. The source prevents a second
 * grant.
 */
export async function redeemVoucher(store: KeyStore, orgId: string, text: string): Promise<Redeemed> {
  const code = VOUCHER.read(text);
  if (code === null) return { kind: 'unknown' };
  const digest = VOUCHER.digest(code, store.pepper);
  const voucher = await findVoucher(store.db, voucherId(digest));
  if (voucher === null || !isSameSecret(voucher.digest, digest)) return { kind: 'unknown' };
  const now = store.now().toISOString();
  if (voucher.state === 'open') {
    if (voucher.expiresAt !== null && voucher.expiresAt <= now) return { kind: 'expired' };
    if (await takeVoucher(store.db, voucher._id, orgId, now)) return finish(store, { ...voucher, orgId });
    return redeemVoucher(store, orgId, text);
  }
  if (voucher.orgId !== orgId) return { kind: 'unknown' };
  return voucher.state === 'redeeming' ? finish(store, voucher) : { kind: 'already' };
}

/**
 * Grants vouchers that were taken and not settled. Runs at start, after a crash in between. One that cannot be
 * granted is logged and stays as it is.
 */
export async function finishVouchers(store: CreditStore, log: Pick<Logger, 'error'>): Promise<void> {
  for (const voucher of await unsettledVouchers(store.db)) {
    await finish(store, voucher).catch((err: unknown) =>
      log.error({ err, voucher: voucher._id }, 'a voucher was not finished'),
    );
  }
}

async function finish(store: CreditStore, voucher: VoucherDoc): Promise<Redeemed> {
  const org = voucher.orgId === null ? null : await findOrganization(store.db, voucher.orgId);
  if (org === null) throw new RangeError(`voucher ${voucher._id} has no organisation`);
  const { credits } = voucher;
  const source = `voucher:${voucher._id}`;
  const { balance } = await grantTo(store, org, { amount: credits, reason: 'voucher', source });
  await settleVoucher(store.db, voucher._id);
  return { kind: 'redeemed', credits, balance };
}
