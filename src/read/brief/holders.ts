import type { Db } from 'mongodb';
import type { Reading } from '../../domain/brief/content-id.ts';
import { accessionOf, accessionsOfChanges, evidenceRecords, readingOf } from '../../domain/brief/evidence.ts';
import { type EvidenceRows, holderFacts } from '../../domain/brief/holder-facts.ts';
import type { EvidenceSource } from '../../domain/brief/input.ts';
import { ALGORITHM_VERSION } from '../../domain/brief/manifest.ts';
import { PARSER_OF_13F } from '../../domain/filing/filing.ts';
import { linkedCusips } from '../../domain/holders/former-cusips.ts';
import type { Accession, Cusip, Ticker } from '../../domain/ids.ts';
import { datedChanges } from '../../domain/peers/security-at-quarter.ts';
import { evidenceSources } from '../../store/filing/evidence.ts';
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
import type { LatestActions } from '../holders/security-history.ts';
import { unreadSince } from '../holders/unread.ts';

/** Raise it when facts are stored in another shape. */
const SHAPE = 'holder_facts.5';

type Asked = {
  readonly cusip: Cusip;
  readonly publication: Publication;
  readonly actions: LatestActions;
  /** Of the ticker's holders, read before positions and mappings; null of a ticker that was never invalidated. */
  readonly edition: number | null;
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
  const { facts, evidence, own } = await readHolders(db, asked);
  const shown = await sourcesAmong(db, accessionsOfChanges(facts), own);
  const last = stored === null ? [] : await lastSources(db, stored.evidence);
  const sources = await sourcesAmong(db, accessionsOf(evidence), new Map([...last, ...own, ...shown]));
  const records = evidenceRecords(evidence, sources);
  const known = { facts, displayed: [...shown.values()], evidence: await saveEvidence(db, records) };
  if (basis !== null && (await isReached(db, ticker, asked))) {
    await saveHolderFacts(db, ticker, { ...known, basis });
  }
  return { ...known, readings: records.map(readingOf) };
}

/** The same from the holders alone, and nothing is stored. */
export async function unkeptHolders(db: Db, _ticker: Ticker, asked: Asked): Promise<LoadedHolders> {
  const { facts, evidence, own } = await readHolders(db, asked);
  const sources = await sourcesAmong(db, accessionsOf(evidence), own);
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

/** `own`: the filings of their reports, as these were read. */
async function readHolders(db: Db, { cusip, publication, actions }: Asked) {
  const { state } = publication.corpus;
  const read = await observationsOf(db, cusip, { state, actions });
  const { counted: observations, cusips, reports, ...rest } = read;
  const unread = await unreadSince(db, publication, { cusips, late: rest.late });
  const filed = reports.flatMap(({ evidence }) => evidence);
  return {
    ...holderFacts({ latest: state.latestReportedQuarterEnd, observations, unread, ...rest }),
    own: new Map(filed.map((source) => [source.accession, source])),
  };
}

/** Whether each change of a position in the security, under any of its CUSIPs, reaches the ticker. */
async function isReached(db: Db, ticker: Ticker, { cusip, actions }: Asked): Promise<boolean> {
  const changes = datedChanges(await actions()).map(({ change }) => change);
  return (await symbolsOfCusips(db, linkedCusips([cusip], changes))).includes(ticker);
}

const accessionsOf = (behind: readonly EvidenceRows[]): Accession[] =>
  behind.map(({ evidence_id }) => accessionOf(evidence_id));

type Sources = ReadonlyMap<Accession, EvidenceSource>;

/** The filings as they are read now. One that is not stored is left out. */
export async function sourcesAmong(
  db: Db,
  accessions: readonly Accession[],
  known: Sources,
): Promise<Sources> {
  const missing = accessions.filter((accession) => !known.has(accession));
  const all = new Map([...known, ...(await evidenceSources(db, missing))]);
  const found = accessions.flatMap((accession) => all.get(accession) ?? []);
  return new Map(found.map((source) => [source.accession, source]));
}

/**
 * The filings behind the holders of a ticker as they were read the last time: for 6,000 holders these are 12,000. Left
 * out is what may be read otherwise now, or was when a report that had not followed yet said so: what another parser
 * read, and what was imported without its bytes.
 */
export async function lastSources(db: Db, evidence: EvidencePages): Promise<Sources> {
  const records = (await allEvidence(db, evidence)).filter(
    ({ parserVersion }) => parserVersion === PARSER_OF_13F,
  );
  return new Map(records.map((record) => [record.accession, record]));
}
