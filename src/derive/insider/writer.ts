import type { Db } from 'mongodb';
import type { Cik } from '../../domain/ids.ts';
import { allRowsOf, rowIdsOf } from '../../domain/insider/trades.ts';
import { ownershipOfIssuer } from '../../store/filing/filings.ts';
import { requireAsOf } from '../../store/filing/settings.ts';
import { pendingVersion, settleInvalidation } from '../../store/invalidation/invalidations.ts';
import { saveLines } from '../../store/trade/lines.ts';
import { contentOf, NO_CONTENT } from '../../store/trade/trades.ts';
import { saveTrades } from '../../store/trade/writer.ts';

/**
 * Reconciles a pending issuer's forms and stores every transaction row. The version is read before the
 * forms, so a form that arrives meanwhile leaves the issuer pending and it is reconciled again.
 */
export async function reconcileIssuer(db: Db, cik: Cik): Promise<void> {
  const version = await pendingVersion(db, 'insider', cik);
  if (version === null) return;
  const asOf = await requireAsOf(db);
  const filings = await ownershipOfIssuer(db, cik);
  const trades = allRowsOf(filings, asOf);
  // Rows of forms after the as-of date are stored empty until the day comes.
  const contents = new Map(filings.flatMap(rowIdsOf).map((id) => [id, NO_CONTENT]));
  for (const trade of trades) contents.set(trade.id, contentOf(trade));
  await saveLines(db, cik, { trades, version });
  await saveTrades(db, cik, { contents, version });
  await settleInvalidation(db, 'insider', cik, version);
}
