import { setTimeout as sleep } from 'node:timers/promises';
import { EdgarError } from './error.ts';

const TRIES = 4;
const FIRST_WAIT_MS = 1_000;

/**
 * For a request of a command, which has no queue that repeats it, or one of many of a job, of which one would repeat all:
 * waits as long as EDGAR or the breaker asks, {@link TRIES} times and `mostMs` each at most. What is not found is not
 * asked for again.
 */
export async function repeated<T>(
  signal: AbortSignal,
  run: () => Promise<T>,
  mostMs = Number.POSITIVE_INFINITY,
): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await run();
    } catch (error) {
      if (!(error instanceof EdgarError) || !error.retry || error.code === 'edgar_not_found') throw error;
      if (tries === TRIES || signal.aborted) throw error;
      const waitMs = Math.max(error.retryAfterMs ?? 0, FIRST_WAIT_MS * 2 ** (tries - 1));
      if (waitMs > mostMs) throw error;
      // A stopped wait ends in the error that it followed.
      await sleep(waitMs, undefined, { signal }).catch(() => {
        throw error;
      });
    }
  }
}
