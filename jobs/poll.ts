import type { Accession } from '../src/domain/ids.ts';
import { isEdgarError } from '../src/edgar/error.ts';
import {
  type FeedEntry,
  isKnownGround,
  isPastTheEnd,
  onePerFiling,
  type PreviousPage,
  parseFeed,
} from '../src/edgar/listing/feed.ts';
import type { FeedPage } from '../src/edgar/urls.ts';
import { type FormModule, formFor } from '../src/forms/index.ts';
import { knownAmong } from '../src/store/filing/claims.ts';
import { discoverListed, type ListedFiling } from './listed-filings.ts';
import { today } from './today.ts';
import type { Job, JobContext } from './worker/context.ts';

const PAGE = 100;
/** Pages overlap, because the feed moves while it is read. */
const OVERLAP = 20;
const MAX_PAGES = 20;

/** Reads the feed of each carried form from its newest entry back to known ground (rule 10.4). */
export const poll: Job<'poll'> = async (context) => {
  for (const { feed } of context.forms) await readFeed(context, feed);
};

/**
 * Notes what was listed once all pages are read. A reading that fails notes nothing: if it noted its
 * newest pages, the next one would stop there and never see the older ones.
 */
async function readFeed(context: JobContext, feed: FormModule['feed']): Promise<void> {
  const asOf = await today(context);
  const known = new Set<Accession>();
  let entries: FeedEntry[] = [];
  let previous: PreviousPage | null = null;
  for (let page = 0; page < MAX_PAGES; page++) {
    const start = page * (PAGE - OVERLAP);
    const content = await readPage(context, { ...feed, start, count: PAGE }, previous);
    if (content === null) break;
    const listed = accessionsOf(context, content.entries);
    for (const accession of await knownAmong(context.db, listed)) known.add(accession);
    entries = onePerFiling([...entries, ...content.entries]);
    if (content.entryCount < PAGE || isKnownGround(accessionsOf(context, entries), known)) break;
    const allKnown = listed.every((accession) => known.has(accession));
    previous = { requested: PAGE, entryCount: content.entryCount, allKnown };
  }
  const dated = entries.flatMap((entry): ListedFiling[] =>
    entry.filedDate === null || entry.filedDate > asOf ? [] : [{ ...entry, filedDate: entry.filedDate }],
  );
  await discoverListed(context, dated.reverse());
}

/** Filings of carried forms: a type must match exactly, because EDGAR's own filter is a prefix. */
function accessionsOf({ forms }: JobContext, entries: readonly FeedEntry[]): Accession[] {
  return entries.filter(({ form }) => formFor(forms, form) !== null).map(({ accession }) => accession);
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
