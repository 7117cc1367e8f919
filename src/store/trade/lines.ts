import { type Collection, type Db, MongoServerError } from 'mongodb';
import type { Cik } from '../../domain/ids.ts';
import { shareClassReasons } from '../../domain/insider/class.ts';
import type { Trade } from '../../domain/insider/trade.ts';
import type { Reason } from '../../domain/quality/quality.ts';
import type { SecurityResolution } from '../../domain/security/resolution.ts';
import { UNJOURNALED } from '../mongo/insert-new.ts';
import { lineOf } from './trades.ts';

/**
 * The titles and symbols under which an issuer's trades are reported, each once. What share class
 * they mean depends on what is known of the ticker today, so that is judged when a list is asked for.
 */
type LinesDoc = { _id: Cik; version: number; lines: Line[] };

type Line = { readonly line: string; readonly title: string; readonly symbol: string };

const DUPLICATE_KEY = 11000;

function linesIn(db: Db): Collection<LinesDoc> {
  return db.collection<LinesDoc>('trade_lines');
}

/** Replaces the lines of an issuer unless a later version has. */
export async function saveLines(
  db: Db,
  issuerCik: Cik,
  { trades, version }: { trades: readonly Trade[]; version: number },
): Promise<void> {
  const lines = new Map(trades.map((trade) => [lineKey(trade), trade] as const));
  const stored = [...lines]
    .map(([line, { row, filing }]) => ({ line, title: row.securityTitle, symbol: filing.issuer.symbol }))
    .sort((a, b) => (a.line < b.line ? -1 : 1));
  try {
    await linesIn(db).updateOne(
      { _id: issuerCik, version: { $lte: version } },
      { $set: { version, lines: stored } },
      { upsert: true, writeConcern: UNJOURNALED },
    );
  } catch (error) {
    if (!(error instanceof MongoServerError) || error.code !== DUPLICATE_KEY) throw error;
  }
}

function lineKey({ row, filing }: Trade): string {
  return lineOf(row.securityTitle, filing.issuer.symbol);
}

type Resolved = Extract<SecurityResolution, { kind: 'resolved' }>;

/**
 * For each line of the issuer that is not plainly of the ticker's own share class: why, by the rules
 * of the brief's insider leg. `other_share_class` means that its trades are left out.
 */
export async function lineReasons(
  db: Db,
  issuerCik: Cik,
  security: Resolved,
): Promise<Map<string, readonly Reason[]>> {
  const doc = await linesIn(db).findOne({ _id: issuerCik });
  const judged = (doc?.lines ?? []).map(({ line, title, symbol }) => {
    const mark = { row: { securityTitle: title }, filing: { issuer: { symbol } } };
    return [line, shareClassReasons(mark, security)] as const;
  });
  return new Map(judged.filter(([, reasons]) => reasons.length > 0));
}
