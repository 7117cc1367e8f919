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
  /** Milliseconds between two requests when there are no new events; each request is charged. */
  readonly idleMs?: number;
  /** Ends the iteration at once, also while it waits. */
  readonly signal?: AbortSignal;
};

const IDLE_MS = 120_000;

/**
 * Yields every event after `since` in `seq` order, at least once, and waits for new ones. Without `since`
 * it begins with the latest. To continue later, store `String(event.seq)` of the last handled event.
 * @param client tries again without end, so that an outage ends no iteration
 */
export async function* followEvents(
  client: Client<paths>,
  since: string | undefined,
  { idleMs = IDLE_MS, signal = new AbortController().signal, ...filters }: Following,
): AsyncGenerator<FilingEvent, void> {
  const query: Query = { limit: 200, ...filters, ...(since === undefined ? {} : { since }) };
  try {
    while (!signal.aborted) {
      const { data } = answerOf(await client.GET('/events', { params: { query }, signal }));
      for (const event of data.events) {
        yield event;
        signal.throwIfAborted();
      }
      query.since = data.next_cursor;
      if (data.events.length === 0) await pause(idleMs, undefined, { signal });
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}
