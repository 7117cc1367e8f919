import type { ServerResponse } from 'node:http';
import { SANDBOX_BALANCE, SANDBOX_ORGANIZATION } from '../../sandbox/open.ts';
import { rateLimited } from '../admission/rate-limit.ts';
import { briefSource } from '../cache/brief-lookup.ts';
import type { Awaits, Outcome, Reading } from '../endpoint/endpoint.ts';
import { clientBlock } from '../http/address.ts';
import { isGone } from '../http/connection.ts';
import { notedOf } from '../http/noted.ts';
import type { Problem } from '../http/problem.ts';
import type { Api } from '../open.ts';
import type { Answered, OpenedCall } from './idempotency.ts';
import { DEADLINE_MS, FIRST_READER_MS, inTime, withDeadline } from './with-deadline.ts';

/** `isCutShort`: the process stops, so the answer came before the client's time to wait was over. */
type Worked =
  | { readonly answered: Answered; readonly isCutShort: boolean; readonly problem: null }
  | { readonly answered: null; readonly problem: Problem };

/**
 * Does the work of a call. An empty page that waits for events is held and read again, until it has one or its
 * time is over (rule 11.22). Only the reads have a deadline.
 */
export async function workOn(api: Api, opened: OpenedCall, res: ServerResponse): Promise<Worked> {
  const began = performance.now();
  for (;;) {
    const { value: outcome, problem } = await readInTurn(api, opened);
    if (problem !== null) return { answered: null, problem };
    if (outcome.kind === 'problem') return { answered: null, problem: outcome.problem };
    const awaits = outcome.kind === 'body' ? outcome.awaits : undefined;
    const ms = opened.isReplay ? 0 : leftOf(awaits, performance.now() - began);
    const isOver = ms === 0 || isGone(res);
    if (awaits === undefined || isOver || api.arrivals.isClosed()) {
      return { answered: outcome, isCutShort: !isOver, problem: null };
    }
    const refused = await hold(api, opened, { res, awaits, ms });
    if (refused !== null) return { answered: null, problem: refused };
  }
}

/** Milliseconds that a page may still be held. */
function leftOf(awaits: Awaits | undefined, passedMs: number): number {
  return Math.max(0, (awaits?.seconds ?? 0) * 1_000 - passedMs);
}

/** Late work keeps its turn so long at most: a database that hangs may never end it. */
const TURN_MS = FIRST_READER_MS;

function readInTurn(api: Api, opened: OpenedCall) {
  const work = async (): Promise<Outcome<unknown>> => opened.run(await readingOf(api, opened));
  return withDeadline(
    api,
    (deadline) => api.turns.run(opened.credential.orgId, deadline, () => inTime(work(), TURN_MS)),
    { ms: opened.endpoint.firstComputes === true ? FIRST_READER_MS : DEADLINE_MS },
  );
}

/**
 * What a call may read: the data and its own organisation; for a test key the sandbox and the
 * organisation there. A key never reads the data of the other mode.
 */
async function readingOf(api: Api, { credential, mode, balance }: OpenedCall): Promise<Reading> {
  const { siteUrl, forms, creditsLow } = api;
  if (mode === 'test') {
    const db = await api.sandbox.ready();
    const { load: findBrief } = briefSource(db, api.store.now);
    return {
      db,
      siteUrl,
      forms,
      orgId: SANDBOX_ORGANIZATION.id,
      balance: SANDBOX_BALANCE,
      creditsLow: 0,
      findBrief,
    };
  }
  const findBrief: Reading['findBrief'] = async (ticker) => (await api.briefs.find(ticker)).brief;
  return { db: api.db, siteUrl, forms, orgId: credential.orgId, balance, creditsLow, findBrief };
}

type Held = { readonly res: ServerResponse; readonly awaits: Awaits; readonly ms: number };

/**
 * Waits for an event at no cost but a connection: the call has neither a turn nor a place among the requests
 * at work (rule 11.22). In the sandbox nothing happens, so there the time passes. Returns the refusal when too
 * many calls wait.
 */
async function hold(api: Api, opened: OpenedCall, { res, awaits, ms }: Held): Promise<Problem | null> {
  const { req } = res;
  const { credential, mode } = opened;
  const place = api.held.enter(credential.orgId, clientBlock(req, api.trustProxy));
  if (place === null) return TOO_MANY;
  const { ended } = place;
  // Who ends its half while it waits has mostly gone: it pays nothing, as one that closes.
  const { socket } = req;
  const endWith = (): void => void socket.destroy();
  if (socket.readableEnded) endWith();
  else socket.once('end', endWith);
  const began = performance.now();
  const awaited = mode === 'test' ? null : awaits;
  api.meters.held(1);
  try {
    await api.overload.without(res, () => api.arrivals.wait(awaited, { socket, ms, ended }));
  } finally {
    socket.off('end', endWith);
    api.meters.held(-1);
    place.leave();
  }
  notedOf(req).heldMs += performance.now() - began;
  return null;
}

const TOO_MANY = rateLimited('Too many calls wait for events already. Nothing was charged.', 5_000);
