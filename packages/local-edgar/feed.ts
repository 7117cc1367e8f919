import { Temporal } from 'temporal-polyfill';
import type { LocalFiling } from './scan.ts';

/** EDGAR offers these page sizes, and its feed covers about two days. */
const COUNTS = [10, 20, 40, 80, 100];
const NEWEST = 5_000;

type FeedQuery = ReturnType<typeof readFeedQuery>;

export function readFeedQuery(query: URLSearchParams) {
  const count = Number(query.get('count') ?? 40);
  const owner = query.get('owner');
  return {
    /** A prefix, as on EDGAR; empty for every form. */
    type: query.get('type') ?? '',
    owner: owner === 'exclude' || owner === 'only' ? owner : ('include' as const),
    start: Math.max(0, Math.trunc(Number(query.get('start') ?? 0)) || 0),
    count: COUNTS.includes(count) ? count : 40,
  };
}

/**
 * One page of an Atom feed in the shape of EDGAR's `getcurrent`: newest first, one entry for each
 * co-registrant. Null past the end: EDGAR answers 503 there.
 */
export function renderFeed(filings: readonly LocalFiling[], query: FeedQuery): string | null {
  const entries = filings
    .filter((filing) => filing.form.startsWith(query.type) && matchesOwner(filing.form, query.owner))
    .flatMap(renderEntries)
    .slice(0, NEWEST);
  if (query.start > 0 && query.start >= entries.length) return null;
  const newest = filings[0];
  const updated = newest ? timeOf(newest) : '2000-01-01T00:00:00-05:00';
  return [
    '<?xml version="1.0" encoding="ISO-8859-1" ?>',
    '<feed xmlns="http://www.w3.org/2005/Atom">',
    '<title>Latest Filings - a local selection of EDGAR filings</title>',
    '<link rel="alternate" href="/cgi-bin/browse-edgar?action=getcurrent"/>',
    '<id>https://www.sec.gov/cgi-bin/browse-edgar?action=getcurrent</id>',
    `<updated>${updated}</updated>`,
    ...entries.slice(query.start, query.start + query.count),
    '</feed>',
    '',
  ].join('\n');
}

function matchesOwner(form: string, owner: FeedQuery['owner']): boolean {
  return owner === 'include' || /^[345](\/A)?$/.test(form) === (owner === 'only');
}

function renderEntries(filing: LocalFiling): string[] {
  const { accession, form } = filing;
  return filing.parties.map((party) => {
    const folder = `${BigInt(party.cik)}/${accession.replaceAll('-', '')}`;
    return [
      '<entry>',
      `<title>${escapeXml(form)} - ${escapeXml(party.name)} (${party.cik}) (${party.role})</title>`,
      `<link rel="alternate" type="text/html" href="https://www.sec.gov/Archives/edgar/data/${folder}/${accession}-index.htm"/>`,
      '<summary type="html">',
      ` &lt;b&gt;Filed:&lt;/b&gt; ${filing.filedDate} &lt;b&gt;AccNo:&lt;/b&gt; ${accession} &lt;b&gt;Size:&lt;/b&gt; ${Math.ceil(filing.bytes / 1_024)} KB`,
      '</summary>',
      `<updated>${timeOf(filing)}</updated>`,
      `<category scheme="https://www.sec.gov/" label="form type" term="${escapeXml(form)}"/>`,
      `<id>urn:tag:sec.gov,2008:accession-number=${accession}</id>`,
      '</entry>',
    ].join('\n');
  });
}

/** With its Eastern offset, as EDGAR prints it; midnight for a filing without an acceptance time. */
function timeOf(filing: LocalFiling): string {
  const digits = filing.acceptance ?? `${filing.filedDate.replaceAll('-', '')}000000`;
  const local = digits.replace(/^(\d{4})(\d{2})(\d{2})(\d{2})(\d{2})(\d{2})$/, '$1-$2-$3T$4:$5:$6');
  const zoned = Temporal.PlainDateTime.from(local).toZonedDateTime('America/New_York');
  return `${local}${zoned.offset}`;
}

/** The feed is ISO-8859-1: any other character becomes a reference. */
function escapeXml(text: string): string {
  return text
    .replace(/&/g, '&amp;')
    .replace(/</g, '&lt;')
    .replace(/>/g, '&gt;')
    .replace(/"/g, '&quot;')
    .replace(/[\u0080-\uffff]/g, (character) => `&#${character.charCodeAt(0)};`);
}
