import type { Account, Call, Wallet } from './wallet.ts';

/** Charges to take back, tried again until Redis answers. */
export type Voids = {
  readonly add: (account: Account, call: Call) => void;
  /** Resolves when none is left, or after `withinMs`; answers how many were left. */
  readonly drain: (withinMs: number) => Promise<number>;
};

const FIRST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 5_000;
/** After this the marker has expired and a resent charge can no longer come. */
const GIVE_UP_MS = 600_000;

/** `onLost` hears of a void that could not be made within ten minutes. */
export function startVoids(wallet: Wallet, onLost: (call: Call) => void): Voids {
  const pending = new Set<Promise<void>>();
  return {
    add(account, call) {
      const task = voidUntilDone(wallet, account, call).then((done) => {
        pending.delete(task);
        if (!done) onLost(call);
      });
      pending.add(task);
    },
    async drain(withinMs) {
      let timer: NodeJS.Timeout | undefined;
      const timeout = new Promise<void>((resolve) => {
        timer = setTimeout(resolve, withinMs);
      });
      await Promise.race([Promise.all(pending), timeout]);
      clearTimeout(timer);
      return pending.size;
    },
  };
}

async function voidUntilDone(wallet: Wallet, account: Account, call: Call): Promise<boolean> {
  const started = Date.now();
  for (
    let pause = FIRST_PAUSE_MS;
    Date.now() - started < GIVE_UP_MS;
    pause = Math.min(pause * 2, LONGEST_PAUSE_MS)
  ) {
    const result = await wallet.void(account, call).catch(() => null);
    // A fenced organisation was rebuilt from the ledger; what this charge became is decided there.
    if (result !== null) return result !== 'refused';
    await new Promise((resolve) => {
      setTimeout(resolve, pause).unref();
    });
  }
  return false;
}
