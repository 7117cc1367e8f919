import { randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

/** What becomes known of a request until it is answered, for the access log and the metrics. */
export type Noted = {
  readonly began: number;
  /** Empty before it is asked for. */
  requestId: string;
  /** The template of its route: a path may hold what belongs in no log. */
  route: string;
  /** The agent tool; empty over REST. */
  tool: string;
  orgId: string;
  keyId: string;
  /** Id of the charge in the ledger, where there is one; empty before the call is named. */
  attemptId: string;
  credits: number;
  /** Of its time, what it waited for events. */
  heldMs: number;
};

const NOTED = Symbol('noted');

/** The note of a request, begun by the first who asks. On the request itself, because it is on every call's path. */
export function notedOf(req: IncomingMessage & { [NOTED]?: Noted }): Noted {
  // Field by field: a spread costs a microsecond, and every call has a note.
  req[NOTED] ??= {
    began: performance.now(),
    requestId: '',
    route: '',
    tool: '',
    orgId: '',
    keyId: '',
    attemptId: '',
    credits: 0,
    heldMs: 0,
  };
  return req[NOTED];
}

const INBOUND = /^[A-Za-z0-9_-]{8,64}$/;
/** A key has the shape of an id. Sent in this header by mistake, it would be returned and logged. */
const LOOKS_LIKE_KEY = /tm_(live|test)_/i;
const BOOT = randomBytes(6).toString('hex');
let count = 0;

/** Globally unique: the random number of this process and a counter. */
export function nextId(): string {
  count += 1;
  return `${BOOT}-${count.toString(36)}`;
}

/** The id that the client sent, if it is usable, so that the client can trace it; else a new one. The same for each request. */
export function requestIdOf(req: IncomingMessage): string {
  const noted = notedOf(req);
  if (noted.requestId === '') noted.requestId = givenId(req) ?? nextId();
  return noted.requestId;
}

/**
 * The id of the charge of a call: the request's, so that both are found together, unless the client chose that one.
 * A client's id is no proof of another call. A call that is tried again after its account was out of date is another.
 */
export function attemptIdOf(req: IncomingMessage): string {
  const noted = notedOf(req);
  const isFirst = noted.attemptId === '' && givenId(req) === null;
  noted.attemptId = isFirst ? requestIdOf(req) : nextId();
  return noted.attemptId;
}

function givenId(req: IncomingMessage): string | null {
  const given = req.headers['x-request-id'];
  const isUsable = typeof given === 'string' && INBOUND.test(given) && !LOOKS_LIKE_KEY.test(given);
  return isUsable ? given : null;
}
