import type { IncomingMessage } from 'node:http';
import type { Logger } from '../../log.ts';

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
