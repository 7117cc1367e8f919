import type { ServerResponse } from 'node:http';

/** Emitted by a response with the bytes of its body, see {@link announceGiven}. */
export const GIVEN = 'given';

/**
 * Makes the response emit {@link GIVEN} when it has its whole answer: the work is over, although the bytes
 * may wait for a slow reader or behind other answers of the connection. Node has no event for that.
 */
export function announceGiven(res: ServerResponse): void {
  const { end } = res;
  res.end = function given(this: ServerResponse, ...args: readonly unknown[]) {
    const isFirst = !this.writableEnded;
    Reflect.apply(end, this, args);
    const [body] = args;
    if (isFirst) this.emit(GIVEN, Buffer.isBuffer(body) || typeof body === 'string' ? body.length : 0);
    return this;
  } as ServerResponse['end'];
}
