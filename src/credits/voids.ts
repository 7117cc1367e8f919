import { setTimeout as sleep } from 'node:timers/promises';
import type { Account, Call, Wallet } from './wallet.ts';

const FIRST_PAUSE_MS = 50;
const MAX_PAUSE_MS = 5_000;
/** After this the marker has expired and a resent charge can no longer arrive. */
const GIVE_UP_MS = 600_000;

/**
 * Charges to take back, retried until Redis answers. `onLost` is called for one that could not be voided
 * within ten minutes.
 */
export function startVoids(wallet: Wallet, onLost: (call: Call) => void) {
  const pending = new Set<Promise<void>>();
  return {
    add(account: Account, call: Call): void {
      const task: Promise<void> = voidUntilDone(wallet, account, call).then((done) => {
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

async function voidUntilDone(wallet: Wallet, account: Account, call: Call): Promise<boolean> {
  const started = performance.now();
  let pauseMs = FIRST_PAUSE_MS;
  while (performance.now() - started < GIVE_UP_MS) {
    const result = await wallet.void(account, call).catch(() => null);
    // A fenced organisation was rebuilt from the ledger; what this charge became is decided there.
    if (result !== null) return result !== 'refused';
    await sleep(pauseMs, undefined, { ref: false });
    pauseMs = Math.min(pauseMs * 2, MAX_PAUSE_MS);
  }
  return false;
}
