import type { Db } from 'mongodb';
import { insertRow, lastRowBefore, ledgerId, placeOf, rowOf } from './ledger.ts';

/** `from` and `to`: the first and the last epoch, both included. */
export type Sealing = {
  readonly orgId: string;
  readonly from: number;
  readonly to: number;
  /** ISO 8601 UTC */
  readonly at: string;
};

/**
 * Ends epochs of an organisation with a row `seal` each, under the next number (rule 12.7). A process that still
 * carries rows of such an epoch finds that number taken, so what the ledger says of the epoch never changes again.
 * Safe to repeat, and in several processes at once.
 */
export async function sealEpochs(db: Db, { orgId, from, to, at }: Sealing): Promise<void> {
  // In their order: each seal has the balance of the row before it.
  for (let epoch = from; epoch <= to; epoch += 1) await sealEpoch(db, orgId, { epoch, at });
}

type Seal = { readonly epoch: number; readonly at: string };

async function sealEpoch(db: Db, orgId: string, { epoch, at }: Seal): Promise<void> {
  const rid = `seal-${epoch}`;
  const what = { orgId, kind: 'seal', rid } as const;
  while ((await rowOf(db, what)) === null) {
    const last = await lastRowBefore(db, orgId, ledgerId(orgId, epoch + 1, 0));
    const place = last === null ? null : placeOf(last);
    const n = place?.epoch === epoch ? place.n + 1 : 1;
    const rest = { delta: 0, balanceAfter: place?.balance ?? 0, tool: 'rebuild', keyId: '', at };
    // Refused while rows of the epoch still arrive: then the number after them.
    await insertRow(db, { _id: ledgerId(orgId, epoch, n), ...what, ...rest });
  }
}
