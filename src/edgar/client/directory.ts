import { z } from 'zod';
import { type IsoDate, parseIsoDate } from '../../domain/ids.ts';
import { EdgarError } from '../error.ts';
import { isFailsName, quarterOfSecurityList } from '../urls.ts';

/** EDGAR's directory listing (`index.json`); only the names are read. */
const listing = z.object({ directory: z.object({ item: z.array(z.object({ name: z.string() })) }) });

/** The days that have a master index in a quarter's listing, ascending. */
export function indexDays(json: unknown): readonly IsoDate[] {
  return names(json)
    .flatMap((name) => parseIsoDate(/^master\.(\d{8})\.idx$/.exec(name)?.[1] ?? '') ?? [])
    .sort();
}

/** The years in the listing of the daily index, ascending. */
export function indexYears(json: unknown): readonly number[] {
  return names(json)
    .filter((name) => /^\d{4}$/.test(name))
    .map(Number)
    .sort((a, b) => a - b);
}

/** The fails-to-deliver files in our local EDGAR's listing, ascending. */
export function listedFailsFiles(json: unknown): readonly string[] {
  return names(json).filter(isFailsName).sort();
}

/** The official lists in our local EDGAR's listing, ascending. */
export function listedSecurityLists(json: unknown): readonly string[] {
  return names(json)
    .filter((name) => quarterOfSecurityList(name) !== null)
    .sort();
}

/** Throws `edgar_malformed` (worth a retry: a listing is rewritten while it is read). */
export function parseJson(bytes: Buffer, url: string): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch (cause) {
    throw new EdgarError('edgar_malformed', `not JSON: ${url}`, { retry: true, cause });
  }
}

function names(json: unknown): string[] {
  const parsed = listing.safeParse(json);
  if (parsed.success) return parsed.data.directory.item.map((item) => item.name);
  throw new EdgarError('edgar_malformed', 'a directory listing has an unknown shape', {
    retry: true,
    cause: parsed.error,
  });
}
