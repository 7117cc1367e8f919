import { fetch } from '../queues/fetch.ts';
import { formFor } from '../src/forms/index.ts';
import { discoverFilings, type FoundFiling } from '../src/store/filing/claims.ts';
import type { JobContext } from './worker/context.ts';

/** A filing as a page of the feed or a daily index lists it. */
export type ListedFiling = Omit<FoundFiling, 'leg'>;

/**
 * Notes the listed filings of carried forms and enqueues those that were not known before, `room` of
 * them at most. Returns how many were listed and noted. A form type must match exactly: EDGAR's own
 * filter is a prefix.
 */
export async function discoverListed(
  { db, forms, producer, now }: JobContext,
  listed: readonly ListedFiling[],
  room = Number.POSITIVE_INFINITY,
): Promise<{ readonly carried: number; readonly added: number }> {
  const found = listed.flatMap((filing): FoundFiling[] => {
    const { accession, cik, form, company, filedDate, indexDay } = filing;
    const module = formFor(forms, form);
    const indexed = indexDay === undefined ? {} : { indexDay };
    return module === null ? [] : [{ accession, cik, form, leg: module.leg, company, filedDate, ...indexed }];
  });
  const added = new Set(await discoverFilings(db, found, now()));
  const fresh = found.filter(({ accession }) => added.has(accession)).slice(0, room);
  await producer.enqueueAll(
    fetch,
    fresh.map(({ accession, filedDate }) => ({ accession, filedDate, run: 0 })),
  );
  return { carried: found.length, added: added.size };
}
