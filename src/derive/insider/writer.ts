import type { Db } from 'mongodb';
import type { Cik } from '../../domain/ids.ts';
import { allRowsOf } from '../../domain/insider/trades.ts';
import { requireAsOf } from '../../store/filing/settings.ts';
import { pendingFilings, settleFilings } from '../../store/invalidation/named-filings.ts';
import { addLines, saveLines } from '../../store/trade/lines.ts';
import { contentOf, NO_CONTENT } from '../../store/trade/trades.ts';
import { beginRows, endRun, saveRows } from '../../store/trade/writer.ts';
import { allRows, rowsAround } from './issuer-rows.ts';

/**
 * Reconciles the changed forms of a pending issuer with those that they are compared with, or all of its forms
 * where any may have changed, and stores the transaction rows. The version is read before the forms: a form that
 * arrives during the work leaves the issuer pending, and it is reconciled again.
 */
export async function reconcileIssuer(db: Db, cik: Cik): Promise<void> {
  const pending = await pendingFilings(db, cik);
  if (pending === null) return;
  const { version, filings } = pending;
  const asOf = await requireAsOf(db);
  const begun = await beginRows(db, cik, version);
  if (begun !== null) {
    const found = filings === null ? await allRows(db, cik) : await rowsAround(db, cik, filings);
    const trades = allRowsOf(found.forms, asOf).filter(({ id }) => found.ids.has(id));
    // Rows of forms after the as-of date are stored empty until the day comes.
    const contents = new Map([...found.ids].map((id) => [id, NO_CONTENT]));
    for (const trade of trades) contents.set(trade.id, contentOf(trade));
    await (filings === null ? saveLines : addLines)(db, cik, { trades, version });
    await saveRows(db, cik, { contents, known: found.known, version });
    await endRun(db, cik, begun);
  }
  await settleFilings(db, cik, version);
}
