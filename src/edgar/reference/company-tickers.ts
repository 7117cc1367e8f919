import { z } from 'zod';
import { parseCik, parseTicker } from '../../domain/ids.ts';
import { type EdgarError, malformed } from '../error.ts';

/** Of a company's name. */
const MAX_NAME = 1_000;
/** The real files have 1 MB. */
const MAX_BYTES = 16 * 2 ** 20;

const cik = z.union([z.number().int(), z.string()]);
const plain = z.record(
  z.string(),
  z.object({ cik_str: cik, ticker: z.string(), title: z.string().max(MAX_NAME) }),
);
const withExchange = z.object({ fields: z.array(z.string()), data: z.array(z.array(z.unknown())) });
const row = z.object({
  cik,
  name: z.string().max(MAX_NAME),
  ticker: z.string(),
  exchange: z.string().nullable(),
});

/**
 * Reads `company_tickers.json` or `company_tickers_exchange.json`, in the order of the file: the
 * first row of a CIK is its primary ticker. Rows with a null exchange are skipped: a symbol from before
 * a listing may be reused (rule 3.4). So are rows whose symbol cannot be a ticker.
 * Throws `edgar_malformed`.
 */
export function parseCompanyTickers(bytes: Buffer) {
  const json = parse(bytes);
  const listed = withExchange.safeParse(json);
  if (listed.success) return fromTable(listed.data);
  const mapped = plain.safeParse(json);
  if (!mapped.success) throw unreadable('it has another shape', mapped.error);
  return Object.values(mapped.data)
    .map((entry) => toRow({ cik: entry.cik_str, ticker: entry.ticker, name: entry.title, exchange: null }))
    .filter((entry) => entry !== null);
}

function fromTable(table: z.infer<typeof withExchange>) {
  return table.data
    .map((values) => row.safeParse(Object.fromEntries(table.fields.map((field, i) => [field, values[i]]))))
    .map((entry) => (entry.success && entry.data.exchange !== null ? toRow(entry.data) : null))
    .filter((entry) => entry !== null);
}

/** The exchange is null in `company_tickers.json`, which does not name it. */
function toRow(entry: z.infer<typeof row>) {
  const parsedCik = parseCik(String(entry.cik));
  const ticker = parseTicker(entry.ticker);
  if (parsedCik === null || ticker === null) return null;
  return { cik: parsedCik, ticker, name: entry.name, exchange: entry.exchange };
}

function parse(bytes: Buffer): unknown {
  if (bytes.length > MAX_BYTES) throw unreadable(`${bytes.length} bytes are more than it has`);
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch (cause) {
    throw unreadable('it is no JSON', cause);
  }
}

function unreadable(why: string, cause?: unknown): EdgarError {
  return malformed('the company tickers file', why, cause);
}
