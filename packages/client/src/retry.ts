import { setTimeout as pause } from 'node:timers/promises';
import { isErrorBody, retryAfterOf } from './error.ts';

export type Fetch = (request: Request) => Promise<Response>;

export type Retrying = {
  /** How often a call is tried again at most. */
  readonly retries: number;
  /** Milliseconds for one try, with its whole answer. */
  readonly timeoutMs: number;
  readonly fetch: Fetch;
  /** Waits; a test does not. */
  readonly wait?: (ms: number, signal: AbortSignal) => Promise<void>;
};

const FIRST_WAIT_MS = 1_000;
const MAX_GROWN_MS = 60_000;
const MAX_WAIT_MS = 300_000;
/** Clients of one outage come back apart. */
const JITTER = 0.2;

/**
 * A fetch that tries again what a later try can answer: 429, 5xx, a lost connection, a time limit. It waits
 * longer each time, and as long as `Retry-After` says up to five minutes. All tries of a call have one Idempotency-Key, so
 * the call is charged once.
 */
export function retrying({ retries, timeoutMs, fetch, wait = sleep }: Retrying): Fetch {
  return async (request) => {
    const { signal } = request;
    const headers = new Headers(request.headers);
    if (!headers.has('Idempotency-Key')) headers.set('Idempotency-Key', crypto.randomUUID());
    for (let tries = 0; ; tries += 1) {
      const limited = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
      const outcome = await attempt(
        fetch,
        new Request(request, { headers, signal: limited, redirect: 'error' }),
      );
      if (tries >= retries || !outcome.isTemporary) return outcome.deliver();
      await wait(waitMsAfter(tries, outcome.waitMs), signal);
    }
  };
}

/** Proxies send `Retry-After: 0`, and some much too much. */
function waitMsAfter(tries: number, askedMs: number | null): number {
  const grownMs = Math.min(FIRST_WAIT_MS * 2 ** tries, MAX_GROWN_MS);
  const waitMs = Math.min(Math.max(grownMs, askedMs ?? 0), MAX_WAIT_MS);
  return waitMs * (1 + JITTER * (2 * Math.random() - 1));
}

async function sleep(ms: number, signal: AbortSignal): Promise<void> {
  await pause(ms, undefined, { signal });
}

type Attempt = {
  readonly isTemporary: boolean;
  /** As asked for by the server. */
  readonly waitMs: number | null;
  /** The answer, or the error again. */
  readonly deliver: () => Response;
};

/** Reads the body too: a connection that is lost within it is a failed try. */
async function attempt(fetch: Fetch, request: Request): Promise<Attempt> {
  try {
    const answer = await fetch(request);
    const text = await answer.text();
    const seconds = retryAfterOf(answer);
    return {
      isTemporary: isTemporary(answer.status, text),
      waitMs: seconds === null ? null : seconds * 1_000,
      deliver: () => new Response(text === '' ? null : text, answer),
    };
  } catch (error) {
    const deliver = () => {
      throw error;
    };
    return { isTemporary: true, waitMs: null, deliver };
  }
}

/** A conflict is an earlier try of the same call that the server still works on. */
function isTemporary(status: number, text: string): boolean {
  if (status === 409) return errorOf(text) === 'idempotency_conflict';
  return status === 429 || status >= 500;
}

function errorOf(text: string): string | null {
  try {
    const body: unknown = JSON.parse(text);
    return isErrorBody(body) ? body.error : null;
  } catch {
    return null;
  }
}
