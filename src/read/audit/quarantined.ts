import type { Db } from 'mongodb';
import { filingsIn } from '../../store/filing/filings.ts';
import type { Audit } from './shape.ts';

type Group = Audit['quarantined'][number];

/** Of every quarter and ticker: what a filing that could not be read is of, nobody knows. */
export async function auditQuarantined(db: Db, limit: number): Promise<Group[]> {
  const groups = new Map<string, Group>();
  const docs = filingsIn(db)
    .find({ state: 'quarantined' }, { projection: { form: 1, quarantine: 1 } })
    .sort({ _id: 1 });
  for await (const { _id, form, quarantine } of docs) {
    const { code, reason } = quarantine ?? { code: 'unknown', reason: '' };
    const group = groups.get(code) ?? { code, filings: 0, examples: [] };
    groups.set(code, group);
    group.filings += 1;
    if (group.examples.length < limit) group.examples.push({ accession_number: _id, form, reason });
  }
  return [...groups.values()].sort((a, b) => b.filings - a.filings || (a.code < b.code ? -1 : 1));
}
