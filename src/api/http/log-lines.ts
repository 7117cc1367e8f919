import type { IncomingMessage } from 'node:http';
import type { Config } from '../../config.ts';
import type { Logger } from '../../log.ts';
import type { CallMeters } from '../../metrics/calls.ts';
import type { AnnouncedResponse } from './given.ts';
import { type Noted, notedOf, requestIdOf } from './noted.ts';

/** Where keys are needed. Everything else is logged with `ACCESS_LOG=all` only. */
const CALLS = /^\/(v1\/|mcp$)/;

/** Begins the note of a request, and counts and logs it once its whole answer is known. */
type Observe = (req: IncomingMessage, res: AnnouncedResponse) => void;

/**
 * One line for each answered call: who, which route, what it cost, how long it took. Names of routes and ids only:
 * neither path nor query nor header of a client is ever in it.
 */
export function observeAnswers(
  mode: Config['accessLog'],
  { log, meters }: { readonly log: Logger; readonly meters: CallMeters },
): Observe {
  const isLogged = ({ route }: Noted): boolean => mode === 'all' || (mode === 'calls' && CALLS.test(route));
  return (req, res) => {
    const noted = notedOf(req);
    res.whenGiven(() => {
      const { heldMs } = noted;
      const ms = performance.now() - noted.began - heldMs;
      const route = noted.route === '' ? 'none' : noted.route;
      meters.call(route, res.statusCode, ms);
      if (!isLogged(noted)) return;
      const { tool, orgId: org, keyId: key, credits, attemptId } = noted;
      log.info({
        requestId: requestIdOf(req),
        org,
        key,
        route,
        tool,
        status: res.statusCode,
        ms: Math.round(ms * 10) / 10,
        ...(heldMs > 0 ? { heldMs: Math.round(heldMs) } : {}),
        credits,
        attemptId,
      });
    });
  };
}

/**
 * Warns once when a request came through a proxy although none is trusted: then all clients behind it are one
 * address, and share its limits. `hops` proxies in front are trusted.
 */
export function noteForwarded(log: Pick<Logger, 'warn'>, hops: number): (req: IncomingMessage) => void {
  let isNoted = hops > 0;
  return (req) => {
    if (isNoted || req.headers['x-forwarded-for'] === undefined) return;
    isNoted = true;
    log.warn('X-Forwarded-For is ignored: set TRUST_PROXY to the number of proxies in front of the API');
  };
}

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
