import { gzipSync } from 'node:zlib';
import type { Db } from 'mongodb';
import { buildBrief, buildWithEvidence } from '../../domain/brief/brief.ts';
import { evidenceIdOf, evidenceRecords } from '../../domain/brief/evidence.ts';
import { NO_HOLDERS } from '../../domain/brief/holder-facts.ts';
import type { BriefInput } from '../../domain/brief/input.ts';
import { windowOf } from '../../domain/brief/insider-leg.ts';
import { ALGORITHM_VERSION, summaryOf } from '../../domain/brief/manifest.ts';
import {
  type AddedEvidence,
  correctionOf,
  hasSameFacts,
  supersededBy,
} from '../../domain/brief/superseded.ts';
import { LAST_LANE, type Lane } from '../../domain/filing/lane.ts';
import type { Cik, IsoDate, Ticker } from '../../domain/ids.ts';
import { NO_PRICES } from '../../domain/insider/price.ts';
import type { Brief } from '../../domain/wire/brief.ts';
import { evidenceSource } from '../../store/filing/evidence.ts';
import { unreadForms } from '../../store/filing/failures.ts';
import { type FilingDoc, filingsIn, form4Of } from '../../store/filing/filings.ts';
import { reparsedAt } from '../../store/filing/settings.ts';
import { knownVersion } from '../../store/invalidation/invalidation.ts';
import { holdersEdition } from '../../store/invalidation/left-to-readers.ts';
import { keepBriefs, noteCorrection, type StoredBrief, saveBrief } from '../../store/publish/briefs.ts';
import type { Publication } from '../../store/publish/corpus.ts';
import {
  briefText,
  endReplacement,
  evidenceOfBrief,
  findBrief,
  noteAsked,
  noteSuperseded,
  type Replacement,
  readBrief,
  setCurrentBrief,
} from '../../store/publish/current-briefs.ts';
import { allEvidence, type EvidencePages, saveEvidence } from '../../store/publish/evidence.ts';
import { requireCorpus, resolveIn } from '../holders/resolution.ts';
import { latestActions } from '../holders/security-history.ts';
import { pricesOfWindow } from '../trade/prices.ts';
import { keptHolders, type LoadedHolders, unkeptHolders } from './holders.ts';

/** Of a security without a CUSIP, whose 13F rows cannot be matched. */
const NOBODY: LoadedHolders = { facts: NO_HOLDERS, displayed: [], evidence: [], readings: [] };

/**
 * The current brief of a ticker. The first reader after a publication has it built and kept, and so has the
 * first one after a change that was left to readers (rule 13.7). One that
 * nothing was ever filed about is computed for each call and not stored, because any caller could fill
 * the store: the ticker is unknown (`no_data`) or ambiguous (`refused`).
 */
export async function currentBrief(db: Db, ticker: Ticker, now: () => Date): Promise<StoredBrief> {
  const at = now().toISOString();
  await noteAsked(db, ticker, at);
  const shown = await readBrief(db, ticker);
  if (shown !== null) return shown;
  const version = await knownVersion(db, 'brief', ticker);
  if (version !== null) {
    const { brief } = await showBrief(db, ticker, { version, at, askedAt: at });
    // A worker that built it at the same time did not know of this reader.
    await noteAsked(db, ticker, at);
    return brief;
  }
  const brief = buildBrief(await loadBriefInput(db, ticker, at));
  const body = Buffer.from(JSON.stringify({ data: brief }));
  return { briefId: brief.brief_id, body, gzip: gzipSync(body), mayExpire: false };
}

type BuiltFor = {
  /** Of the ticker's invalidation, read before. */
  readonly version: number;
  readonly at: string;
  /** Of the change that it is built for; absent for a reader. */
  readonly lane?: Lane;
  readonly askedAt?: string;
};

/** Builds the brief of the published corpus, stores it, and shows it unless a later one is shown. */
export async function showBrief(db: Db, ticker: Ticker, builtFor: BuiltFor) {
  const { version, lane = LAST_LANE, ...times } = builtFor;
  // Read before the inputs: a brief never counts for a later publication than it was built from.
  const publication = await requireCorpus(db);
  const { input, holders } = await loadBrief(db, publication, {
    ticker,
    at: times.at,
    holdersOf: keptHolders,
  });
  const { brief, forms } = buildWithEvidence(input);
  const { brief_id: briefId, institutional } = brief;
  const body = Buffer.from(JSON.stringify({ data: brief }));
  const ofForms = await saveEvidence(db, evidenceRecords(forms, input.evidence));
  const evidence = [...holders.evidence, ...ofForms];
  const stored = { _id: briefId, ticker, body, evidence, generatedAt: times.at };
  const saved = await saveBrief(db, { ...stored, summary: summaryOf(brief) });
  const shown = await setCurrentBrief(db, {
    _id: ticker,
    briefId,
    ...{ version, lane, corpus: publication.briefVersion, algorithm: ALGORITHM_VERSION },
    ...times,
    managersObserved: institutional.tracked_managers_observed,
  });
  for (const replacement of shown.replacements) await noteReplaced(db, replacement);
  return { ...shown, brief: saved };
}

/**
 * Loads what the brief of a ticker is computed from, on the published as-of date and corpus: its holders
 * from all their positions. Throws `corpus_unpublished` (retryable, 503) before the first publication.
 */
