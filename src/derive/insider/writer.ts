import type { Db } from 'mongodb';
import type { Cik, IsoDate } from '../../domain/ids.ts';
import { allRowsOf } from '../../domain/insider/trades.ts';
import { requireAsOf } from '../../store/filing/settings.ts';
import {
  type PendingFilings,
  pendingFilings,
  settleFilings,
} from '../../store/invalidation/named-filings.ts';
import { saveLines } from '../../store/trade/lines.ts';
import { endRuns } from '../../store/trade/run.ts';
import { contentOf, NO_CONTENT } from '../../store/trade/trades.ts';
import { beginRows, saveRows } from '../../store/trade/writer.ts';
import { allRows, type IssuerRows, rowsAround } from './issuer-rows.ts';

/** {@link reconcileIssuers} of one. */
export const reconcileIssuer = (db: Db, cik: Cik): Promise<void> => reconcileIssuers(db, [cik]);

/**
 * Reconciles the changed forms of pending issuers with those that they are compared with, or all forms of an issuer
 * where any may have changed, and stores the transaction rows, with a few commands for all. Versions are read before the
 * forms, so a form that arrives meanwhile leaves its issuer pending and it is reconciled again.
 */
export async function reconcileIssuers(db: Db, ciks: readonly Cik[]): Promise<void> {
  const pending = await pendingFilings(db, ciks);
  if (pending.size === 0) return;
  const asOf = await requireAsOf(db);
  const versions = new Map([...pending].map(([cik, { version }]) => [cik, version]));
  const begun = await beginRows(db, versions);
  const running = new Map([...pending].filter(([cik]) => begun.has(cik)));
  const found = await rowsOfPending(db, running);
  const issuers = [...running].flatMap(([cik, of]) => {
    const rows = found.get(cik);
    return rows === undefined ? [] : [reconciled(cik, of, { rows, asOf })];
  });
  await saveLines(db, issuers);
  await saveRows(db, issuers);
  await endRuns(db, begun);
  await settleFilings(db, versions);
}

type Pending = ReadonlyMap<Cik, PendingFilings>;

async function rowsOfPending(db: Db, pending: Pending): Promise<Map<Cik, IssuerRows>> {
  const whole = [...pending].flatMap(([cik, { filings }]) => (filings === null ? [cik] : []));
  const found = await allRows(db, whole);
  for (const [cik, { filings }] of pending) {
    if (filings !== null) found.set(cik, await rowsAround(db, cik, filings));
  }
  return found;
}

type Found = { readonly rows: IssuerRows; readonly asOf: IsoDate };

/** What is to be stored of an issuer. Rows of forms after the as-of date are stored empty until the day comes. */
function reconciled(issuerCik: Cik, { version, filings }: PendingFilings, { rows, asOf }: Found) {
  const { forms, ids, known } = rows;
  const trades = allRowsOf(forms, asOf).filter(({ id }) => ids.has(id));
  const contents = new Map([...ids].map((id) => [id, NO_CONTENT]));
  for (const trade of trades) contents.set(trade.id, contentOf(trade));
  return { issuerCik, version, trades, contents, known, isWhole: filings === null };
}
