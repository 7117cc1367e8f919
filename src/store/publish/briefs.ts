import { gzipSync } from 'node:zlib';
import { Binary, type Db } from 'mongodb';
import type { EvidenceRows } from '../../domain/brief/cited.ts';
import type { Ticker } from '../../domain/ids.ts';
import { pack } from '../mongo/pack.ts';
import { insertNew, replaceUnlessNewer, UNJOURNALED } from '../mongo/write.ts';

/**
 * A brief as the exact bytes to send, `{"data":…}` included, immutable by its content address.
 * The `generated_at` of the first write stays.
 */
export type BriefDoc = {
  _id: string;
  ticker: Ticker;
  body: Binary;
  gzip: Binary;
  /** `EvidenceRows[]`, packed: all that `manifest.evidence_digest` binds, listed in the body or not. */
  evidence: Binary;
  generatedAt: string;
};

type NewBrief = Pick<BriefDoc, '_id' | 'ticker' | 'generatedAt'> & {
  readonly body: Buffer;
  readonly evidence: readonly EvidenceRows[];
};

/** The brief that a ticker shows now. */
export type CurrentBriefDoc = {
  _id: Ticker;
  briefId: string;
  /** Version of the invalidation that it was built for; only moves forward. */
  version: number;
  /** When it was built. */
  at: string;
  managersObserved: number;
  /** The id that readers have heard of last; absent before the first time. */
  announcedId?: string;
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

export async function saveBrief(db: Db, { body, evidence, ...rest }: NewBrief): Promise<void> {
  const gzip = new Binary(gzipSync(body, { level: 6 }));
  await insertNew(briefsIn(db), [{ ...rest, body: new Binary(body), gzip, evidence: pack(evidence) }]);
}

/**
 * Shows the brief, unless one of a later version is shown. True when the ticker shows it and readers have
 * not heard of its id: then {@link noteAnnounced} follows the announcement. A crash between the two
 * repeats the announcement and loses none. Not journaled by itself: the invalidation is cleared after
 * it, so a write that is lost in a crash is repeated.
 */
export async function setCurrentBrief(db: Db, current: CurrentBriefDoc): Promise<boolean> {
  const announcedId = (await currentBriefsIn(db).findOne({ _id: current._id }))?.announcedId;
  const doc = announcedId === undefined ? current : { ...current, announcedId };
  const isShown = await replaceUnlessNewer(currentBriefsIn(db), doc, UNJOURNALED);
  return isShown && announcedId !== current.briefId;
}

/** Readers heard that the ticker shows the brief. */
export async function noteAnnounced(db: Db, ticker: Ticker, briefId: string): Promise<void> {
  await currentBriefsIn(db).updateOne(
    { _id: ticker, briefId },
    { $set: { announcedId: briefId } },
    { writeConcern: UNJOURNALED },
  );
}
