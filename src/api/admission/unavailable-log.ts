import type { Logger } from '../../log.ts';

const PERIOD_MS = 1_000;

/**
 * Writes one line a second at most, with the number of calls since the last line and the latest error.
 * With Redis down, thousands of calls a second fail with the same stack.
 */
export function unavailableLog(log: Pick<Logger, 'warn'>) {
  let calls = 0;
  let latest: unknown;
  let timer: NodeJS.Timeout | null = null;
  const write = (): void => {
    log.warn({ calls, error: String(latest) }, 'a service is unavailable');
    calls = 0;
    timer = setTimeout(() => {
      timer = null;
      if (calls > 0) write();
    }, PERIOD_MS).unref();
  };
  return (error: unknown): void => {
    calls += 1;
    latest = error;
    if (timer === null) write();
  };
}
