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
const NUMBER = /(?<!\d)\d{10}-?\d{2}-?\d{6}(?!\d)/;
/** So many known filings in a row end the reading of the feed. */
const KNOWN_GROUND = 30;

/** Parses one page of `getcurrent`. Throws `edgar_malformed`. */
export function parseFeed(bytes: Buffer) {
  const raw = readEntries(decodeFeed(bytes));
  return {
    entries: onePerFiling(raw.flatMap((entry) => toEntry(entry) ?? [])),
    /** The forms of entries that lack a number, a party or a date; empty for one without a form. */
    unread: raw.filter((entry) => toEntry(entry) === null).map(({ term }) => term),
    /** Entries before deduplication: fewer than requested means the last page. */
    entryCount: raw.length,
  };
}

/**
 * One entry per accession, in the order of the feed (newest first): the issuer's or the filer's where
 * there is one, because its CIK is the one in the archive path. The entries of a filing may stand on
 * different pages.
 */
export function onePerFiling(entries: readonly FeedEntry[]): FeedEntry[] {
  const best = new Map<Accession, FeedEntry>();
  for (const entry of entries) {
    const known = best.get(entry.accession);
    if (!known || ROLES.indexOf(entry.role) < ROLES.indexOf(known.role)) best.set(entry.accession, entry);
  }
  return [...best.values()];
}

/**
 * True when the oldest filings read so far are all stored already. One known filing proves nothing:
 * the daily index may have named it, and EDGAR lists filings out of order (rule 10.4).
 * @param listed accessions of carried forms, newest first
 */
export function isKnownGround(listed: readonly Accession[], known: ReadonlySet<Accession>): boolean {
  const oldest = listed.slice(-KNOWN_GROUND);
  return oldest.length === KNOWN_GROUND && oldest.every((accession) => known.has(accession));
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

export type FeedEntry = NonNullable<ReturnType<typeof toEntry>>;

type RawEntry = { title: string; summary: string; id: string; link: string; term: string };

function toEntry(raw: RawEntry) {
  const accession = accessionIn([raw.id, raw.link, raw.summary]);
  const filedDate = parseIsoDate(/(?<!\d)\d{4}-\d{2}-\d{2}(?!\d)/.exec(raw.summary)?.[0] ?? '');
  const title = /^\S+(?: \S+)?? - (.*) \((\d{1,10})\) \(([^()]+)\)$/s.exec(raw.title.trim());
  const cik = parseCik(title?.[2] ?? '');
  if (accession === null || title === null || cik === null || raw.term === '' || filedDate === null)
    return null;
  return {
    accession,
    cik,
    /** The exact category, e.g. `13F-HR/A`. */
    form: raw.term,
    company: title[1] ?? '',
    role: ROLES.find((role) => role === title[3]?.trim()) ?? 'Other',
    filedDate,
  };
}

/** The number that two of the texts name, else the first one: an id may have other digits. */
function accessionIn(texts: readonly string[]): Accession | null {
  const named = texts.flatMap((text) => parseAccession(NUMBER.exec(text)?.[0] ?? '') ?? []);
  return named.find((one, at) => named.indexOf(one) < at) ?? named[0] ?? null;
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
    if (tag.name === 'entry') entry = { title: '', summary: '', id: '', link: '', term: '' };
    if (tag.name === 'category' && entry) entry.term ||= String(tag.attributes['term'] ?? '');
    if (tag.name === 'link' && entry) entry.link += ` ${tag.attributes['href'] ?? ''}`;
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
