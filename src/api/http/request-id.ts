import { randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

const INBOUND = /^[A-Za-z0-9_-]{8,64}$/;
/** A key has the shape of an id. Sent in this header by mistake, it would be returned and logged. */
const LOOKS_LIKE_KEY = /tm_(live|test)_/i;
const BOOT = randomBytes(6).toString('hex');
let count = 0;

/** Globally unique: the random number of this process and a counter. Also used as attempt id of a charge. */
export function nextId(): string {
  count += 1;
  return `${BOOT}-${count.toString(36)}`;
}

/** The id that the client sent, if it is usable, so that the client can trace it; else a new one. */
export function requestIdOf(req: IncomingMessage): string {
  const given = req.headers['x-request-id'];
  const isUsable = typeof given === 'string' && INBOUND.test(given) && !LOOKS_LIKE_KEY.test(given);
  return isUsable ? given : nextId();
}