export async function loadBriefInput(db: Db, ticker: Ticker, generatedAt: string): Promise<BriefInput> {
  const publication = await requireCorpus(db);
  return (await loadBrief(db, publication, { ticker, at: generatedAt, holdersOf: unkeptHolders })).input;
}

type Loading = {
  readonly ticker: Ticker;
  readonly at: string;
  readonly holdersOf: typeof keptHolders;
};

async function loadBrief(db: Db, publication: Publication, { ticker, at, holdersOf }: Loading) {
  // Read before what is filed: what is read under an edition is not older than it.
  const edition = await holdersEdition(db, ticker);
  const { asOf, state } = publication.corpus;
  const actions = latestActions(db, state.latestReportedQuarterEnd);
  const resolution = await resolveIn(db, ticker, { publication, actions });
  const resolved = resolution.kind === 'resolved' ? resolution : null;
  const [cusip, issuerCik] = [resolved?.cusip ?? null, resolved?.issuerCik ?? null];
  const [holders, forms, unread] = await Promise.all([
    cusip === null ? NOBODY : holdersOf(db, ticker, { cusip, publication, actions, edition }),
    issuerCik === null ? [] : ownershipOf(db, issuerCik, asOf),
    issuerCik === null ? [] : unreadForms(db, { issuerCik }, { since: windowOf(asOf).start, asOf }),
  ]);
  const hasForms = issuerCik !== null && forms.length > 0;
  const sources = [...holders.displayed, ...forms.map(evidenceSource)];
  const input: BriefInput = {
    requestedTicker: ticker,
    asOf,
    generatedAt: at,
    resolution,
    corpus: state,
    holders: holders.facts,
    holderReadings: holders.readings,
    ownershipFilings: forms.flatMap((doc) => form4Of(doc) ?? []),
    unreadForms: unread,
    issuerPrices: hasForms ? await pricesOfWindow(db, issuerCik, asOf) : NO_PRICES,
    evidence: new Map(sources.map((source) => [source.accession, source])),
  };
  return { input, holders };
}

/** A trade in the window was filed in it: no filing is older than what it reports. */
async function ownershipOf(db: Db, issuerCik: Cik, asOf: IsoDate): Promise<FilingDoc[]> {
  const from = windowOf(asOf).start;
  return filingsIn(db)
    .find({ issuerCik, filedDate: { $gte: from, $lte: asOf }, state: 'parsed', leg: 'form4' })
    .toArray();
}

/** {@link findBrief} for a reader, who may come back for it: it is kept from now on (rule 13.8). */
export async function answerStored(db: Db, briefId: string) {
  const found = await findBrief(db, briefId);
  if (found?.brief.mayExpire) await keepBriefs(db, [briefId]);
  return found;
}

/** The evidence of a stored brief, for a reader as {@link answerStored}; null when the brief is not stored. */
export async function answerEvidence(db: Db, briefId: string): Promise<EvidencePages | null> {
  const found = await evidenceOfBrief(db, briefId);
  if (found?.kept === false) await keepBriefs(db, [briefId]);
  return found?.evidence ?? null;
}

/**
 * Notes why a brief that is shown replaced another one, and whether it corrects that one (rules 8.9 and 8.10). Until
 * then its ticker says what it replaced, so that a crash in between leaves it to the next build.
 */
async function noteReplaced(db: Db, replacement: Replacement): Promise<void> {
  const { from, by } = replacement;
  const [before, after] = [await briefOf(db, from.briefId), await briefOf(db, by)];
  if (before !== null && after !== null) {
    const reparsed = await reparsedAt(db);
    const correction = correctionOf(before, after, reparsed !== null && reparsed >= from.at);
    const isNews = correction === null && !hasSameFacts(before, after);
    const added = isNews ? await addedEvidence(db, from.briefId, by) : [];
    await noteSuperseded(db, from.briefId, supersededBy(before, after, { correction, added }));
    if (correction !== null) {
      await keepBriefs(db, [from.briefId, by]);
      await noteCorrection(db, by, { from: from.briefId, at: after.generated_at, ...correction });
    }
  }
  await endReplacement(db, replacement);
}

async function briefOf(db: Db, briefId: string): Promise<Brief | null> {
  const text = await briefText(db, briefId);
  return text === null ? null : (JSON.parse(text) as { data: Brief }).data;
}

/** Pages that both briefs have are not read: they differ in few. */
async function addedEvidence(db: Db, from: string, by: string): Promise<AddedEvidence[]> {
  const before = (await evidenceOfBrief(db, from))?.evidence ?? [];
  const evidence = (await evidenceOfBrief(db, by))?.evidence ?? [];
  const earlier = await allEvidence(db, pagesBesides(before, evidence));
  const known = new Set(earlier.map(({ accession }) => accession));
  const later = await allEvidence(db, pagesBesides(evidence, before));
  return later
    .filter(({ accession }) => !known.has(accession))
    .map((record) => ({ evidenceId: evidenceIdOf(record), isAmendment: record.formType.endsWith('/A') }));
}

function pagesBesides(pages: EvidencePages, others: EvidencePages): EvidencePages {
  const known = new Set(others.map(({ digest }) => digest));
  return pages.filter(({ digest }) => !known.has(digest));
}
