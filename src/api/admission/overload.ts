import type { IncomingMessage, ServerResponse } from 'node:http';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { whenAnswerEnds } from '../http/connection.ts';
import { problem } from '../http/problem.ts';
import { problemReply, send } from '../http/reply.ts';
import { requestIdOf } from '../http/request-id.ts';
import { hasBody } from './upload-limit.ts';

/** Whether this process should refuse work, before it has done any of it. */
export type Overload = {
  readonly isOver: () => boolean;
  /** Counts a request until its answer is through or its connection gone. */
  readonly watch: (res: ServerResponse) => void;
  readonly close: () => void;
};

export type OverloadBounds = {
  /** Requests being answered at once. */
  readonly maxInFlight: number;
  /** Delay of the event loop, 90th percentile of a window, in milliseconds; 0: not judged. */
  readonly maxDelayMs: number;
};

const WINDOW_MS = 500;
const RESOLUTION_MS = 10;

/**
 * Over when too many requests are in flight, or when the event loop ran late in two windows in a
 * row. Not the 99th percentile: a window has some fifty samples, so that would be the longest pause,
 * and a pause of the garbage collector or of a busy machine's scheduler is no overload.
 */
export function watchOverload({ maxInFlight, maxDelayMs }: OverloadBounds): Overload {
  const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  let inFlight = 0;
  let lateWindows = 0;
  delay.enable();
  const timer = setInterval(() => {
    const p90 = delay.percentile(90) / 1e6 - RESOLUTION_MS;
    lateWindows = maxDelayMs > 0 && p90 > maxDelayMs ? lateWindows + 1 : 0;
    delay.reset();
  }, WINDOW_MS);
  timer.unref();
  return {
    isOver: () => inFlight >= maxInFlight || lateWindows >= 2,
    watch: (res) => {
      inFlight += 1;
      whenAnswerEnds(res, () => {
        inFlight -= 1;
      });
    },
    close: () => {
      clearInterval(timer);
      delay.disable();
    },
  };
}

/**
 * Refuses a request while the process has too much to do: before it is authenticated or routed, so
 * that it costs next to nothing and is never charged. Health is exempt, so that an overloaded
 * process is not taken for a dead one.
 */
export function refuseOverload(overload: Overload, req: IncomingMessage, res: ServerResponse): boolean {
  if (req.url?.startsWith('/health/')) return false;
  if (!overload.isOver()) {
    watchRequest(overload, req, res);
    return false;
  }
  const requestId = requestIdOf(req);
  // Spread, so that those who were refused together do not come back together.
  const seconds = 1 + Math.floor(Math.random() * MAX_RETRY_SECONDS);
  const told = problem('unavailable', 'The service is overloaded for the moment; nothing was charged.', {
    headers: ['Retry-After', String(seconds)],
  });
  send(res, requestId, problemReply(told, requestId));
  return true;
}

const MAX_RETRY_SECONDS = 5;

/** From when the body is there: one that is still arriving costs a socket, which is bounded elsewhere. */
function watchRequest(overload: Overload, req: IncomingMessage, res: ServerResponse): void {
  const watch = (): void => {
    if (!res.writableEnded) overload.watch(res);
  };
  if (hasBody(req)) req.once('end', watch);
  else watch();
}
