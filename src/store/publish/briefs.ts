import { gzipSync } from 'node:zlib';
import { Binary, type Collection, type Db, MongoServerError } from 'mongodb';
import type { Ticker } from '../../domain/ids.ts';
import { insertNew, UNJOURNALED } from '../mongo/insert-new.ts';

/**
 * A brief as the exact bytes to send, `{"data":…}` included, immutable by its content address.
 * `generated_at` of the first writing stays.
 */
export type BriefDoc = { _id: string; ticker: Ticker; body: Binary; gzip: Binary; generatedAt: string };

/** Which brief a ticker shows now. Moves forward only: a later version replaces an earlier one. */
export type CurrentBriefDoc = {
  _id: Ticker;
  briefId: string;
  version: number;
  builtAt: string;
  managersObserved: number;
};

export type StoredBrief = { readonly briefId: string; readonly body: Buffer; readonly gzip: Buffer };

export function briefsIn(db: Db): Collection<BriefDoc> {
  return db.collection<BriefDoc>('briefs');
}

export function currentBriefsIn(db: Db): Collection<CurrentBriefDoc> {
  return db.collection<CurrentBriefDoc>('current_briefs');
}

/** The brief that the head of the ticker points at; null when none was built. */
export async function readBrief(db: Db, ticker: Ticker): Promise<StoredBrief | null> {
  const head = await currentBriefsIn(db).findOne({ _id: ticker });
  if (head === null) return null;
  const brief = await briefsIn(db).findOne({ _id: head.briefId });
  if (brief === null) return null;
  return { briefId: brief._id, body: Buffer.from(brief.body.buffer), gzip: Buffer.from(brief.gzip.buffer) };
}

export async function saveBrief(
  db: Db,
  brief: Omit<BriefDoc, 'gzip' | 'body'> & { body: Buffer },
): Promise<void> {
  const { _id, body, ...rest } = brief;
  const stored = { ...rest, body: new Binary(body), gzip: new Binary(gzipSync(body, { level: 6 })) };
  await insertNew(briefsIn(db), [{ _id, ...stored }]);
}

/**
 * Compare-and-set on the version; false when a later version is already shown. Not journaled
 * by itself: the mark is taken away after it, so a head that is lost in a crash is built again.
 */
export async function setCurrentBrief(db: Db, head: CurrentBriefDoc): Promise<boolean> {
  const { _id, ...fields } = head;
  try {
    const result = await currentBriefsIn(db).updateOne(
      { _id, version: { $lte: head.version } },
      { $set: fields },
      { upsert: true, writeConcern: UNJOURNALED },
    );
    return result.matchedCount + result.upsertedCount > 0;
  } catch (error) {
    if (error instanceof MongoServerError && error.code === 11000) return false;
    throw error;
  }
}
