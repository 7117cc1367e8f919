import type { Db } from 'mongodb';
import { z } from 'zod';
import { coverageOfDays } from '../../domain/insider/coverage.ts';
import { coveredShape } from '../../domain/wire/limitation.ts';
import { findWatchlist, type WatchlistDoc } from '../../store/account/watchlists.ts';
import { type EventDoc, headSeq, readWatchedEvents } from '../../store/filing/events.ts';
import { publishedCorpus } from '../../store/publish/corpus.ts';
import { defineEndpoint } from '../endpoint/endpoint.ts';
import { limitParam } from '../endpoint/page.ts';
import {
  aheadNote,
  awaitsOf,
  cursorAheadShape,
  EVENT_ROWS,
  eventFields,
  eventItem,
  nextCursorShape,
  sinceParam,
  WAIT_WORDS,
  waitParam,
} from './event-shape.ts';

const matched = z
  .strictObject({ type: z.enum(['ticker', 'cik']), value: z.string() })
  .describe('The entry that the event matches; of several the first: ticker, issuer, reporting owner');

const note = z
  .discriminatedUnion('code', [
    z.strictObject({ code: z.literal('empty_watchlist'), message: z.string() }),
    cursorAheadShape,
  ])
  .describe('Only when there is something to explain');

const watchlistShape = z.strictObject({
  id: z.string().describe("The organisation's id: each organisation has one watchlist"),
  tickers: z.array(z.string()),
  ciks: z.array(z.string()).describe('Issuers or reporting owners'),
  updated_at: z.string().nullable().describe('Null until the first edit'),
});

const output = z.strictObject({
  data: z.strictObject({
    events: z.array(z.strictObject({ ...eventFields, matched })),
    next_cursor: nextCursorShape,
    watchlist: watchlistShape,
    note: note.optional(),
    ...coveredShape,
  }),
});

type Data = z.infer<typeof output>['data'];

export const watchlistPoll = defineEndpoint({
  name: 'watchlist.poll',
  path: '/watchlist/poll',
  title: 'Watchlist',
  summary: "The events of the organisation's watchlist, read by cursor",
  description: `The events of \`/events\` whose ticker, issuer or reporting owner is on the organisation's watchlist: ascending by \`seq\`, with the same cursor and the same guarantee. Without \`since\`: the latest that match. Each event names in \`matched\` the entry that it matches. The list is edited by people, at \`/connect\`.`,
  details: `${WAIT_WORDS} For an empty list it comes at once.\n\nThe list has at most 50 tickers and 50 CIKs. A new entry is followed from the cursor on; use an earlier \`since\` to read its older events. For an empty list the answer has the note \`empty_watchlist\` and the given cursor, or the head of the stream.`,
  example: { since: '0', limit: 2 },
  digest: {
    facts: ['next_cursor', 'note.message', 'coverage_status', 'watchlist.tickers', 'watchlist.ciks'],
    rows: {
      at: 'events',
      columns: ['seq', 'form', 'ticker', 'issuer', 'filed_at', 'accession_number', 'matched.value'],
    },
  },
  credits: 1,
  params: {},
  query: { since: sinceParam, limit: limitParam(EVENT_ROWS, 200), wait: waitParam },
  output,
  async handler({ db, orgId }, input) {
    const { since, limit } = input;
    const watched = await findWatchlist(db, orgId);
    if (watched.tickers.length + watched.ciks.length === 0) {
      const cursor = since ?? (await headSeq(db));
      return answer(db, watched, { events: [], next_cursor: String(cursor), note: EMPTY });
    }
    const read = await readWatchedEvents(db, watched, { since: since ?? null, limit });
    const awaits = awaitsOf(read, input, (event) => matchOf(event, watched).value !== '');
    const events = read.events.map((event) => ({ ...eventItem(event), matched: matchOf(event, watched) }));
    const found = { events, next_cursor: String(read.nextCursor), ...aheadNote(since, read.head) };
    return { ...(await answer(db, watched, found)), ...awaits };
  },
});

const EMPTY: NonNullable<Data['note']> = {
  code: 'empty_watchlist',
  message: 'The watchlist is empty, so no event matches. Add tickers or CIKs at /connect.',
};

type Found = Pick<Data, 'events' | 'next_cursor' | 'note'>;

async function answer(db: Db, watched: WatchlistDoc, { note, ...found }: Found) {
  const { _id: id, tickers, ciks, updatedAt: updated_at } = watched;
  const covered = coverageOfDays(await publishedCorpus(db), { listed: found.events.length });
  const data = { ...found, watchlist: { id, tickers, ciks, updated_at }, ...covered };
  return { kind: 'body' as const, body: { data: note === undefined ? data : { ...data, note } } };
}

/** The query matches by exactly these three, so one of them applies. */
function matchOf(event: EventDoc, watched: WatchlistDoc): Data['events'][number]['matched'] {
  const ticker = watched.tickers.find((one) => one === event.ticker);
  if (ticker !== undefined) return { type: 'ticker', value: ticker };
  const ciks = [event.issuerCik, ...event.reportingOwnerCiks];
  const cik = ciks.find((one) => one !== null && watched.ciks.includes(one));
  return { type: 'cik', value: cik ?? '' };
}
