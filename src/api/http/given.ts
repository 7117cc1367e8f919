import type { ServerResponse } from 'node:http';

/** A response that says when it has its whole answer, see {@link announcing}. */
export type AnnouncedResponse = ServerResponse & {
  /** `act` is called with the bytes of the body. */
  readonly whenGiven: (act: (bytes: number) => void) => void;
};

/**
 * Makes a response say when it has its whole answer: the work is over, although the bytes may wait for a slow
 * reader or behind other answers of the connection. Node has no event for that. It is no subclass, because
 * Express replaces the prototype.
 */
export function announcing(res: ServerResponse): AnnouncedResponse {
  const acts: ((bytes: number) => void)[] = [];
  const { end } = res;
  return Object.assign(res, {
    whenGiven: (act: (bytes: number) => void) => void acts.push(act),
    end(...args: readonly unknown[]): ServerResponse {
      const isFirst = !res.writableEnded;
      Reflect.apply(end, res, args);
      const [body] = args;
      const bytes = Buffer.isBuffer(body) || typeof body === 'string' ? body.length : 0;
      if (isFirst) for (const act of acts) act(bytes);
      return res;
    },
  });
}
