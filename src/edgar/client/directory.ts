import { z } from 'zod';
import { type IsoDate, parseIsoDate } from '../../domain/ids.ts';
import { EdgarError } from '../error.ts';

/** EDGAR's directory listing (`index.json`); only the names are read. */
const listing = z.object({ directory: z.object({ item: z.array(z.object({ name: z.string() })) }) });

/** The names of a listing, ascending. Throws `edgar_malformed`, worth a retry: it is rewritten while it is read. */
export function listedNames(bytes: Buffer, url: string): string[] {
  try {
    const { directory } = listing.parse(JSON.parse(bytes.toString('utf8')));
    return directory.item.map(({ name }) => name).sort();
  } catch (cause) {
    const why =
      cause instanceof SyntaxError ? `not JSON: ${url}` : 'a directory listing has an unknown shape';
    throw new EdgarError('edgar_malformed', why, { retry: true, cause });
  }
}

/** The days that have a master index in a quarter's listing. */
export function indexDays(names: readonly string[]): IsoDate[] {
  return names.flatMap((name) => parseIsoDate(/^master\.(\d{8})\.idx$/.exec(name)?.[1] ?? '') ?? []);
}

/** The years in the listing of the daily index. */
export function indexYears(names: readonly string[]): number[] {
  return names.filter((name) => /^\d{4}$/.test(name)).map(Number);
}
