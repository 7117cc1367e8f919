import { fetch } from '../queues/fetch.ts';
import { isEdgarError } from '../src/edgar/edgar-error.ts';
import { isPastTheEnd, ofForms, type PreviousPage, parseFeed } from '../src/edgar/listing/feed.ts';
import { CARRIED_FORMS } from '../src/forms/index.ts';
import { discoverFilings, type FoundFiling } from '../src/store/filing/claims.ts';
import { today } from './today.ts';
import type { Job, JobContext } from './worker/context.ts';

const PAGE = 100;
/** Pages overlap by this much, because the feed moves while it is read. */
const OVERLAP = 20;
const MAX_PAGES = 20;
/** Discovery waits while more than this is still to be fetched and parsed. */
const BACKLOG = 10_000;

/** What EDGAR's prefix filter is asked for: `13F-` answers reports, notices and amendments. */
const FEEDS = [
  { type: '4', owner: 'only' },
  { type: '13F-', owner: 'include' },
] as const;

/** Reads the feed from its newest entry back to what is known. */
export const poll: Job<{ slot: number }> = async (context) => {
  if ((await context.producer.load(['fetch', 'parse'])) > BACKLOG) return;
  for (const feed of FEEDS) await readFeed(context, feed);
};

async function readFeed(context: JobContext, feed: (typeof FEEDS)[number]): Promise<void> {
  const asOf = await today(context);
  let previous: PreviousPage | null = null;
  for (let page = 0; page < MAX_PAGES; page++) {
    const start = page * (PAGE - OVERLAP);
    const content = await readPage(context, { ...feed, start, count: PAGE }, previous);
    if (content === null) return;
    const found = ofForms(content.entries, CARRIED_FORMS).flatMap((entry): FoundFiling[] =>
      entry.filedDate === null || entry.filedDate > asOf ? [] : [{ ...entry, filedDate: entry.filedDate }],
    );
    const added = await discoverFilings(context.db, found.map(noted));
    await context.producer.enqueueAll(
      fetch,
      added.map((accession) => ({ accession, run: 0 })),
    );
    previous = { asked: PAGE, entryCount: content.entryCount, allKnown: added.length === 0 };
    if (content.entryCount < PAGE || (previous.allKnown && page > 0)) return;
  }
}

async function readPage(
  { edgar }: JobContext,
  page: Parameters<JobContext['edgar']['fetchCurrentFeed']>[0],
  previous: PreviousPage | null,
): Promise<ReturnType<typeof parseFeed> | null> {
  try {
    return parseFeed((await edgar.fetchCurrentFeed(page)).bytes);
  } catch (error) {
    if (isEdgarError(error, 'edgar_unavailable') && isPastTheEnd(page.start, previous)) return null;
    throw error;
  }
}

function noted({ accession, cik, form, company, filedDate }: FoundFiling): FoundFiling {
  return { accession, cik, form, company, filedDate };
}
