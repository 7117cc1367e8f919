import { randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

const INBOUND = /^[A-Za-z0-9_-]{8,64}$/;
/** A key has the shape of an id: in the wrong header it would be answered and logged. */
const LOOKS_LIKE_KEY = /tm_(live|test)_/i;
const BOOT = randomBytes(6).toString('hex');
let count = 0;

/** Unique in the world: this process's random number and a counter. Also the attempt of a charge. */
export function nextId(): string {
  count += 1;
  return `${BOOT}-${count.toString(36)}`;
}

/** The request's own id when it has a usable one, so that a client can follow it; else a new one. */
export function requestIdOf(req: IncomingMessage): string {
  const given = req.headers['x-request-id'];
  const isUsable = typeof given === 'string' && INBOUND.test(given) && !LOOKS_LIKE_KEY.test(given);
  return isUsable ? given : nextId();
}
