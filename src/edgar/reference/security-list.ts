import type { QuarterEnd } from '../../domain/ids.ts';
import { isPlausibleList, type ListedSecurity, type SecurityList } from '../../domain/security/listed.ts';
import { malformed } from '../error.ts';
import { quarterOfSecurityList } from '../urls.ts';
import { hasOtherFilter, inflatesBeyond } from './pdf-streams.ts';
import { readListPage } from './security-list-page.ts';
import { listRowsOfText } from './security-list-text.ts';

/** The list of 2026Q2 has 748 pages. */
const MAX_PAGES = 3_000;
const MAX_ROWS = 250_000;

/**
 * Reads an Official List of Section 13(f) Securities, PDF or text. Its name (`13flist2018q3.pdf`) gives
 * the quarter. Throws `edgar_malformed` for a file that cannot be read as a whole. The PDF reader has no
 * limits of its own: see `readBounded`.
 */
export async function readSecurityList(name: string, bytes: Buffer): Promise<SecurityList> {
  const quarterEnd = quarterOfSecurityList(name);
  if (quarterEnd === null) throw malformed(name, 'its name has no quarter');
  const isPdf = bytes.toString('latin1', 0, 5) === '%PDF-';
  const rows = isPdf ? await readPdf(bytes, quarterEnd) : readText(bytes);
  if (typeof rows === 'string') throw malformed(name, rows);
  if (!isPlausibleList(rows)) throw malformed(name, 'its CUSIPs fail their check digits');
  return { quarterEnd, rows };
}

/** The rows, or the reason why there are none. */
type Read = readonly ListedSecurity[] | string;

function readText(bytes: Buffer): Read {
  return listRowsOfText(bytes.toString('latin1')) ?? 'it is not the fixed-width text edition';
}

async function readPdf(bytes: Buffer, quarterEnd: QuarterEnd): Promise<Read> {
  if (hasOtherFilter(bytes)) return 'it has a filter that no list has';
  if (inflatesBeyond(bytes)) return 'it inflates to more than any list';
  // Loaded for a PDF only: it takes half a second.
  const { getDocumentProxy } = await import('unpdf');
  // The reader takes ownership of the memory, so it gets a copy.
  const pdf = await getDocumentProxy(new Uint8Array(bytes), { verbosity: 0 }).catch(() => null);
  if (pdf === null) return 'it is not a PDF that can be opened';
  if (pdf.numPages > MAX_PAGES) return `it has ${pdf.numPages} pages`;
  const rows: ListedSecurity[] = [];
  let total: number | null = null;
  for (let number = 1; number <= pdf.numPages; number += 1) {
    const page = await pdf.getPage(number);
    const { items } = await page.getTextContent();
    const runs = items.flatMap((item) =>
      'str' in item ? [{ x: item.transform[4], y: item.transform[5], text: item.str }] : [],
    );
    const read = readListPage(runs);
    page.cleanup();
    if (read.quarterEnd !== null && read.quarterEnd !== quarterEnd)
      return `its pages are of ${read.quarterEnd}`;
    rows.push(...read.rows);
    if (rows.length > MAX_ROWS) return 'it has more rows than any list';
    total = read.total ?? total;
  }
  // A list without its last pages would silently hold less.
  return total === rows.length ? rows : `${rows.length} rows, it counts ${total ?? 'none'}`;
}
