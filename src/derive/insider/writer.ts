import type { Db } from 'mongodb';
import type { Cik } from '../../domain/ids.ts';
import { allRowsOf, rowIdsOf } from '../../domain/insider/trades.ts';
import { ownershipOfIssuer } from '../../store/filing/filings.ts';
import { requireAsOf } from '../../store/filing/settings.ts';
import { saveLines } from '../../store/trade/lines.ts';
import { contentOf, NO_CONTENT } from '../../store/trade/trades.ts';
import { saveTrades } from '../../store/trade/writer.ts';

/**
 * Reconciles an issuer's forms and stores every transaction row under a version that was read before: a
 * form that arrives meanwhile gets a later one.
 */
export async function reconcileIssuer(db: Db, cik: Cik, version: number): Promise<void> {
  const asOf = await requireAsOf(db);
  const filings = await ownershipOfIssuer(db, cik);
  const trades = allRowsOf(filings, asOf);
  // Rows of forms after the as-of date are stored empty until the day comes.
  const contents = new Map(filings.flatMap(rowIdsOf).map((id) => [id, NO_CONTENT]));
  for (const trade of trades) contents.set(trade.id, contentOf(trade));
  await saveLines(db, cik, { trades, version });
  await saveTrades(db, cik, { contents, version });
}
