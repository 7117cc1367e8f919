import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

type Pending = Set<() => void>;
const PENDING = Symbol('pending');

/**
 * The actions to run when a connection ends. A socket has one listener, however long its pipeline is:
 * an answer that waits behind others has no socket of its own yet, and gets no `close` event.
 */
export function whenConnectionEnds(socket: Socket & { [PENDING]?: Pending }): Pending {
  const known = socket[PENDING];
  if (known !== undefined) return known;
  const fresh: Pending = new Set();
  // On the socket itself, because it is on every call's path.
  socket[PENDING] = fresh;
  socket.once('close', () => {
    for (const act of [...fresh]) act();
  });
  return fresh;
}

/** Calls `act` once: when the connection ends, or earlier when the returned function is called. */
export function onceUntilEnd(socket: Socket, act: () => void): () => void {
  const waiting = whenConnectionEnds(socket);
  const once = (): void => {
    if (waiting.delete(once)) act();
  };
  waiting.add(once);
  return once;
}

export function isGone(res: ServerResponse): boolean {
  return res.destroyed || res.req.socket.destroyed;
}
