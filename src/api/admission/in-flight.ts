import type { IncomingMessage, ServerResponse } from 'node:http';
import { clientBlock } from '../http/address.ts';
import { onceUntilEnd } from '../http/connection.ts';
import { refuseAndClose } from '../http/reply.ts';
import { rateLimited } from './rate-limit.ts';

/**
 * Counts how many calls of each key, or uploads of each client, this process handles at this moment, and
 * allows `max` of each id. Counted per process, because it protects the process.
 */
export function countInFlight(max: number) {
  const counts = new Map<string, number>();
  return {
    /** False when there are too many of `id`; else one is counted until `leave`. */
    enter(id: string): boolean {
      const count = counts.get(id) ?? 0;
      if (count >= max) return false;
      counts.set(id, count + 1);
      return true;
    },
    leave(id: string): void {
      const count = counts.get(id) ?? 0;
      if (count <= 1) counts.delete(id);
      else counts.set(id, count - 1);
    },
  };
}

/** Bodies that one client may send at the same time. */
export const MAX_UPLOADS = 100;

/**
 * Limits how many requests of one client may be sending a body at the same time, so that slow senders
 * cost only sockets. `hops` proxies in front are trusted. The function returns true when it refused.
 */
export function limitUploads(max: number, hops: number) {
  const uploads = countInFlight(max);
  return (req: IncomingMessage, res: ServerResponse): boolean => {
    if (!hasBody(req)) return false;
    const block = clientBlock(req, hops);
    if (!uploads.enter(block)) {
      refuseAndClose(req, res, TOO_MANY);
      return true;
    }
    const leave = onceUntilEnd(req.socket, () => uploads.leave(block));
    req.once('end', leave);
    return false;
  };
}

const TOO_MANY = rateLimited('This address is sending too many bodies at once.', 1_000);

/** A body is announced by its length or by its coding (RFC 9112 6). */
export function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

/** Organisations of one address that may have as many as they may. */
export const WAITING_ORGANIZATIONS = 4;
/** Of all, with 4,096 connections. */
const MAX_HELD = 2_048;

/** The place of a call that waits. */
type HeldPlace = {
  readonly leave: () => void;
  /** Aborts when the place is needed for another organisation: the call is answered then. */
  readonly ended: AbortSignal;
};

/**
 * Counts the calls that wait for events, and bounds them for this process. When all places are taken, a new call
 * ends the longest wait of the organisation that has most.
 */
export function countHeld(perOrganization: number, places = MAX_HELD) {
  const ofOrganization = countInFlight(perOrganization);
  const ofAddress = countInFlight(WAITING_ORGANIZATIONS * perOrganization);
  /** What ends the waits of each organisation, the longest first. */
  const waits = new Map<string, Set<() => void>>();
  let all = 0;
  const endLongest = (): void => {
    const [most] = [...waits.values()].sort((a, b) => b.size - a.size);
    const [end] = most ?? [];
    end?.();
  };
  const hold = (organization: string, address: string): HeldPlace => {
    const ending = new AbortController();
    const own = waits.get(organization) ?? new Set();
    const leave = (): void => {
      if (!own.delete(end)) return;
      all -= 1;
      if (own.size === 0) waits.delete(organization);
      ofOrganization.leave(organization);
      ofAddress.leave(address);
    };
    const end = (): void => {
      leave();
      ending.abort();
    };
    waits.set(organization, own.add(end));
    all += 1;
    return { leave, ended: ending.signal };
  };
  return {
    /** Null when too many of the organisation or the address wait. */
    enter(organization: string, address: string): HeldPlace | null {
      if (!ofOrganization.enter(organization)) return null;
      if (!ofAddress.enter(address)) {
        ofOrganization.leave(organization);
        return null;
      }
      if (all >= places) endLongest();
      return hold(organization, address);
    },
  };
}

type Bounds = {
  /** Calls that work at once: of one organisation, and of all. */
  readonly perOrganization: number;
  readonly all: number;
};

/** Of one step of a call. Not an AbortSignal: every call would make two, and nothing listens to them. */
export type Deadline = { readonly isOver: boolean };

type Waiting = { readonly begin: () => void; readonly deadline: Deadline };

/**
 * Calls of an organisation that has many at work wait, and organisations take turns: the one with the fewest
 * at work first, then the one that waits longest. So a greedy one takes time from itself.
 */
export function openTurns({ perOrganization, all }: Bounds) {
  const working = new Map<string, number>();
  /** In the order of the last turns. */
  const queues = new Map<string, Waiting[]>();
  let busy = 0;
  const countOf = (org: string): number => working.get(org) ?? 0;
  const take = (org: string): void => {
    busy += 1;
    working.set(org, countOf(org) + 1);
  };
  const leave = (org: string): void => {
    busy -= 1;
    if (countOf(org) === 1) working.delete(org);
    else working.set(org, countOf(org) - 1);
    for (let next = nextOrg(); next !== null; next = nextOrg()) begin(next);
  };
  const nextOrg = (): string | null => {
    if (busy >= all) return null;
    let best: string | null = null;
    for (const org of queues.keys()) {
      if (countOf(org) >= perOrganization) continue;
      if (best === null || countOf(org) < countOf(best)) best = org;
    }
    return best;
  };
  const begin = (org: string): void => {
    const queue = queues.get(org) ?? [];
    queues.delete(org);
    let next = queue.shift();
    // Its client has its 503 already.
    while (next?.deadline.isOver === true) next = queue.shift();
    if (queue.length > 0) queues.set(org, queue);
    if (next === undefined) return;
    take(org);
    next.begin();
  };
  const wait = (org: string, deadline: Deadline): Promise<void> =>
    new Promise((resolve) => {
      const queue = queues.get(org) ?? [];
      queue.push({ begin: resolve, deadline });
      queues.set(org, queue);
    });
  return {
    /**
     * Runs `work` in the turn of the organisation, which ends when the work does, however late. A call whose
     * `deadline` passes before its turn never works.
     */
    async run<T>(org: string, deadline: Deadline, work: () => Promise<T>): Promise<T> {
      if (busy < all && countOf(org) < perOrganization && !queues.has(org)) take(org);
      else await wait(org, deadline);
      try {
        return await work();
      } finally {
        leave(org);
      }
    },
  };
}
