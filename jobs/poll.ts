import { isDeepStrictEqual } from 'node:util';
import { fetch, parse } from '../queues/filings.ts';
import { today } from '../src/derive/corpus/as-of.ts';
import { isBusinessDay, newYorkDate } from '../src/domain/calendar.ts';
import type { Lane } from '../src/domain/filing/lane.ts';
import type { Accession, IsoDate } from '../src/domain/ids.ts';
import type { Fetched } from '../src/edgar/client/open.ts';
import { isEdgarError, malformed } from '../src/edgar/error.ts';
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
import { raiseIndexAlarm } from '../src/store/filing/alarms.ts';
import { discoverFilings, type FoundFiling, knownAmong, moveFilingsUp } from '../src/store/filing/claims.ts';
import { feedReadOf, type ListingRead, notePolled, saveFeedRead } from '../src/store/filing/settings.ts';
import type { Job, JobContext } from './worker/context.ts';

const PAGE = 100;
/** Pages overlap, because the feed moves while it is read. */
const OVERLAP = 20;
const MAX_PAGES = 20;

/**
 * Reads the feed of each carried form from its newest entry back to known ground (rule 10.4). One that
 * fails does not keep the others from being read; the job fails afterwards.
 */
export const poll: Job<'poll'> = (context) => context.precedence.during('live', () => pollFeeds(context));

async function pollFeeds(context: JobContext): Promise<void> {
  const { db, edgar, now } = context;
  if (!edgar.isLocal && !isBusinessDay(newYorkDate(now()))) return;
  const failed: unknown[] = [];
  for (const form of context.forms) {
    await readFeed(context, form).catch((error: unknown) => {
      // Its newest page is the one that was read to known ground last.
      if (!isEdgarError(error, 'edgar_not_modified')) failed.push(error);
    });
  }
  if (failed.length > 0) throw failed[0];
  await notePolled(db, now().toISOString());
}

/**
 * Notes what was listed once all pages are read. A reading that fails notes nothing: if it noted its
 * newest pages, the next one would stop there and never see the older ones. Entries that do not say
 * which filing they list raise an alarm of the day, whose index lists it, after the others are noted.
 */
async function readFeed(context: JobContext, { name, feed }: FormModule): Promise<void> {
  const { db, edgar } = context;
  const asOf = await today(context);
  const known = knownListing(context, await feedReadOf(db, name));
  const newest = await edgar.fetchCurrentFeed({ ...feed, start: 0, count: PAGE }, known);
  const reading = { feed, asOf, newest: parseFeed(newest.bytes) };
  const { entries, unread } = await readToKnownGround(context, reading);
  const dated = entries.filter(({ filedDate }) => filedDate <= asOf);
  const isWhole = dated.length === entries.length;
  await discoverListed(context, dated.reverse(), 'live');
  if (unread > 0) {
    const error = malformed('the feed', `${unread} entries of ${name} name no filing`);
    const { code: reason, message } = error;
    await raiseIndexAlarm(db, { name: asOf, reason, message, at: context.now().toISOString() });
    throw error;
  }
  const read = listingRead(context, newest);
  // What was left out has to be found later in an unchanged feed.
  if (read !== null && isWhole) await saveFeedRead(db, name, read);
}

type FeedContent = ReturnType<typeof parseFeed>;
type Reading = {
  readonly feed: FormModule['feed'];
  readonly asOf: IsoDate;
  readonly newest: FeedContent;
};

