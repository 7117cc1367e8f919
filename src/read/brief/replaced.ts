import type { Db } from 'mongodb';
import { evidenceIdOf } from '../../domain/brief/evidence.ts';
import {
  type AddedEvidence,
  correctionOf,
  hasSameFacts,
  type Superseded,
  supersededBy,
} from '../../domain/brief/superseded.ts';
import type { Ticker } from '../../domain/ids.ts';
import type { Brief } from '../../domain/wire/brief.ts';
import { reparsedAt } from '../../store/filing/settings.ts';
import { type ShownBefore, shownBrief } from '../../store/publish/briefs.ts';
import { allEvidence, type EvidencePages } from '../../store/publish/evidence.ts';
import {
  type Corrected,
  dropCorrection,
  keepBriefs,
  noteCorrection,
} from '../../store/publish/kept-briefs.ts';
import {
  briefText,
  dropSuperseded,
  evidenceOfBrief,
  expectSuperseded,
  noteSuperseded,
} from '../../store/publish/stored-briefs.ts';

/** A brief with all its evidence. */
type Proven = { readonly brief: Brief; readonly evidence: EvidencePages };

/** A brief that another one of its ticker replaces, and what is noted of it. */
type Replaced = {
  readonly from: string;
  readonly superseded: Superseded;
  readonly correction: Corrected | null;
};

/**
 * Notes why the brief replaces the one that its ticker shows, and whether it corrects it (rules 8.9 and
 * 8.10). Call it before the brief is shown, so that a crash in between loses neither, and then
 * {@link noteReplaced} or {@link dropReplaced}. Null where the ticker shows no other brief.
 */
export async function expectReplaced(db: Db, ticker: Ticker, built: Proven): Promise<Replaced | null> {
  const last = await shownBrief(db, ticker);
  if (last === null || last.briefId === built.brief.brief_id) return null;
  const replaced = await replacedBy(db, { built, last });
  if (replaced === null) return null;
  await expectSuperseded(db, replaced.from, replaced.superseded);
  await noteCorrected(db, replaced);
  return replaced;
}

type Replacing = {
  readonly built: Proven;
  /** What it replaces. */
  readonly last: ShownBefore;
};

/**
 * Notes it once the brief is shown: another run that built one of the same ticker may have shown it meanwhile,
 * noted its own, or taken this note back.
 */
export async function noteReplaced(db: Db, replacing: Replacing, expected: Replaced | null): Promise<void> {
  const isExpected = expected?.from === replacing.last.briefId;
  const replaced = isExpected ? expected : await replacedBy(db, replacing);
  if (replaced !== null) await note(db, replaced);
}

/** Takes it back: the ticker shows a later brief. That may be the same one, which another run built. */
export async function dropReplaced(db: Db, ticker: Ticker, replaced: Replaced): Promise<void> {
  const { by } = replaced.superseded;
  if (replaced.correction !== null) await dropCorrection(db, by);
  await dropSuperseded(db, replaced.from, by);
  if ((await shownBrief(db, ticker))?.briefId === by) await note(db, replaced);
}

async function replacedBy(db: Db, { built, last }: Replacing): Promise<Replaced | null> {
  const { brief, evidence } = built;
  const from = last.briefId;
  const text = await briefText(db, from);
  if (text === null) return null;
  const before = (JSON.parse(text) as { data: Brief }).data;
  const reparsed = await reparsedAt(db);
  const correction = correctionOf(before, brief, reparsed !== null && reparsed >= last.at);
  const isNews = correction === null && !hasSameFacts(before, brief);
  const added = isNews ? await addedEvidence(db, from, evidence) : [];
  return {
    from,
    superseded: supersededBy(before, brief, { correction, added }),
    correction: correction && { from, at: brief.generated_at, ...correction },
  };
}

async function note(db: Db, replaced: Replaced): Promise<void> {
  await noteSuperseded(db, replaced.from, replaced.superseded);
  await noteCorrected(db, replaced);
}

async function noteCorrected(db: Db, { from, superseded, correction }: Replaced): Promise<void> {
  if (correction === null) return;
  await keepBriefs(db, [from, superseded.by]);
  await noteCorrection(db, superseded.by, correction);
}

/** Pages that both briefs have are not read: they differ in few. */
async function addedEvidence(db: Db, from: string, evidence: EvidencePages): Promise<AddedEvidence[]> {
  const before = (await evidenceOfBrief(db, from))?.evidence ?? [];
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
