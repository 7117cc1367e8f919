import { getDocumentProxy } from 'unpdf';
import type { QuarterEnd } from '../../domain/ids.ts';
import { isPlausibleList, type ListedSecurity, type SecurityList } from '../../domain/security/listed.ts';
import { inflatesBeyond } from './pdf-streams.ts';
import { readListPage } from './security-list-page.ts';
import { listRowsOfText } from './security-list-text.ts';

export type ListTask = { readonly bytes: Uint8Array; readonly quarterEnd: QuarterEnd };
export type ListOutcome =
  | { readonly ok: true; readonly list: SecurityList }
  | { readonly ok: false; readonly why: string };

/** The list of 2026Q2 has 748 pages. */
const MAX_PAGES = 3_000;
const MAX_ROWS = 250_000;

/** Runs in a worker thread. An unreadable file is an outcome, because error classes do not cross threads. */
export async function readListInThread(task: ListTask): Promise<ListOutcome> {
  const isPdf = Buffer.from(task.bytes.subarray(0, 5)).toString('latin1') === '%PDF-';
  const read = isPdf ? await readPdf(task) : readText(task);
  if (typeof read === 'string') return { ok: false, why: read };
  if (!isPlausibleList(read)) return { ok: false, why: 'its CUSIPs fail their check digits' };
  return { ok: true, list: { quarterEnd: task.quarterEnd, rows: read } };
}

/** The rows, or the reason why there are none. */
type Read = readonly ListedSecurity[] | string;

function readText({ bytes }: ListTask): Read {
  return listRowsOfText(Buffer.from(bytes).toString('latin1')) ?? 'it is not the fixed-width text edition';
}

async function readPdf({ bytes, quarterEnd }: ListTask): Promise<Read> {
  if (inflatesBeyond(bytes)) return 'it inflates to more than any list';
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
