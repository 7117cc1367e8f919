import { isEdgarError } from '../src/edgar/error.ts';
import { isPastTheEnd, type PreviousPage, parseFeed } from '../src/edgar/listing/feed.ts';
import type { FeedPage } from '../src/edgar/urls.ts';
import type { FormModule } from '../src/forms/index.ts';
import { discoverListed, type ListedFiling } from './listed-filings.ts';
import { today } from './today.ts';
import type { Job, JobContext } from './worker/context.ts';

const PAGE = 100;
/** Pages overlap, because the feed moves while it is read. */
const OVERLAP = 20;
const MAX_PAGES = 20;
/** Discovery waits while more filings than this have to be fetched and parsed. */
const MAX_BACKLOG = 10_000;

/** Reads the feed of each carried form from its newest entry back to the first known page. */
export const poll: Job<'poll'> = async (context) => {
  if ((await context.producer.load(['fetch', 'parse'])) > MAX_BACKLOG) return;
  for (const { feed } of context.forms) await readFeed(context, feed);
};

async function readFeed(context: JobContext, feed: FormModule['feed']): Promise<void> {
  const asOf = await today(context);
  let previous: PreviousPage | null = null;
  for (let page = 0; page < MAX_PAGES; page++) {
    const start = page * (PAGE - OVERLAP);
    const content = await readPage(context, { ...feed, start, count: PAGE }, previous);
    if (content === null) return;
    const listed = content.entries.flatMap((entry): ListedFiling[] =>
      entry.filedDate === null || entry.filedDate > asOf ? [] : [{ ...entry, filedDate: entry.filedDate }],
    );
    const { added } = await discoverListed(context, listed);
    previous = { requested: PAGE, entryCount: content.entryCount, allKnown: added === 0 };
    if (content.entryCount < PAGE || (previous.allKnown && page > 0)) return;
  }
}

/** Null past the end of the feed. */
async function readPage({ edgar }: JobContext, page: FeedPage, previous: PreviousPage | null) {
  try {
    return parseFeed((await edgar.fetchCurrentFeed(page)).bytes);
  } catch (error) {
    if (isEdgarError(error, 'edgar_unavailable') && isPastTheEnd(page.start, previous)) return null;
    throw error;
  }
}
