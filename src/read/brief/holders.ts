import type { Db } from 'mongodb';
import type { Reading } from '../../domain/brief/content-id.ts';
import { accessionOf, accessionsOfChanges, evidenceRecords, readingOf } from '../../domain/brief/evidence.ts';
import { type EvidenceRows, holderFacts, type ReadHolders } from '../../domain/brief/holder-facts.ts';
import type { EvidenceSource } from '../../domain/brief/input.ts';
import { ALGORITHM_VERSION } from '../../domain/brief/manifest.ts';
import type { Accession, Cusip, Ticker } from '../../domain/ids.ts';
import { evidenceSources } from '../../store/filing/evidence.ts';
import { reparsedAt } from '../../store/filing/settings.ts';
import type { Publication } from '../../store/publish/corpus.ts';
import { allEvidence, areKept, type EvidencePages, saveEvidence } from '../../store/publish/evidence.ts';
import {
  findHolderFacts,
  type KnownHolders,
  knownHolders,
  saveHolderFacts,
} from '../../store/publish/holder-facts.ts';
import { symbolsOfCusips } from '../../store/security/securities.ts';
import { observationsOf } from '../holders/observations.ts';
import { relatedUpTo } from '../holders/security-history.ts';
import { unreadSince } from '../holders/unread.ts';

/** Raise it when facts are stored in another shape. */
const SHAPE = 'holder_facts.5';

type Asked = {
  readonly cusip: Cusip;
  readonly publication: Publication;
  /** Of the ticker's holders, read before positions and mappings; null of a ticker that was never invalidated. */
  readonly edition: number | null;
  readonly at: string;
};

/** `readings`: of all evidence of the holders, in the order of its ids. */
export type LoadedHolders = KnownHolders & { readonly readings: readonly Reading[] };

/**
 * What the brief of a ticker says of its holders. It is read of all of them after one of their positions
 * changed, and else from what is stored of them, so that a day or a Form 4 reads no holder again (rule 13.9).
 */
export async function keptHolders(db: Db, ticker: Ticker, asked: Asked): Promise<LoadedHolders> {
  const basis = basisOf(asked);
  const stored = await findHolderFacts(db, ticker);
  if (stored?.basis === basis && (await areKept(db, stored.evidence))) {
    const readings = (await allEvidence(db, stored.evidence)).map(readingOf);
    return { ...knownHolders(stored), readings };
  }
  const { cusip, publication, at } = asked;
  const { facts, evidence } = await readHolders(db, cusip, publication);
  const shown = await evidenceSources(db, accessionsOfChanges(facts));
  const sources = new Map([...(await sourcesBehind(db, evidence, stored)), ...shown]);
  const records = evidenceRecords(evidence, sources);
  const known = { facts, displayed: [...shown.values()], evidence: await saveEvidence(db, records) };
  if (basis !== null && (await isReached(db, ticker, asked))) {
    await saveHolderFacts(db, ticker, { ...known, basis, at });
  }
  return { ...known, readings: records.map(readingOf) };
}

/** The same from the holders alone, and nothing is stored. */
export async function unkeptHolders(db: Db, _ticker: Ticker, asked: Asked): Promise<LoadedHolders> {
  const { facts, evidence } = await readHolders(db, asked.cusip, asked.publication);
  const accessions = evidence.map(({ evidence_id }) => accessionOf(evidence_id));
  const sources = await evidenceSources(db, accessions);
  const readings = evidenceRecords(evidence, sources).map(readingOf);
  return { facts, displayed: [...sources.values()], evidence: [], readings };
}

/**
 * All that facts depend on, besides the positions whose changes raise the edition. Null where nothing would
 * raise it.
 */
function basisOf({ cusip, publication, edition }: Asked): string | null {
  if (edition === null) return null;
  const { latestReportedQuarterEnd: latest, filingWindow, quarantined } = publication.corpus.state;
  const { withdrawals } = publication;
  const reported = [latest, filingWindow, quarantined.digest ?? ''];
  return [SHAPE, ALGORITHM_VERSION, cusip, ...reported, edition, withdrawals].join('|');
}

async function readHolders(db: Db, cusip: Cusip, publication: Publication): Promise<ReadHolders> {
  const { state } = publication.corpus;
  const { counted: observations, cusips, ...rest } = await observationsOf(db, cusip, state);
  const unread = await unreadSince(db, publication, { cusips, late: rest.late });
  return holderFacts({ latest: state.latestReportedQuarterEnd, observations, unread, ...rest });
}

/** Whether each change of a position in the security, under any of its CUSIPs, reaches the ticker. */
async function isReached(db: Db, ticker: Ticker, { cusip, publication }: Asked): Promise<boolean> {
  const related = await relatedUpTo(db, publication.corpus.state.latestReportedQuarterEnd, [cusip]);
  return (await symbolsOfCusips(db, related)).includes(ticker);
}

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
