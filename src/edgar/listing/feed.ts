import { SaxesParser } from 'saxes';
import { type Accession, parseAccession, parseCik, parseIsoDate } from '../../domain/ids.ts';
import { malformed } from '../error.ts';

/**
 * EDGAR prints one entry for each co-registrant of a filing, with its role. A filing is listed under the
 * first of these, in whichever order the feed names the parties.
 */
const ROLES = ['Issuer', 'Filer', 'Subject', 'Reporting', 'Filed by', 'Other'] as const;
export type FeedRole = (typeof ROLES)[number];

const MAX_DEPTH = 16;

/** Parses one page of `getcurrent`. Throws `edgar_malformed`. */
export function parseFeed(bytes: Buffer) {
  const raw = readEntries(decodeFeed(bytes));
  const entries = raw.map(toEntry).filter((entry) => entry !== null);
  const best = new Map<Accession, NonNullable<ReturnType<typeof toEntry>>>();
  for (const entry of entries) {
    const known = best.get(entry.accession);
    if (!known || ROLES.indexOf(entry.role) < ROLES.indexOf(known.role)) best.set(entry.accession, entry);
  }
  return {
    /** One per accession, in the order of the feed (newest first). */
    entries: [...best.values()],
    /** Entries before deduplication: fewer than requested means the last page. */
    entryCount: raw.length,
  };
}

/**
 * Past the end EDGAR answers 503 with an HTML page, as it does in an outage. It counts as the end only
 * after a first page, when the page before was short or held nothing new (rule 10.4).
 */
export function isPastTheEnd(start: number, previous: PreviousPage | null): boolean {
  if (start === 0 || previous === null) return false;
  return previous.entryCount < previous.requested || previous.allKnown;
}

export type PreviousPage = {
  readonly requested: number;
  readonly entryCount: number;
  readonly allKnown: boolean;
};

type RawEntry = { title: string; summary: string; id: string; term: string };

function toEntry(raw: RawEntry) {
  const accession = parseAccession(/accession-number=([\d-]+)/.exec(raw.id)?.[1] ?? '');
  const title = /^\S+(?: \S+)?? - (.*) \((\d{1,10})\) \(([^()]+)\)$/s.exec(raw.title.trim());
  const cik = parseCik(title?.[2] ?? '');
  if (accession === null || title === null || cik === null || raw.term === '') return null;
  return {
    accession,
    cik,
    /** The exact category, e.g. `13F-HR/A`. */
    form: raw.term,
    company: title[1] ?? '',
    role: ROLES.find((role) => role === title[3]?.trim()) ?? 'Other',
    filedDate: parseIsoDate(/\d{4}-\d{2}-\d{2}/.exec(raw.summary)?.[0] ?? ''),
  };
}

function readEntries(xml: string): RawEntry[] {
  const entries: RawEntry[] = [];
  let entry: RawEntry | null = null;
  const path: string[] = [];
  const parser = new SaxesParser();
  parser.on('doctype', () => parser.fail('a DOCTYPE is refused'));
  parser.on('error', (cause) => {
    throw malformed('the feed', cause.message, cause);
  });
  parser.on('opentag', (tag) => {
    if (path.push(tag.name) > MAX_DEPTH) throw malformed('the feed', 'nested too deeply');
    if (tag.name === 'entry') entry = { title: '', summary: '', id: '', term: '' };
    if (tag.name === 'category' && entry) entry.term = String(tag.attributes['term'] ?? '');
  });
  parser.on('text', (text) => {
    const name = path.at(-1);
    if (entry === null || path.at(-2) !== 'entry') return;
    if (name === 'title' || name === 'summary' || name === 'id') entry[name] += text;
  });
  parser.on('closetag', () => {
    if (path.pop() === 'entry' && entry) {
      entries.push(entry);
      entry = null;
    }
  });
  parser.write(xml).close();
  if (!/<feed[\s>]/.test(xml.slice(0, 1_024))) throw malformed('the feed', 'the root is not a feed');
  return entries;
}

/** Decodes by the declaration, which is ISO-8859-1; never replaces a character. */
function decodeFeed(bytes: Buffer): string {
  const declared = /^<\?xml[^>]*encoding="([^"]+)"/i.exec(bytes.toString('latin1', 0, 128))?.[1] ?? 'utf-8';
  try {
    return new TextDecoder(declared, { fatal: true }).decode(bytes);
  } catch (cause) {
    throw malformed('the feed', `not ${declared}`, cause);
  }
}
