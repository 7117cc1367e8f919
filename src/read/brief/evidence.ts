import type { Db } from 'mongodb';
import type { EvidenceRows } from '../../domain/brief/cited.ts';
import { accessionOf, evidenceRecords } from '../../domain/brief/evidence.ts';
import type { EvidenceSource } from '../../domain/brief/input.ts';
import type { Accession, Ticker } from '../../domain/ids.ts';
import { evidenceSources } from '../../store/filing/evidence.ts';
import { reparsedAt } from '../../store/filing/settings.ts';
import { allEvidence, type EvidencePages, saveEvidence } from '../../store/publish/evidence.ts';
import { lastBriefEvidence } from '../../store/publish/stored-briefs.ts';

type Built = {
  readonly behind: readonly EvidenceRows[];
  /** The filings that were read for the brief. */
  readonly loaded: ReadonlyMap<Accession, EvidenceSource>;
};

/**
 * Stores every filing behind a brief as it is read now. For a security with 6,000 holders these are
 * 12,000 filings, so those of the ticker's last brief are not read again, unless stored filings were
 * parsed again since. A filing imported without its bytes is read each time: its document may have
 * replaced it.
 */
export async function keepEvidence(
  db: Db,
  ticker: Ticker,
  { behind, loaded }: Built,
): Promise<EvidencePages> {
  const sources = new Map([...(await sourcesOfLastBrief(db, ticker)), ...loaded]);
  const accessions = behind.map(({ evidence_id }) => accessionOf(evidence_id));
  const fresh = await evidenceSources(
    db,
    accessions.filter((accession) => !sources.has(accession)),
  );
  return saveEvidence(db, evidenceRecords(behind, new Map([...sources, ...fresh])));
}

async function sourcesOfLastBrief(db: Db, ticker: Ticker): Promise<[Accession, EvidenceSource][]> {
  const last = await lastBriefEvidence(db, ticker);
  if (last === null) return [];
  const reparsed = await reparsedAt(db);
  if (reparsed !== null && reparsed >= last.generatedAt) return [];
  const read = (await allEvidence(db, last.evidence)).filter(({ rawHash }) => rawHash !== null);
  return read.map((record) => [record.accession, record]);
}
