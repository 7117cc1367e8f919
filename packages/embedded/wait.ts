import { setTimeout as sleep } from 'node:timers/promises';

const PAUSE_MS = 50;

/** Repeats `check` until it returns true, `giveUp` returns true, or the time is over. */
export async function waitUntil(
  check: () => boolean | Promise<boolean>,
  limitMs: number,
  giveUp: () => boolean = () => false,
): Promise<boolean> {
  const until = performance.now() + limitMs;
  for (;;) {
    if (await check()) return true;
    if (giveUp() || performance.now() > until) return false;
    await sleep(PAUSE_MS);
  }
}
