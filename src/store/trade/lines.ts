import type { Db } from 'mongodb';
import { compare } from '../../domain/compare.ts';
import type { Cik } from '../../domain/ids.ts';
import { shareClassReasons } from '../../domain/insider/class.ts';
import type { Trade } from '../../domain/insider/trade.ts';
import type { Reason } from '../../domain/quality/quality.ts';
import type { SecurityResolution } from '../../domain/security/mapping.ts';
import { UNJOURNALED } from '../mongo/write.ts';
import { lineOf } from './trades.ts';
import { type TradeLine, tradeIssuersIn } from './writer.ts';

/**
 * The titles and symbols under which an issuer's trades are reported, each once. Their share class
 * depends on what is known of the ticker today, so it is judged when a list is read.
 */
type Of = {
  readonly trades: readonly Trade[];
  /** Of the run. After a later one has begun nothing is written: that one reads the same forms. */
  readonly version: number;
};

const write = { writeConcern: UNJOURNALED };

/** Replaces the lines of an issuer by those of all its trades. */
export async function saveLines(db: Db, _id: Cik, { trades, version }: Of): Promise<void> {
  await tradeIssuersIn(db).updateOne({ _id, version }, { $set: { lines: linesOf(trades) } }, write);
}

/** Adds the lines of some trades of an issuer. A line that no trade has any more selects none. */
export async function addLines(db: Db, _id: Cik, { trades, version }: Of): Promise<void> {
  const added = { $addToSet: { lines: { $each: linesOf(trades) } } };
  await tradeIssuersIn(db).updateOne({ _id, version }, added, write);
}

function linesOf(trades: readonly Trade[]): TradeLine[] {
  const byLine = new Map(trades.map((trade) => [lineKey(trade), trade] as const));
  return [...byLine]
    .map(([line, { row, filing }]) => ({ line, title: row.securityTitle, symbol: filing.issuer.symbol }))
    .sort((a, b) => compare(a.line, b.line));
}

function lineKey({ row, filing }: Trade): string {
  return lineOf(row.securityTitle, filing.issuer.symbol);
}

/**
 * The reasons of each line that is not clearly of the ticker's own share class, by the rules of the
 * brief's insider leg. `other_share_class` excludes the line's trades.
 */
export async function lineReasons(
  db: Db,
  issuerCik: Cik,
  security: Extract<SecurityResolution, { kind: 'resolved' }>,
): Promise<Map<string, readonly Reason[]>> {
  const doc = await tradeIssuersIn(db).findOne({ _id: issuerCik }, { projection: { lines: 1 } });
  const judged = (doc?.lines ?? []).map(({ line, title, symbol }) => {
    const trade = { row: { securityTitle: title }, filing: { issuer: { symbol } } };
    return [line, shareClassReasons(trade, security)] as const;
  });
  return new Map(judged.filter(([, reasons]) => reasons.length > 0));
}
