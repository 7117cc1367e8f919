import type { IncomingMessage, ServerResponse } from 'node:http';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { isGone, onceUntilEnd } from '../http/connection.ts';
import type { AnnouncedResponse } from '../http/given.ts';
import { problem, RETRY_AFTER } from '../http/problem.ts';
import { refuse } from '../http/reply.ts';
import { hasBody } from './in-flight.ts';
import { isKeyless, mustPass } from './rate-limit.ts';

/** Whether this process should refuse new work. */
type Overload = ReturnType<typeof watchOverload>;

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
const LATE_WINDOWS = 2;
const PAUSE_MS = 1_000;
const RESOLUTION_MS = 10;

/**
 * Overloaded with too many requests in progress, or when the event loop was late in two windows in a
 * row. Not the 99th percentile: with about fifty samples a window, that is the longest pause, and one
 * garbage collection is no overload. Strangers, whom no key pays for, are refused first, at half of both bounds; calls
 * when there are too many of them alone, or when the event loop is late although strangers are refused.
 */
export function watchOverload({ maxInFlight, maxDelayMs }: OverloadBounds, loop = watchLoop()) {
  const inFlight = { all: 0, calls: 0 };
  const late = { half: 0, whole: 0 };
  const timer = setInterval(() => {
    const p90 = maxDelayMs > 0 ? loop.delayMs() : 0;
    late.whole = p90 > maxDelayMs && late.half >= LATE_WINDOWS ? late.whole + 1 : 0;
    late.half = p90 > maxDelayMs / 2 ? late.half + 1 : 0;
  }, WINDOW_MS);
  timer.unref();
  const watch = (res: AnnouncedResponse & Placed): void => {
    const calls = isKeyless(res.req) ? 0 : 1;
    const count = (by: 1 | -1): void => {
      inFlight.all += by;
      inFlight.calls += by * calls;
    };
    count(1);
    const leave = onceUntilEnd(res.req.socket, () => count(-1));
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
    isOver: (isStranger = false) =>
      isStranger
        ? inFlight.all >= maxInFlight / 2 || late.half >= LATE_WINDOWS
        : inFlight.calls >= maxInFlight || late.whole >= LATE_WINDOWS,
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
  if (mustPass(req) || req.url === '/status') return false;
  const isStranger = isKeyless(req);
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
