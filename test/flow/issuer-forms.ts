import type { Db } from 'mongodb';
import { ISSUER } from '../../src/domain/brief/brief.sample.ts';
import type { Ownership } from '../../src/domain/filing/filing.ts';
import type { Cik } from '../../src/domain/ids.ts';
import { type FilingDoc, filingsIn } from '../../src/store/filing/filings.ts';
import { tradesIn } from '../../src/store/trade/trades.ts';

/** Stores a form as parsed, or what it is by now, without what follows from it. */
export async function storeForm(
  db: Db,
  content: Ownership,
  state: FilingDoc['state'] = 'parsed',
  issuerCik: Cik = ISSUER,
): Promise<void> {
  const { accession, filedDate } = content.header;
  const fields = { leg: 'form4', state, issuerCik, filedDate, content, followers: ['insider'] } as const;
  await filingsIn(db).updateOne({ _id: accession }, { $set: fields }, { upsert: true });
}

/** The rows that are listed, of all issuers. */
export async function rowsOf(db: Db) {
  const rows = await tradesIn(db)
    .find({ item: { $ne: null } })
    .sort({ _id: 1 })
    .toArray();
  return rows.map(({ version: _version, ...row }) => row);
}
