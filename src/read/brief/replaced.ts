import type { Db } from 'mongodb';
import { evidenceIdOf } from '../../domain/brief/evidence.ts';
import {
  type AddedEvidence,
  correctionOf,
  hasSameFacts,
  supersededBy,
} from '../../domain/brief/superseded.ts';
import type { Brief } from '../../domain/wire/brief.ts';
import { reparsedAt } from '../../store/filing/settings.ts';
import { endReplacement, type Replacement } from '../../store/publish/briefs.ts';
import { allEvidence, type EvidencePages } from '../../store/publish/evidence.ts';
import { keepBriefs, noteCorrection } from '../../store/publish/kept-briefs.ts';
import { briefText, evidenceOfBrief, noteSuperseded } from '../../store/publish/stored-briefs.ts';

/**
 * Notes why a brief that is shown replaced another one, and whether it corrects that one (rules 8.9 and 8.10). Until
 * then its ticker says what it replaced, so that a crash in between leaves it to the next build.
 */
export async function noteReplaced(db: Db, replacement: Replacement): Promise<void> {
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
