import { gzipSync } from 'node:zlib';
import { Binary, type Db } from 'mongodb';
import type { Ticker } from '../../domain/ids.ts';
import { insertNew, replaceUnlessNewer, UNJOURNALED } from '../mongo/write.ts';

/**
 * A brief as the exact bytes to send, `{"data":…}` included, immutable by its content address.
 * The `generated_at` of the first write stays.
 */
export type BriefDoc = { _id: string; ticker: Ticker; body: Binary; gzip: Binary; generatedAt: string };

/** The brief that a ticker shows now. */
export type CurrentBriefDoc = {
  _id: Ticker;
  briefId: string;
  /** Version of the invalidation that it was built for; only moves forward. */
  version: number;
  /** When it was built. */
  at: string;
  managersObserved: number;
};

export type StoredBrief = { readonly briefId: string; readonly body: Buffer; readonly gzip: Buffer };

export const briefsIn = (db: Db) => db.collection<BriefDoc>('briefs');

export const currentBriefsIn = (db: Db) => db.collection<CurrentBriefDoc>('current_briefs');

/** The current brief of the ticker; null when none was built. */
export async function readBrief(db: Db, ticker: Ticker): Promise<StoredBrief | null> {
  const current = await currentBriefsIn(db).findOne({ _id: ticker });
  if (current === null) return null;
  const brief = await briefsIn(db).findOne({ _id: current.briefId });
  if (brief === null) return null;
  return { briefId: brief._id, body: Buffer.from(brief.body.buffer), gzip: Buffer.from(brief.gzip.buffer) };
}

export async function saveBrief(db: Db, brief: Omit<BriefDoc, 'gzip' | 'body'> & { body: Buffer }) {
  const { body, ...rest } = brief;
  const gzip = gzipSync(body, { level: 6 });
  await insertNew(briefsIn(db), [{ ...rest, body: new Binary(body), gzip: new Binary(gzip) }]);
}

/**
 * True when the ticker shows another brief now, so that readers have to drop the one they keep. False
 * when it has shown this brief already, or shows one of a later version. Not journaled by itself: the invalidation is cleared after it,
 * so a write that is lost in a crash is repeated.
 */
export async function setCurrentBrief(db: Db, current: CurrentBriefDoc): Promise<boolean> {
  const { _id, briefId, version, ...rest } = current;
  // Of this version it may have been set and not announced before a crash: then it counts as another one.
  const unchanged = await currentBriefsIn(db).updateOne(
    { _id, briefId, version: { $lt: version } },
    { $set: { version, ...rest } },
    { writeConcern: UNJOURNALED },
  );
  if (unchanged.matchedCount === 1) return false;
  return replaceUnlessNewer(currentBriefsIn(db), current, UNJOURNALED);
}
