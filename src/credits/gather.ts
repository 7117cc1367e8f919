import { callError } from './run.ts';

/** Redis answers no other client meanwhile: for 0.6 ms, or 1.4 where each call is of another organisation. */
export const MAX_BATCH = 64;
/** Of a reply, for each call. */
export const VALUES = 3;
/** A script that takes longer is not waited for: Redis may be silent, and each call has its own second for an answer. */
const MAX_WAIT_MS = 20;

/** A call that waits for its `{ code, balance, calls left or wait }`. */
export type Waiting = {
  readonly resolve: (reply: readonly unknown[]) => void;
  readonly reject: (error: unknown) => void;
};

type Sending = {
  /** Whether something waits to be sent. */
  readonly hasWaiting: () => boolean;
  /** Sends all that waits. A failure rejects its callers; this never rejects. */
  readonly send: () => Promise<void>;
};

/**
 * When the calls of one moment go to Redis together. One that comes alone leaves at the end of its turn of the event
 * loop. Those that come while a script is under way leave together when it has answered, as ioredis does with its
 * pipelines, and after 20 ms at the latest.
 */
export function gather({ hasWaiting, send }: Sending) {
  let isScheduled = false;
  let underWay = 0;
  let patience: NodeJS.Timeout | undefined;

  async function sendBatch(): Promise<void> {
    clearTimeout(patience);
    patience = undefined;
    underWay += 1;
    await send();
    underWay -= 1;
    schedule();
  }

  function schedule(): void {
    if (isScheduled || !hasWaiting()) return;
    if (underWay > 0) {
      patience ??= setTimeout(sendWaiting, MAX_WAIT_MS);
      return;
    }
    isScheduled = true;
    setImmediate(() => {
      isScheduled = false;
      sendWaiting();
    });
  }

  function sendWaiting(): void {
    if (hasWaiting()) void sendBatch();
  }

  return {
    /** Something waits: it is sent with the others of its moment. */
    schedule,
    /** Sends all that waits without waiting for more. */
    sendNow: (): void => void sendBatch(),
  };
}

/** Hands each call its values of the reply. By an index: no slice of the reply and no closure for each call. */
export function handOut(batch: readonly Waiting[], values: readonly unknown[]): void {
  let at = 0;
  for (const { resolve, reject } of batch) {
    if (values[at] === 'ERROR') reject(callError(String(values[at + 1])));
    else resolve([values[at], values[at + 1], values[at + 2]]);
    at += VALUES;
  }
}
