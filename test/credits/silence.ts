import { DEAD_MS, watchOpenCalls } from '../../src/credits/ledger/sweep.ts';
import type { CreditStore } from '../../src/credits/store.ts';

const LOOK_MS = 5_000;

/** Looks every 5 s of a clock of its own, while no process beats, until one would be dead. Returns how many calls it voided. */
export async function voidAfterSilence(store: CreditStore, ms = DEAD_MS + LOOK_MS): Promise<number> {
  let clock = 0;
  const sweeper = watchOpenCalls(store, () => clock);
  let voided = 0;
  for (; clock <= ms; clock += LOOK_MS) voided += await sweeper.voidCallsOfDead();
  return voided;
}
