import { setTimeout as pause } from 'node:timers/promises';
import type { Client } from 'openapi-fetch';
import { answerOf, TidemarkError } from './error.ts';
import type { components, paths } from './schema.ts';

type EventPage = components['schemas']['EventsLatest']['data'];
export type FilingEvent = EventPage['events'][number];

export type Following = {
  readonly form?: string;
  readonly tickers?: string[];
  /** Events per request. */
  readonly limit?: number;
  /** Milliseconds between two requests when there are no new events. */
  readonly idleMs?: number;
  /** Ends the iteration at once, also while it waits. */
  readonly signal?: AbortSignal;
};

/** An empty page costs a credit too: every two minutes that is 720 a day, $7.20. */
const IDLE_MS = 120_000;
const MAX_WAIT_MS = 60_000;

/**
 * Yields every event after `since` in `seq` order, at least once, and waits for new ones. Without `since`
 * it begins with the latest. To continue later, store `String(event.seq)` of the last handled event.
 * After a 429 or 503 it waits as long as `Retry-After` says. After a lost connection or a 500 it retries
 * with growing pauses and the same Idempotency-Key, so no page is charged twice. Any other error is
 * thrown as a {@link TidemarkError}.
 */
export async function* followEvents(
  client: Client<paths>,
  since: string | undefined,
  following: Following,
): AsyncGenerator<FilingEvent, void> {
  const { signal, idleMs = IDLE_MS } = following;
  let cursor = since;
  while (!signal?.aborted) {
    const page = await nextPage(client, cursor, following);
    if (page === null) return;
    for (const event of page.events) {
      yield event;
      if (signal?.aborted) return;
    }
    cursor = page.next_cursor;
    if (page.events.length === 0) await wait(idleMs, signal);
  }
}

/** Null when the signal aborted it. */
async function nextPage(
  client: Client<paths>,
  since: string | undefined,
  { form, tickers, limit = 200, signal }: Following,
): Promise<EventPage | null> {
  const query = {
    limit,
    ...(since === undefined ? {} : { since }),
    ...(form === undefined ? {} : { form }),
    ...(tickers === undefined ? {} : { tickers }),
  };
  const header = { 'Idempotency-Key': crypto.randomUUID() };
  for (let tries = 0; !signal?.aborted; tries += 1) {
    try {
      const result = await client.GET('/events', { params: { query, header }, signal: signal ?? null });
      return answerOf(result).data;
    } catch (error) {
      if (signal?.aborted) return null;
      await wait(waitMs(error, tries), signal);
    }
  }
  return null;
}

/** How long to wait before the next try. Throws errors that waiting does not resolve. */
function waitMs(error: unknown, tries: number): number {
  const later = Math.min(1_000 * 2 ** tries, MAX_WAIT_MS);
  if (!(error instanceof TidemarkError)) return later;
  if (error.status === 429 || error.status >= 500) {
    return error.retryAfter === null ? later : error.retryAfter * 1_000;
  }
  throw error;
}

async function wait(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  await pause(milliseconds, undefined, signal === undefined ? {} : { signal }).catch((error: unknown) => {
    if (!signal?.aborted) throw error;
  });
}
