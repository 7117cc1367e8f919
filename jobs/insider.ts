import { allRowsOf, rowIdsOf } from '../src/domain/insider/trades.ts';
import { ownershipOfIssuer } from '../src/store/filing/filings.ts';
import { requireAsOf } from '../src/store/filing/settings.ts';
import { pendingVersion, settleInvalidation } from '../src/store/invalidation/invalidations.ts';
import { saveLines } from '../src/store/trade/lines.ts';
import { contentOf, NO_CONTENT } from '../src/store/trade/trades.ts';
import { saveTrades } from '../src/store/trade/writer.ts';
import type { Job } from './worker/context.ts';

/**
 * Reconciles an issuer's forms and stores every transaction row. The version is read before the
 * forms, so a form that arrives meanwhile leaves the issuer pending and it is reconciled again.
 */
export const insider: Job<'insider'> = async ({ db }, { cik }) => {
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
};
