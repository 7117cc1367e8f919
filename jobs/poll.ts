import { isBusinessDay, newYorkDate } from '../src/domain/calendar.ts';
import type { Accession, IsoDate } from '../src/domain/ids.ts';
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

/**
 * Reads the feed of each carried form from its newest entry back to known ground (rule 10.4). One that
 * fails does not keep the others from being read; the job fails afterwards.
 */
export const poll: Job<'poll'> = async (context) => {
  const { edgar, now } = context;
  if (!edgar.isLocal && !isBusinessDay(newYorkDate(now()))) return;
  const failed: unknown[] = [];
  for (const { feed } of context.forms) {
    await readFeed(context, feed).catch((error: unknown) => failed.push(error));
  }
  if (failed.length > 0) throw failed[0];
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
    // What is never noted would hide the known ground behind it.
    for (const entry of content.entries) if (!isDatedBy(entry, asOf)) known.add(entry.accession);
    entries = onePerFiling([...entries, ...content.entries]);
    if (content.entryCount < PAGE || isKnownGround(accessionsOf(context, entries), known)) break;
    const allKnown = listed.length > 0 && listed.every((accession) => known.has(accession));
    previous = { requested: PAGE, entryCount: content.entryCount, allKnown };
  }
  const dated = entries.filter((entry) => isDatedBy(entry, asOf));
  await discoverListed(context, dated.reverse(), { lane: 'live' });
}

/** False for a filing that does not exist yet on the as-of date (rule 1.3), or has no readable date. */
function isDatedBy(entry: FeedEntry, asOf: IsoDate): entry is FeedEntry & ListedFiling {
  return entry.filedDate !== null && entry.filedDate <= asOf;
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