/** From the newest page back to known ground or to the end of the feed; `unread` counts what names no filing. */
async function readToKnownGround(context: JobContext, { feed, asOf, newest }: Reading) {
  const known = new Set<Accession>();
  let entries: FeedEntry[] = [];
  let unread = 0;
  let content: FeedContent | null = newest;
  for (let page = 1; content !== null; page++) {
    const listed = accessionsOf(context, content.entries);
    for (const accession of await knownAmong(context.db, listed)) known.add(accession);
    // Never noted, as it does not exist yet (rule 1.3), it would hide the known ground behind it.
    for (const { filedDate, accession } of content.entries) if (filedDate > asOf) known.add(accession);
    unread += content.unread.filter((form) => form === '' || formFor(context.forms, form) !== null).length;
    entries = onePerFiling([...entries, ...content.entries]);
    if (page === MAX_PAGES || content.entryCount < PAGE || content.entries.length === 0) break;
    if (isKnownGround(accessionsOf(context, entries), known)) break;
    const allKnown = listed.length > 0 && listed.every((accession) => known.has(accession));
    const previous = { requested: PAGE, entryCount: content.entryCount, allKnown };
    content = await readPage(context, { ...feed, start: page * (PAGE - OVERLAP), count: PAGE }, previous);
  }
  return { entries, unread };
}

/** Filings of carried forms: a type must match exactly, because EDGAR's own filter is a prefix. */
function accessionsOf({ forms }: JobContext, entries: readonly FeedEntry[]): Accession[] {
  return entries.filter(({ form }) => formFor(forms, form) !== null).map(({ accession }) => accession);
}

/** Null past the end of the feed. */
async function readPage(
  { edgar }: JobContext,
  page: FeedPage,
  previous: PreviousPage,
): Promise<FeedContent | null> {
  try {
    return parseFeed((await edgar.fetchCurrentFeed(page)).bytes);
  } catch (error) {
    if (isEdgarError(error, 'edgar_unavailable') && isPastTheEnd(page.start, previous)) return null;
    throw error;
  }
}

/** What to note of a listing that was read to its end; null where EDGAR gives nothing to compare by. */
export function listingRead({ forms }: JobContext, { url, headers }: Fetched): ListingRead | null {
  if (headers.etag === null && headers.lastModified === null) return null;
  return { url, headers, forms: carriedBy(forms) };
}

/** The earlier read, unless other forms were looked for then. */
export function knownListing({ forms }: JobContext, read: ListingRead | null): ListingRead | null {
  return isDeepStrictEqual(read?.forms, carriedBy(forms)) ? read : null;
}

const carriedBy = (forms: JobContext['forms']): string[] => forms.flatMap(({ carries }) => carries);

/** A filing as a page of the feed or a daily index lists it. */
type ListedFiling = Omit<FoundFiling, 'leg' | 'lane'>;

/**
 * Notes the listed filings of carried forms. New live ones are enqueued at once; the dispatcher enqueues all others,
 * newest first. Those that wait in a less urgent lane move up. Returns how many were listed and noted. A form type
 * must match exactly: EDGAR's own filter is a prefix.
 */
export async function discoverListed(
  context: JobContext,
  listed: readonly ListedFiling[],
  lane: Lane,
): Promise<{ readonly carried: number; readonly added: number }> {
  const { db, forms, producer, now } = context;
  const found = listed.flatMap((filing): FoundFiling[] => {
    const { accession, cik, form, company, filedDate, indexDay } = filing;
    const module = formFor(forms, form);
    const indexed = indexDay === undefined ? {} : { indexDay };
    if (module === null) return [];
    return [{ accession, cik, form, leg: module.leg, company, filedDate, lane, ...indexed }];
  });
  const added = new Set(await discoverFilings(db, found, now()));
  const fresh = found.filter(({ accession }) => lane === 'live' && added.has(accession));
  await producer.enqueueAll(
    fetch,
    fresh.map(({ accession, filedDate }) => ({ accession, filedDate, lane, run: 0 })),
  );
  const known = found.flatMap(({ accession }) => (added.has(accession) ? [] : [accession]));
  for (const { _id, state, filedDate, fence } of await moveFilingsUp(db, known, lane)) {
    const spec = state === 'discovered' ? fetch : parse;
    await producer.moveUp(spec, [{ accession: _id, filedDate, lane, run: Number(fence) }]);
  }
  return { carried: found.length, added: added.size };
}
