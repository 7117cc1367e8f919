import type { IncomingMessage, ServerResponse } from 'node:http';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { isGone, onceUntilEnd } from '../http/connection.ts';
import type { AnnouncedResponse } from '../http/given.ts';
import { problem, RETRY_AFTER } from '../http/problem.ts';
import { refuse } from '../http/reply.ts';
import { hasBody } from './in-flight.ts';
import { isKeyless } from './keyless.ts';

/** Whether this process should refuse new work. */
export type Overload = ReturnType<typeof watchOverload>;

type OverloadBounds = {
  /** Requests in progress at once. */
  readonly maxInFlight: number;
  /** Delay of the event loop, 90th percentile of a window, in milliseconds; 0: not checked. */
  readonly maxDelayMs: number;
};

/** Gives back the place that a request has, once. */
const PLACE = Symbol('place');
type Placed = { [PLACE]?: () => void };

const WINDOW_MS = 500;
const PAUSE_MS = 1_000;
const RESOLUTION_MS = 10;

/**
 * Overloaded with too many requests in progress, or when the event loop was late in two windows in a
 * row. Not the 99th percentile: with about fifty samples a window, that is the longest pause, and one
 * garbage collection is no overload.
 */
export function watchOverload({ maxInFlight, maxDelayMs }: OverloadBounds, loop = watchLoop()) {
  let inFlight = 0;
  /** Windows in a row that were later than the bound, and than half of it. */
  let [lateWindows, halfLateWindows] = [0, 0];
  const timer = setInterval(() => {
    const p90 = loop.delayMs();
    lateWindows = maxDelayMs > 0 && p90 > maxDelayMs ? lateWindows + 1 : 0;
    halfLateWindows = maxDelayMs > 0 && p90 > maxDelayMs / 2 ? halfLateWindows + 1 : 0;
  }, WINDOW_MS);
  timer.unref();
  const watch = (res: AnnouncedResponse & Placed): void => {
    inFlight += 1;
    const leave = onceUntilEnd(res.req.socket, () => {
      inFlight -= 1;
    });
    res[PLACE] = leave;
    res.whenGiven(leave);
    if (isGone(res)) leave();
  };
  /** Runs `waiting` without the place of its request, which is back when it ends. */
  const without = async (res: ServerResponse & Placed, waiting: () => Promise<void>): Promise<void> => {
    const leave = res[PLACE];
    leave?.();
    await waiting();
    if (leave !== undefined) watch(res as AnnouncedResponse);
  };
  return {
    /** Readers of pages, whom no key pays for, are refused at half the delay. */
    isOver: (isKeyless = false) =>
      inFlight >= maxInFlight || (isKeyless ? halfLateWindows : lateWindows) >= 2,
    /** Counts a request until its work is done or its connection is gone: a slow reader keeps no place. */
    watch,
    without,
    /**
     * Before a stranger is refused: who asks again at once would take the event loop from those who pay. Of random
     * length, so that many do not come back together. The connection ends with the answer: what waits on it goes too.
     */
    pause(res: ServerResponse): Promise<void> {
      res.shouldKeepAlive = false;
      return without(res, () => sleep(PAUSE_MS * (0.5 + Math.random())));
    },
    close: () => {
      clearInterval(timer);
      loop.close();
    },
  };
}

/** `delayMs`: how late the event loop was since the last time, 90th percentile. */
function watchLoop() {
  const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  delay.enable();
  return {
    delayMs: (): number => {
      const p90 = delay.percentile(90) / 1e6 - RESOLUTION_MS;
      delay.reset();
      return p90;
    },
    close: (): void => void delay.disable(),
  };
}

const MAX_RETRY_SECONDS = 5;

/**
 * Refuses a request while the process is overloaded: before authentication and routing, so it costs
 * little and is never charged. Health checks and the status pass, so that an overloaded process does not look dead.
 */
export function refuseOverload(overload: Overload, req: IncomingMessage, res: AnnouncedResponse): boolean {
  if (req.url?.startsWith('/health/') || req.url === '/status') return false;
  const isStranger = isKeyless(req.url ?? '');
  if (!overload.isOver(isStranger)) {
    watchRequest(overload, req, res);
    return false;
  }
  // Random, so that the refused clients do not come back at the same moment.
  const seconds = 1 + Math.floor(Math.random() * MAX_RETRY_SECONDS);
  const headers = [RETRY_AFTER, String(seconds)];
  const overloaded = problem('unavailable', 'The service is overloaded. Nothing was charged.', { headers });
  if (isStranger) void overload.pause(res).then(() => refuse(req, res, overloaded));
  else refuse(req, res, overloaded);
  return true;
}

/** Counted only once the body has arrived: until then a request costs a socket, which is limited elsewhere. */
function watchRequest(overload: Overload, req: IncomingMessage, res: AnnouncedResponse): void {
  const watch = (): void => {
    if (!res.writableEnded) overload.watch(res);
  };
  if (hasBody(req)) req.once('end', watch);
  else watch();
}
