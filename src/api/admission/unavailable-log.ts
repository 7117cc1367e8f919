import type { Logger } from '../../log.ts';

/** Notes that a service did not answer a call. */
export type LogUnavailable = (error: unknown) => void;

const PERIOD_MS = 1_000;

/**
 * One line a second at most, with the number of calls since the line before and the latest error's
 * text: thousands of calls fail in a second of a dead Redis, each with the same stack.
 */
export function unavailableLog(log: Pick<Logger, 'warn'>): LogUnavailable {
  let calls = 0;
  let latest: unknown;
  let timer: NodeJS.Timeout | null = null;
  const tell = (): void => {
    log.warn({ calls, error: String(latest) }, 'a service is away');
    calls = 0;
    timer = setTimeout(() => {
      timer = null;
      if (calls > 0) tell();
    }, PERIOD_MS).unref();
  };
  return (error) => {
    calls += 1;
    latest = error;
    if (timer === null) tell();
  };
}
