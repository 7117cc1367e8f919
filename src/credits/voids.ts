import { setTimeout as sleep } from 'node:timers/promises';
import { AppError } from '../errors.ts';
import { isVoided, rowOf } from '../store/account/ledger.ts';
import { applyGrants } from './grant.ts';
import { openBalance } from './ledger/open-balance.ts';
import type { CreditStore } from './store.ts';
import type { Account, Call, Wallet } from './wallet.ts';

const FIRST_PAUSE_MS = 50;
const MAX_PAUSE_MS = 5_000;
/** After this the marker has expired and a resent charge can no longer arrive. */
const GIVE_UP_MS = 600_000;

type Parts = { readonly store: CreditStore; readonly wallet: Wallet };

/**
 * Charges to take back, retried until Redis answers. `onLost` is called for one that could not be voided
 * within ten minutes, of which the time that charging is stopped does not count.
 */
export function startVoids(parts: Parts, onLost: (call: Call) => void) {
  const pending = new Set<Promise<void>>();
  return {
    /** `isHungUp`: its client closed the connection. */
    add(account: Account, call: Call, isHungUp = false): void {
      const task: Promise<void> = voidUntilDone(parts, account, { call, isHungUp }).then((done) => {
        pending.delete(task);
        if (!done) onLost(call);
      });
      pending.add(task);
    },
    /** Resolves when none is left, or after `withinMs`. Returns how many are left. */
    async drain(withinMs: number): Promise<number> {
      const late = new AbortController();
      const timeout = sleep(withinMs, undefined, { signal: late.signal }).catch(() => undefined);
      await Promise.race([Promise.all(pending), timeout]);
      late.abort();
      return pending.size;
    },
  };
}

type Voided = { readonly call: Call; readonly isHungUp: boolean };

async function voidUntilDone(parts: Parts, account: Account, voided: Voided): Promise<boolean> {
  let started = performance.now();
  let pauseMs = FIRST_PAUSE_MS;
  while (performance.now() - started < GIVE_UP_MS) {
    const result = await voidOnce(parts, account, voided).catch((error: unknown) => {
      // The ledger proves the charge when the operator has decided, however late.
      if (isStoppedError(error)) started = performance.now();
      return null;
    });
    if (result !== null && result !== 'refused') return true;
    await sleep(pauseMs, undefined, { ref: false });
    pauseMs = Math.min(pauseMs * 2, MAX_PAUSE_MS);
  }
  return false;
}

const isStoppedError = (error: unknown): boolean =>
  error instanceof AppError && error.code === 'credits_stopped';

/** A balance that was rebuilt has no markers any more: the ledger knows whether the attempt was charged. */
async function voidOnce({ store, wallet }: Parts, account: Account, { call, isHungUp }: Voided) {
  const result = await wallet.void(account, call, { isHungUp });
  if (result !== 'refused') return result;
  const { orgId } = account;
  const org = { _id: orgId, epoch: account.epoch };
  await applyGrants(store, org);
  const epoch = await openBalance(store, org);
  if (await isVoided(store.db, orgId, call.attemptId)) return 'already';
  const charged = await rowOf(store.db, { orgId, rid: call.attemptId, kind: 'charge' });
  const cost = charged === null ? '' : -charged.delta;
  return wallet.void({ ...account, epoch }, call, { kind: 'void', cost });
}
