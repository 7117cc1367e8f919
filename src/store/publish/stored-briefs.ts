import type { Db } from 'mongodb';
import type { Ticker } from '../../domain/ids.ts';
import { currentBriefsIn } from './briefs.ts';
import type { EvidencePages } from './evidence.ts';
import { BYTES, briefsIn, storedBrief } from './kept-briefs.ts';

/**
 * A stored brief by its id, with the id of the brief that its ticker shows in its place, if another one.
 * Null when it is not stored.
 */
export async function findBrief(db: Db, briefId: string) {
  const brief = await briefsIn(db).findOne({ _id: briefId }, { projection: { ...BYTES, ticker: 1 } });
  if (brief === null) return null;
  const current = await currentBriefsIn(db).findOne({ _id: brief.ticker }, { projection: { briefId: 1 } });
  const shown = current?.briefId ?? briefId;
  return { brief: storedBrief(brief), supersededBy: shown === briefId ? null : shown };
}

/** The evidence of a stored brief; null when it is not stored. */
export async function evidenceOfBrief(db: Db, briefId: string): Promise<EvidencePages | null> {
  const brief = await briefsIn(db).findOne({ _id: briefId }, { projection: { evidence: 1 } });
  return brief?.evidence ?? null;
}

/** The evidence of the brief that the ticker showed last, with the time when that brief was first built. */
export async function lastBriefEvidence(db: Db, ticker: Ticker) {
  const current = await currentBriefsIn(db).findOne({ _id: ticker }, { projection: { briefId: 1 } });
  if (current === null) return null;
  return briefsIn(db).findOne({ _id: current.briefId }, { projection: { evidence: 1, generatedAt: 1 } });
}
