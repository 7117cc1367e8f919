import { setTimeout as pause } from 'node:timers/promises';
import type { Client } from 'openapi-fetch';
import { answerOf } from './error.ts';
import type { components, operations, paths } from './schema.ts';

export type FilingEvent = components['schemas']['EventsLatest']['data']['events'][number];
type Query = NonNullable<operations['events.latest']['parameters']['query']>;

/** A filter that is not given selects everything. */
export type Following = Pick<Query, 'form' | 'tickers'> & {
  /** Events per request. */
  readonly limit?: number;
  /**
   * Milliseconds from one request to the next while there are no new events; each is charged. Up to 50 s of
   * them the request itself waits for an event, which then comes at once.
   */
  readonly idleMs?: number;
  /** Ends the iteration at once, also while it waits. */
  readonly signal?: AbortSignal;
};

const IDLE_MS = 120_000;
const MAX_WAIT_SECONDS = 50;
/** A longer timer of Node ends at once, and each request is charged. */
const MAX_PAUSE_MS = 2 ** 31 - 1;
/** Of the time limit of a try, what is left for its answer. */
const ANSWER_MS = 10_000;

/**
 * Yields every event after `since` in `seq` order, at least once, and waits for new ones. Without `since`
 * it begins with the latest. To continue later, store `String(event.seq)` of the last handled event.
 * @param client tries again without end, so that an outage ends no iteration; `timeoutMs` is its limit of one try
 */
export async function* followEvents(
  { client, timeoutMs }: { readonly client: Client<paths>; readonly timeoutMs: number },
  since: string | undefined,
  { idleMs = IDLE_MS, signal = new AbortController().signal, ...filters }: Following,
): AsyncGenerator<FilingEvent, void> {
  const waitMs = Math.max(0, Math.min(MAX_WAIT_SECONDS * 1_000, idleMs, timeoutMs - ANSWER_MS));
  const wait = Math.floor(waitMs / 1_000);
  const query: Query = { limit: 200, ...filters, wait, ...(since === undefined ? {} : { since }) };
  try {
    while (!signal.aborted) {
      const began = performance.now();
      const { data } = answerOf(await client.GET('/events', { params: { query }, signal }));
      for (const event of data.events) {
        yield event;
        signal.throwIfAborted();
      }
      query.since = data.next_cursor;
      const leftMs = idleMs - (performance.now() - began);
      if (data.events.length === 0 && leftMs > 0)
        await pause(Math.min(leftMs, MAX_PAUSE_MS), undefined, { signal });
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}
