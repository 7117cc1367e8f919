import { z } from 'zod';
import { findWatchlist, type WatchlistDoc } from '../../store/account/watchlists.ts';
import type { EventDoc } from '../../store/filing/events.ts';
import { headSeq } from '../../store/filing/events.ts';
import { readWatchedEvents } from '../../store/filing/watched-events.ts';
import { defineEndpoint } from '../endpoint/endpoint.ts';
import { limitParam } from '../endpoint/page.ts';
import {
  CURSOR_AHEAD,
  cursorAheadShape,
  eventFields,
  eventItem,
  nextCursorShape,
  sinceParam,
} from './event-shape.ts';

const matched = z
  .strictObject({ type: z.enum(['ticker', 'cik']), value: z.string() })
  .describe('The entry that it is there for; of several the first: ticker, then issuer, then owner');

const note = z
  .discriminatedUnion('code', [
    z.strictObject({ code: z.literal('empty_watchlist'), message: z.string() }),
    cursorAheadShape,
  ])
  .describe('Only where something is to be told');

const watchlistShape = z.strictObject({
  id: z.string().describe("The organisation's id: it has one watchlist"),
  tickers: z.array(z.string()),
  ciks: z.array(z.string()).describe('Issuers or reporting owners'),
  updated_at: z.string().nullable().describe('Null before it was first edited'),
});

const output = z.strictObject({
  data: z.strictObject({
    events: z.array(z.strictObject({ ...eventFields, matched })),
    next_cursor: nextCursorShape,
    watchlist: watchlistShape,
    note: note.optional(),
  }),
});

type Data = z.infer<typeof output>['data'];

export const watchlistPoll = defineEndpoint({
  name: 'watchlist.poll',
  method: 'GET',
  path: '/watchlist/poll',
  title: 'Watchlist',
  summary: "The events of the organisation's watchlist, read by cursor",
  description:
    "The events of `/events` whose ticker is on the organisation's watchlist, or whose issuer or one of whose reporting owners is there by CIK: ascending by `seq`, with the same cursor and the same promise. Without `since` the latest that match. Each event says in `matched` which entry it is there for.\n\nThe list is edited at `/connect`, with at most 50 tickers and 50 CIKs. A new entry is followed from the cursor on: what lies behind it is read again only with an earlier `since`. An empty list is answered with the note `empty_watchlist`, and the cursor as it was given, or the head of the stream.",
  example: { since: '0', limit: 2 },
  credits: 1,
  params: {},
  query: { since: sinceParam, limit: limitParam(50, 200) },
  output,
  errors: [],
  async handler({ db, orgId }, { since, limit }) {
    const watched = await findWatchlist(db, orgId);
    if (watched.tickers.length + watched.ciks.length === 0) {
      const cursor = since ?? (await headSeq(db));
      return answer(watched, { events: [], next_cursor: String(cursor), note: EMPTY });
    }
    const read = await readWatchedEvents(db, watched, { since: since ?? null, limit });
    const ahead = since !== undefined && since > read.head;
    return answer(watched, {
      events: read.events.map((event) => ({ ...eventItem(event), matched: matchOf(event, watched) })),
      next_cursor: String(read.nextCursor),
      ...(ahead ? { note: CURSOR_AHEAD } : {}),
    });
  },
});

const EMPTY: NonNullable<Data['note']> = {
  code: 'empty_watchlist',
  message: 'The watchlist is empty, so no event can match it. Add tickers or CIKs at /connect.',
};

function answer(watched: WatchlistDoc, { note: told, ...found }: Omit<Data, 'watchlist'>) {
  const { _id: id, tickers, ciks, updatedAt: updated_at } = watched;
  const data = { ...found, watchlist: { id, tickers, ciks, updated_at } };
  return { kind: 'body' as const, body: { data: told === undefined ? data : { ...data, note: told } } };
}

/** The reads match by exactly these three, so one of them holds. */
function matchOf(event: EventDoc, watched: WatchlistDoc): Data['events'][number]['matched'] {
  const ticker = watched.tickers.find((one) => one === event.ticker);
  if (ticker !== undefined) return { type: 'ticker', value: ticker };
  const ciks = [event.issuerCik, ...event.reportingOwnerCiks];
  const cik = ciks.find((one) => one !== null && watched.ciks.includes(one));
  return { type: 'cik', value: cik ?? '' };
}
