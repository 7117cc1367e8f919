import type { Db } from 'mongodb';
import type { EvidenceSource } from '../../domain/brief/input.ts';
import type { Accession } from '../../domain/ids.ts';
import { findByIds } from '../mongo/lists.ts';
import { type FilingDoc, filingsIn } from './filings.ts';

const CITED = {
  form: 1,
  leg: 1,
  cik: 1,
  filedDate: 1,
  publishedAt: 1,
  retrievedAt: 1,
  parserVersion: 1,
  parsedRaw: 1,
} as const;

type CitedFiling = Pick<FilingDoc, '_id' | keyof typeof CITED>;

/** The filings as they are read now. An accession that is not stored is left out. */
export async function evidenceSources(
  db: Db,
  accessions: Iterable<Accession>,
): Promise<Map<Accession, EvidenceSource>> {
  const docs: CitedFiling[] = await findByIds(filingsIn(db), accessions, CITED);
  return new Map(docs.map((doc) => [doc._id, evidenceSource(doc)]));
}

/** A filing as a brief cites it. */
export function evidenceSource(doc: CitedFiling): EvidenceSource {
  return {
    accession: doc._id,
    kind: doc.leg === 'thirteen_f' ? 'sec_13f' : 'sec_form4',
    formType: doc.form,
    cik: doc.cik,
    publishedAt: doc.publishedAt ?? { value: doc.filedDate, precision: 'day' },
    retrievedAt: doc.retrievedAt ?? '',
    parserVersion: doc.parserVersion ?? '',
    rawHash: doc.parsedRaw === null ? null : `sha256:${doc.parsedRaw}`,
  };
}
