import { z } from 'zod';
import { sourceUrl } from '../../domain/filing/filing.ts';
import type { Cik } from '../../domain/ids.ts';
import { quarterLabel } from '../../domain/quarter.ts';
import type { UnreadReport } from '../../store/filing/failures.ts';
import type { HeaderList } from '../http/base-headers.ts';

/** More pages than any list has, and a bound on how many rows the database skips. */
export const MAX_PAGE = 10_000;

export const pageParam = z.int().min(1).max(MAX_PAGE).default(1).describe('Page, from 1');

export function limitParam(standard: number, max: number): z.ZodDefault<z.ZodInt> {
  return z.int().min(1).max(max).default(standard).describe('Rows on a page');
}

/** Rule 11.1. Empty lists have `pages: 0`. */
export const paginationShape = z.strictObject({
  page: z.int(),
  limit: z.int(),
  total: z.int(),
  pages: z.int(),
});

export type Pagination = z.infer<typeof paginationShape>;

export function paginationOf(page: number, limit: number, total: number): Pagination {
  return { page, limit, total, pages: Math.ceil(total / limit) };
}

/**
 * The `Link` header with first, prev, next and last as absolute addresses (RFC 8288).
 * @param query the valid input without the page: what is absent or false is left out, a list has commas
 */
export function linkHeader(
  address: string,
  query: Readonly<Record<string, unknown>>,
  pagination: Pagination,
): HeaderList {
  const { page, limit, pages } = pagination;
  const last = Math.max(pages, 1);
  const to = (target: number, rel: string): string => {
    const search = new URLSearchParams();
    for (const [name, value] of Object.entries(query)) {
      if (value !== undefined && value !== false) search.set(name, String(value));
    }
    search.set('page', String(target));
    search.set('limit', String(limit));
    return `<${address}?${search}>; rel="${rel}"`;
  };
  const links = [to(1, 'first')];
  if (page > 1) links.push(to(Math.min(page - 1, last), 'prev'));
  if (page < pages) links.push(to(page + 1, 'next'));
  links.push(to(last, 'last'));
  return ['Link', links.join(', ')];
}

/** 13F filings that were filed and cannot be read, so that no reader takes them for missing (rule 8.4). */
export const unreadShape = z.array(
  z.strictObject({
    accession_number: z.string(),
    cik: z.string(),
    form_type: z.string(),
    quarter_end: z.string(),
    filed_at: z.string(),
    source_url: z.string(),
  }),
);

export function unreadItems(filings: readonly UnreadReport[]): z.infer<typeof unreadShape> {
  return filings.map(({ accession, cik, form, quarterEnd, filedDate }) => ({
    accession_number: accession,
    cik,
    form_type: form,
    quarter_end: quarterEnd,
    filed_at: filedDate,
    source_url: sourceUrl(cik, accession),
  }));
}

/** Why nothing of a manager is found that has filed; null where it has not. */
export function unreadMessage(cik: Cik, filings: readonly UnreadReport[]): string | null {
  const named = filings.map((one) => `${one.accession} for ${quarterLabel(one.quarterEnd)}`).join(', ');
  return named === '' ? null : `What CIK ${cik} filed could not be read: ${named}.`;
}
