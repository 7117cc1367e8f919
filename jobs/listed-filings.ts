import { isDeepStrictEqual } from 'node:util';
import { fetch, parse } from '../queues/filings.ts';
import type { Lane } from '../src/domain/filing/lane.ts';
import type { Fetched } from '../src/edgar/client/open.ts';
import { formFor } from '../src/forms/index.ts';
import { discoverFilings, type FoundFiling, moveFilingsUp } from '../src/store/filing/claims.ts';
import type { ListingRead } from '../src/store/filing/settings.ts';
import type { JobContext } from './worker/context.ts';

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
export type ListedFiling = Omit<FoundFiling, 'leg' | 'lane'>;

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
