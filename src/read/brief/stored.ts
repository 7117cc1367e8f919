import type { Db } from 'mongodb';
import { keepBriefs } from '../../store/publish/kept-briefs.ts';
import { findBrief } from '../../store/publish/stored-briefs.ts';

/** {@link findBrief} for a reader, who may come back for it: it is kept from now on (rule 13.8). */
export async function answerStored(db: Db, briefId: string) {
  const found = await findBrief(db, briefId);
  if (found?.brief.mayExpire) await keepBriefs(db, [briefId]);
  return found;
}
