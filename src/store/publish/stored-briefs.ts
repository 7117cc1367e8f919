import type { Db } from 'mongodb';
import type { Superseded } from '../../domain/brief/superseded.ts';
import type { Ticker } from '../../domain/ids.ts';
import { currentBriefsIn } from './briefs.ts';
import { type BriefDoc, BYTES, briefsIn, storedBrief } from './kept-briefs.ts';

/**
 * A stored brief by its id, and whether its ticker shows another one now. Not which one: that id has its price
 * (rule 11.11). Null when it is not stored.
 */
export async function findBrief(db: Db, briefId: string) {
  const brief = await briefsIn(db).findOne({ _id: briefId }, { projection: { ...BYTES, ticker: 1 } });
  if (brief === null) return null;
  const current = await currentBriefsIn(db).findOne({ _id: brief.ticker }, { projection: { briefId: 1 } });
  return { brief: storedBrief(brief), isSuperseded: current !== null && current.briefId !== briefId };
}

/** A stored brief as its JSON; null when it is not stored. */
export async function briefText(db: Db, briefId: string): Promise<string | null> {
  const brief = await briefsIn(db).findOne({ _id: briefId }, { projection: { body: 1 } });
  return brief && Buffer.from(brief.body.buffer).toString('utf8');
}

/** The evidence of a stored brief, and whether the brief is kept; null when it is not stored. */
export async function evidenceOfBrief(db: Db, briefId: string) {
  return briefsIn(db).findOne({ _id: briefId }, { projection: { evidence: 1, kept: 1 } });
}

/** A brief in the list of its ticker. */
export type ListedBrief = Pick<BriefDoc, '_id' | 'generatedAt' | 'summary' | 'superseded'>;

/** The stored briefs of a ticker, those first built last first, and the one that it shows. */
export async function listBriefs(
  db: Db,
  ticker: Ticker,
  { skip, limit }: { readonly skip: number; readonly limit: number },
): Promise<{ total: number; briefs: ListedBrief[]; shown: Pick<BriefDoc, '_id' | 'summary'> | null }> {
  const found = briefsIn(db)
    .find({ ticker }, { projection: { generatedAt: 1, summary: 1, superseded: 1 } })
    .sort({ generatedAt: -1, _id: 1 });
  const [total, briefs, current] = await Promise.all([
    briefsIn(db).countDocuments({ ticker }),
    found.skip(skip).limit(limit).toArray(),
    currentBriefsIn(db).findOne({ _id: ticker }, { projection: { briefId: 1 } }),
  ]);
  const _id = current?.briefId;
  const shown =
    _id === undefined ? null : await briefsIn(db).findOne({ _id }, { projection: { summary: 1 } });
  return { total, briefs, shown };
}

/** Why its ticker shows another brief from now on. */
export async function noteSuperseded(db: Db, briefId: string, superseded: Superseded): Promise<void> {
  await briefsIn(db).updateOne({ _id: briefId }, { $set: { superseded } });
}
