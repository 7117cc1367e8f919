import { Readable } from 'node:stream';
import { type Cusip, type IsoDate, isIsoDate, parseCusip } from '../../domain/ids.ts';
import { EdgarError } from '../edgar-error.ts';
import { unzipOne } from './unzip.ts';

/** What one file says about a (CUSIP, symbol): the SEC prints both on a row (rule 3.4). */
export type FailsEntry = {
  readonly cusip: Cusip;
  /** As printed, upper case: class separators are lost (`BRKB`). */
  readonly symbol: string;
  readonly description: string;
  readonly firstSettlement: IsoDate;
  readonly lastSettlement: IsoDate;
  /** Closing price of the day before the last settlement date, decimal string; null when absent. */
  readonly lastPrice: string | null;
};

export type FailsFile = {
  /** Sorted by (cusip, symbol). */
  readonly entries: readonly FailsEntry[];
  readonly rows: number;
  /** Rows that hold no CUSIP, symbol or date. */
  readonly skipped: number;
};

const HEADER = 'SETTLEMENT DATE|CUSIP|SYMBOL|';

/**
 * Reads a fails-to-deliver file, zip or text, line by line. Quotes are plain characters in it.
 * Throws `edgar_malformed` when the header or the trailer is missing or the trailer's count differs.
 */
export async function readFailsFile(bytes: Buffer): Promise<FailsFile> {
  const isZip = bytes.subarray(0, 4).toString('latin1') === 'PK\u0003\u0004';
  const text = isZip ? await unzipOne(bytes, /^cnsfails\d{6}[ab](\.txt)?$/i) : Readable.from([bytes]);
  return parseFails(linesOf(text));
}

/** The same over lines: for callers that have the text. */
export async function parseFails(lines: AsyncIterable<string>): Promise<FailsFile> {
  const entries = new Map<string, FailsEntry>();
  const state = { header: false, trailer: null as number | null, rows: 0, skipped: 0 };
  for await (const line of lines) {
    if (line.trim() === '') continue;
    if (line.startsWith(HEADER)) state.header = true;
    else if (line.startsWith('Trailer')) state.trailer ??= trailerCount(line);
    else {
      state.rows += 1;
      if (!addRow(entries, line.split('|'))) state.skipped += 1;
    }
  }
  if (!state.header) throw malformed('its header is missing');
  if (state.trailer !== state.rows) throw malformed(`${state.rows} rows, the trailer says ${state.trailer}`);
  const sorted = [...entries].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, entry]) => entry);
  return { entries: sorted, rows: state.rows, skipped: state.skipped };
}

function addRow(entries: Map<string, FailsEntry>, fields: readonly string[]): boolean {
  const [day = '', rawCusip = '', rawSymbol = ''] = fields;
  const date = day.trim().replace(/^(\d{4})(\d{2})(\d{2})$/, '$1-$2-$3');
  const cusip = parseCusip(rawCusip);
  const symbol = rawSymbol.trim().toUpperCase();
  if (!isIsoDate(date) || cusip === null || symbol === '') return false;
  const key = `${cusip}|${symbol}`;
  const known = entries.get(key);
  const isLast = !known || date >= known.lastSettlement;
  entries.set(key, {
    cusip,
    symbol,
    description: isLast ? fields.slice(4, -1).join('|').trim() : known.description,
    firstSettlement: known && known.firstSettlement < date ? known.firstSettlement : date,
    lastSettlement: isLast ? date : known.lastSettlement,
    lastPrice: isLast ? (toPrice(fields.at(-1) ?? '') ?? known?.lastPrice ?? null) : known.lastPrice,
  });
  return true;
}

/** A lone dot stands for no price. */
function toPrice(text: string): string | null {
  const price = text.trim();
  return /^\d*\.?\d+$/.test(price) ? price : null;
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
    for (const line of lines) yield line.replace(/\r$/, '');
  }
  yield rest;
}

/**
 * The names that the SEC uses for the half-months between two days, oldest first: `a` covers the
 * 1st to the 15th. The real EDGAR has no listing of them.
 */
export function failsNamesBetween(from: IsoDate, to: IsoDate): readonly string[] {
  const names: string[] = [];
  const half = (day: IsoDate): number =>
    Number(day.slice(0, 4)) * 24 + (Number(day.slice(5, 7)) - 1) * 2 + (Number(day.slice(8)) > 15 ? 1 : 0);
  for (let at = half(from); at <= half(to); at += 1) {
    const month = String((Math.floor(at / 2) % 12) + 1).padStart(2, '0');
    names.push(`cnsfails${Math.floor(at / 24)}${month}${at % 2 === 0 ? 'a' : 'b'}.zip`);
  }
  return names;
}

function malformed(why: string): EdgarError {
  return new EdgarError('edgar_malformed', `the fails-to-deliver file cannot be read: ${why}`, {
    retry: true,
  });
}
