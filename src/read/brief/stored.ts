import type { Db } from 'mongodb';
import type { EvidencePages } from '../../store/publish/evidence.ts';
import { keepBriefs } from '../../store/publish/kept-briefs.ts';
import { evidenceOfBrief, findBrief } from '../../store/publish/stored-briefs.ts';

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
