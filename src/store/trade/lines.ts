import type { Db } from 'mongodb';
import { compare } from '../../domain/compare.ts';
import type { Cik } from '../../domain/ids.ts';
import { shareClassReasons } from '../../domain/insider/class.ts';
import type { Trade } from '../../domain/insider/trade.ts';
import type { Reason } from '../../domain/quality/quality.ts';
import type { SecurityResolution } from '../../domain/security/resolution.ts';
import { replaceUnlessNewer, UNJOURNALED } from '../mongo/write.ts';
import { lineOf } from './trades.ts';

/**
 * The titles and symbols under which an issuer's trades are reported, each once. Their share class
 * depends on what is known of the ticker today, so it is judged when a list is read.
 */
type LinesDoc = { _id: Cik; version: number; lines: Line[] };

type Line = { readonly line: string; readonly title: string; readonly symbol: string };

const linesIn = (db: Db) => db.collection<LinesDoc>('trade_lines');

type Of = { readonly trades: readonly Trade[]; readonly version: number };

/** Replaces the lines of an issuer by those of all its trades, unless a later version is stored. */
export async function saveLines(db: Db, issuerCik: Cik, { trades, version }: Of): Promise<void> {
  await replaceUnlessNewer(linesIn(db), { _id: issuerCik, version, lines: linesOf(trades) }, UNJOURNALED);
}

/** Adds the lines of some trades of an issuer whose lines are stored. A line that no trade has any more selects none. */
export async function addLines(db: Db, issuerCik: Cik, { trades, version }: Of): Promise<void> {
  await linesIn(db).updateOne(
    { _id: issuerCik },
    { $max: { version }, $addToSet: { lines: { $each: linesOf(trades) } } },
    { writeConcern: UNJOURNALED },
  );
}

function linesOf(trades: readonly Trade[]): Line[] {
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
  const doc = await linesIn(db).findOne({ _id: issuerCik });
  const judged = (doc?.lines ?? []).map(({ line, title, symbol }) => {
    const trade = { row: { securityTitle: title }, filing: { issuer: { symbol } } };
    return [line, shareClassReasons(trade, security)] as const;
  });
  return new Map(judged.filter(([, reasons]) => reasons.length > 0));
}
