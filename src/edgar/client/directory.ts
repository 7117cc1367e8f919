import { z } from 'zod';
import { type IsoDate, isIsoDate } from '../../domain/ids.ts';
import { EdgarError } from '../edgar-error.ts';
import { isFailsName, quarterOfList } from '../urls.ts';

/** EDGAR's directory listing (`index.json`); only the names matter to us. */
const listing = z.object({ directory: z.object({ item: z.array(z.object({ name: z.string() })) }) });

/** The days that have a master index in a quarter's listing, ascending. */
export function indexDays(json: unknown): readonly IsoDate[] {
  return names(json)
    .map((name) => /^master\.(\d{4})(\d{2})(\d{2})\.idx$/.exec(name))
    .map((match) => (match ? `${match[1]}-${match[2]}-${match[3]}` : ''))
    .filter(isIsoDate)
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
export function failsNames(json: unknown): readonly string[] {
  return names(json).filter(isFailsName).sort();
}

/** The official lists in our local EDGAR's listing, ascending. */
export function listNames(json: unknown): readonly string[] {
  return names(json)
    .filter((name) => quarterOfList(name) !== null)
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
  throw new EdgarError('edgar_malformed', 'a directory listing has another shape', {
    retry: true,
    cause: parsed.error,
  });
}
