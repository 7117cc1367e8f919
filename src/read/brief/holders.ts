import type { Db } from 'mongodb';
import { accessionOf, accessionsOfChanges, evidenceRecords, readingOf } from '../../domain/brief/evidence.ts';
import { bound, holderFacts, type ReadHolders } from '../../domain/brief/holder-facts.ts';
import { ALGORITHM_VERSION } from '../../domain/brief/manifest.ts';
import type { Cusip, Ticker } from '../../domain/ids.ts';
import { evidenceSources } from '../../store/filing/evidence.ts';
import type { Publication } from '../../store/publish/corpus.ts';
import { areKept, saveEvidence } from '../../store/publish/evidence.ts';
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
import { sourcesBehind } from './evidence.ts';

/** Raise it when facts are stored in another shape. */
const SHAPE = 'holder_facts.4';

type Asked = {
  readonly cusip: Cusip;
  readonly publication: Publication;
  /** Of the ticker's holders, read before positions and mappings; null of a ticker that was never invalidated. */
  readonly edition: number | null;
  readonly at: string;
};

/**
 * What the brief of a ticker says of its holders. It is read of all of them after one of their positions
 * changed, and else from what is stored of them, so that a day or a Form 4 costs the same for any number of
 * holders (rule 13.9).
 */
export async function keptHolders(db: Db, ticker: Ticker, asked: Asked): Promise<KnownHolders> {
  const basis = basisOf(asked);
  const stored = await findHolderFacts(db, ticker);
  if (stored?.basis === basis && (await areKept(db, stored.evidence))) return knownHolders(stored);
  const { cusip, publication, at } = asked;
  const { facts: read, evidence } = await readHolders(db, cusip, publication);
  const shown = await evidenceSources(db, accessionsOfChanges(read));
  const sources = new Map([...(await sourcesBehind(db, evidence, stored)), ...shown]);
  const records = evidenceRecords(evidence, sources);
  const known = {
    facts: bound(read, records.map(readingOf)),
    displayed: [...shown.values()],
    evidence: await saveEvidence(db, records),
  };
  if (basis !== null && (await isReached(db, ticker, asked))) {
    await saveHolderFacts(db, ticker, { ...known, basis, at });
  }
  return known;
}

/** The same from the holders alone, and nothing is stored. */
export async function unkeptHolders(db: Db, _ticker: Ticker, asked: Asked): Promise<KnownHolders> {
  const { facts: read, evidence } = await readHolders(db, asked.cusip, asked.publication);
  const accessions = evidence.map(({ evidence_id }) => accessionOf(evidence_id));
  const sources = await evidenceSources(db, accessions);
  const facts = bound(read, evidenceRecords(evidence, sources).map(readingOf));
  return { facts, displayed: [...sources.values()], evidence: [] };
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
