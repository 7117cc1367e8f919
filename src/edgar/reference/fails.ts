import { on } from 'node:events';
import { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { fromBuffer, type Options, type Entry as ZipEntry, type ZipFile } from 'yauzl';
import { compare } from '../../domain/compare.ts';
import { type IsoDate, parseCusip, parseIsoDate } from '../../domain/ids.ts';
import { halfMonths } from '../../domain/market/half-months.ts';
import type { PricedSecurity } from '../../domain/market/market.ts';
import { EdgarError, malformed } from '../error.ts';

/**
 * What one file says about a CUSIP and a symbol, which the SEC prints on one row (rule 3.4), with its daily prices
 * (rule 4.6). The symbol is as printed, upper case: class separators are lost (`BRKB`). The name is that of the last day.
 */
export type FailsEntry = PricedSecurity & {
  readonly firstSettlement: IsoDate;
  readonly lastSettlement: IsoDate;
};

const HEADER = 'SETTLEMENT DATE|CUSIP|SYMBOL|';
/** Characters. A real row has some 100. */
const MAX_LINE = 4_096;
/** Of the file as it is sent. A real one has less than 1 MB. */
const MAX_BYTES = 32 * 2 ** 20;
/** A real file has at most some 70,000. */
const MAX_ROWS = 250_000;
/** Dollars a share. Berkshire's class A is below. */
const MAX_PRICE = 10_000_000;

/**
 * Reads a fails-to-deliver file, zip or text, line by line. Quotes are plain characters in it. Returns
 * one entry for a CUSIP and symbol, sorted by both; rows without a CUSIP, symbol or date are skipped.
 * Throws `edgar_malformed` when the header or the trailer is missing, the trailer's count differs, or
 * the file is damaged anywhere.
 */
export async function readFailsFile(bytes: Buffer): Promise<readonly FailsEntry[]> {
  try {
    return await readWhole(bytes);
  } catch (cause) {
    // A damaged zip shows while its entry is read: cut or flipped bytes, or another size than it declares.
    if (cause instanceof EdgarError) throw cause;
    throw damaged(cause instanceof Error ? cause.message : String(cause), cause);
  }
}

const damaged = (why: string, cause?: unknown): EdgarError =>
  malformed('the fails-to-deliver file', why, cause);

async function readWhole(bytes: Buffer): Promise<readonly FailsEntry[]> {
  if (bytes.length > MAX_BYTES) throw damaged(`${bytes.length} bytes are more than any such file has`);
  const isZip = bytes.subarray(0, 4).toString('latin1') === 'PK\u0003\u0004';
  const text = isZip ? await unzipOne(bytes, /^cnsfails\d{6}[ab](\.txt)?$/i) : Readable.from([bytes]);
  const entries = new Map<string, Entry>();
  let hasHeader = false;
  let counted: number | null = null;
  let rows = 0;
  for await (const line of linesOf(text)) {
    if (line.trim() === '') continue;
    if (line.startsWith(HEADER)) hasHeader = true;
    else if (line.startsWith('Trailer')) counted ??= trailerCount(line);
    else {
      rows += 1;
      if (rows > MAX_ROWS) throw damaged('it has more rows than any such file');
      addRow(entries, line.split('|'), rows);
    }
  }
  if (!hasHeader) throw damaged('its header is missing');
  if (counted !== rows) throw damaged(`${rows} rows, the trailer says ${counted}`);
  return [...entries].sort(([a], [b]) => compare(a, b)).map(([, entry]) => entry);
}

type Entry = { -readonly [Field in keyof FailsEntry]: FailsEntry[Field] } & Record<
  'days' | 'prices' | 'rows',
  number[]
>;

function addRow(entries: Map<string, Entry>, fields: readonly string[], row: number): void {
  const [day = '', rawCusip = '', rawSymbol = ''] = fields;
  const date = parseIsoDate(day);
  const cusip = parseCusip(rawCusip);
  const symbol = rawSymbol.trim().toUpperCase();
  if (date === null || cusip === null || symbol === '') return;
  const key = `${cusip}|${symbol}`;
  const known = entries.get(key);
  const name = fields.slice(4, -1).join('|').trim();
  const lists = { days: [], prices: [], rows: [] };
  const entry = known ?? { cusip, symbol, name, firstSettlement: date, lastSettlement: date, ...lists };
  if (known === undefined) entries.set(key, entry);
  if (date < entry.firstSettlement) entry.firstSettlement = date;
  if (date >= entry.lastSettlement) [entry.lastSettlement, entry.name] = [date, name];
  const price = Number(fields.at(-1));
  if (!(price > 0 && price < MAX_PRICE)) return;
  entry.days.push(Number(day));
  entry.prices.push(price);
  entry.rows.push(row);
}

function trailerCount(line: string): number | null {
  const match = /record count\s+(\d+)/i.exec(line);
  return match ? Number(match[1]) : null;
}

async function* linesOf(text: AsyncIterable<Buffer>): AsyncGenerator<string> {
  let rest = '';
  for await (const chunk of text) {
    const lines = (rest + chunk.toString('latin1')).split('\n');
    rest = lines.pop() ?? '';
    // Ahead of the next piece: joining a line without an end again and again is quadratic.
    if (rest.length > MAX_LINE) throw damaged('it has a longer line than any such file');
    for (const line of lines) yield line.replace(/\r$/, '');
  }
  yield rest;
}

/** The names of the files between two days, oldest first. The real EDGAR has no listing of them. */
export function failsNamesBetween(from: IsoDate, to: IsoDate): readonly string[] {
  return halfMonths({ from, through: to }).map(({ name }) => name);
}

/** A half-month of fails is about 4 MB of text. yauzl ends a stream that gives more than its entry declares. */
const MAX_UNZIPPED_BYTES = 256 * 2 ** 20;

/**
 * The text of the first entry whose name matches, as a stream. yauzl refuses encrypted entries and
 * wrong sizes; an entry that declares too much is refused here. Throws `edgar_malformed`.
 */
export async function unzipOne(bytes: Buffer, name: RegExp): Promise<Readable> {
  try {
    const zip = await promisify<Buffer, Options, ZipFile>(fromBuffer)(bytes, { lazyEntries: true });
    const entry = await findEntry(zip, name);
    if (entry.uncompressedSize > MAX_UNZIPPED_BYTES) throw new Error('it inflates to more than allowed');
    return await promisify<ZipEntry, Readable>(zip.openReadStream.bind(zip))(entry);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw malformed('the zip', why, cause);
  }
}

async function findEntry(zip: ZipFile, name: RegExp): Promise<ZipEntry> {
  const entries = on(zip, 'entry', { close: ['end'] }) as AsyncIterable<[ZipEntry]>;
  zip.readEntry();
  for await (const [entry] of entries) {
    if (name.test(entry.fileName)) return entry;
    zip.readEntry();
  }
  throw new Error('no such entry in it');
}
