import type { ServerResponse } from 'node:http';
import { rateLimited } from '../admission/rate-limit.ts';
import type { Awaits } from '../endpoint/endpoint.ts';
import { clientBlock } from '../http/address.ts';
import { notedOf } from '../http/noted.ts';
import type { Problem } from '../http/problem.ts';
import type { Api } from '../open.ts';
import type { OpenedCall } from './opened.ts';

type Held = { readonly res: ServerResponse; readonly awaits: Awaits; readonly ms: number };

/**
 * Waits for an event at no cost but a connection: the call has neither a turn nor a place among the requests
 * at work (rule 11.22). In the sandbox nothing happens, so there the time passes. Returns the refusal when too
 * many calls wait.
 */
export async function hold(api: Api, opened: OpenedCall, { res, awaits, ms }: Held): Promise<Problem | null> {
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
