import type { Db } from 'mongodb';
import { accessionOf } from '../../domain/brief/evidence.ts';
import type { EvidenceRows } from '../../domain/brief/holder-facts.ts';
import type { EvidenceSource } from '../../domain/brief/input.ts';
import type { Accession } from '../../domain/ids.ts';
import { evidenceSources } from '../../store/filing/evidence.ts';
import { reparsedAt } from '../../store/filing/settings.ts';
import { allEvidence, type EvidencePages } from '../../store/publish/evidence.ts';

/** What was read of a ticker's holders last, and when. */
type Last = { readonly evidence: EvidencePages; readonly at: string };

/**
 * Every filing behind the holders of a ticker as it is read now. For 6,000 holders these are 12,000 filings,
 * so those of the last time are not read again, unless stored filings were parsed again since. A filing
 * imported without its bytes is read each time: its document may have replaced it.
 */
export async function sourcesBehind(db: Db, behind: readonly EvidenceRows[], last: Last | null) {
  const known = new Map(last === null ? [] : await sourcesOf(db, last));
  const missing = behind
    .map(({ evidence_id }) => accessionOf(evidence_id))
    .filter((accession) => !known.has(accession));
  return new Map([...known, ...(await evidenceSources(db, missing))]);
}

async function sourcesOf(db: Db, { evidence, at }: Last): Promise<[Accession, EvidenceSource][]> {
  const reparsed = await reparsedAt(db);
  if (reparsed !== null && reparsed >= at) return [];
  const records = (await allEvidence(db, evidence)).filter(({ rawHash }) => rawHash !== null);
  return records.map((record) => [record.accession, record]);
}
