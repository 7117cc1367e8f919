import type { Db } from 'mongodb';
import type { Cik } from '../../src/domain/ids.ts';
import { NO_CONTENT, rowsOfIssuer, type TradeContent } from '../../src/store/trade/trades.ts';
import { beginRows, endRun, saveRows } from '../../src/store/trade/writer.ts';

type Rows = { readonly contents: ReadonlyMap<string, TradeContent>; readonly version: number };

/** Replaces the issuer's rows by these, as a run over all its forms does. */
export async function saveTrades(db: Db, issuerCik: Cik, { contents, version }: Rows): Promise<void> {
  const begun = await beginRows(db, issuerCik, version);
  if (begun === null) return;
  const known = new Map((await rowsOfIssuer(db, issuerCik)).map((row) => [row._id, row]));
  const gone = [...known.keys()].map((id) => [id, NO_CONTENT] as const);
  await saveRows(db, issuerCik, { contents: new Map([...gone, ...contents]), known, version });
  await endRun(db, issuerCik, begun);
}
