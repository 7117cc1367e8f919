import type { IncomingMessage } from 'node:http';
import type { Config } from '../../config.ts';
import type { Logger } from '../../log.ts';
import type { CallMeters } from '../../metrics/calls.ts';
import type { AnnouncedResponse } from './given.ts';
import { type Noted, notedOf } from './noted.ts';
import { requestIdOf } from './request-id.ts';

/** Where keys are needed. Everything else is logged with `ACCESS_LOG=all` only. */
const CALLS = /^\/(v1\/|mcp$)/;

/** Begins the note of a request, and counts and logs it once its whole answer is known. */
export type Observe = (req: IncomingMessage, res: AnnouncedResponse) => void;

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
