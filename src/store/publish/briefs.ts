import { gzipSync } from 'node:zlib';
import { Binary, type Db } from 'mongodb';
import type { BriefSummary } from '../../domain/brief/manifest.ts';
import type { Correction, Superseded } from '../../domain/brief/superseded.ts';
import type { Ticker } from '../../domain/ids.ts';
import { inLists } from '../mongo/lists.ts';
import { insertNew, UNJOURNALED } from '../mongo/write.ts';
import type { EvidencePages } from './evidence.ts';

/**
 * A brief as the exact bytes to send, `{"data":…}` included, immutable by its content address.
 * The `generated_at` of the first write stays.
 */
export type BriefDoc = {
  _id: string;
  ticker: Ticker;
  body: Binary;
  gzip: Binary;
  /** All that `manifest.evidence_digest` binds, listed in the body or not. */
  evidence: EvidencePages;
  generatedAt: string;
  summary: BriefSummary;
  /** What replaced it last; says nothing while its ticker shows it. */
  superseded?: Superseded;
  /** Absent of one that corrects none. */
  corrects?: Corrected;
  /** True from the first answer to a reader on, and where a correction names it: it is never removed. */
  kept: boolean;
  /** When it is removed; absent while its ticker shows it, and of a kept one. */
  expiresAt?: Date;
};

/** The brief that a later one of its ticker corrected, and when that was built, ISO 8601 UTC. */
export type Corrected = Correction & { readonly from: string; readonly at: string };

/** Days after which a brief is removed that its ticker showed and no reader ever got (rule 13.8). */
const UNREAD_DAYS = 30;
const UNREAD_MS = UNREAD_DAYS * 86_400_000;

export type StoredBrief = {
  readonly briefId: string;
  readonly body: Buffer;
  readonly gzip: Buffer;
  /** It is stored and will be removed, unless {@link keepBriefs} is called. */
  readonly mayExpire: boolean;
};

export const briefsIn = (db: Db) => db.collection<BriefDoc>('briefs');

export const BYTES = { body: 1, gzip: 1, kept: 1 } as const;

export function storedBrief({
  _id,
  body,
  gzip,
  kept,
}: Pick<BriefDoc, '_id' | 'body' | 'gzip' | 'kept'>): StoredBrief {
  const bytes = { body: Buffer.from(body.buffer), gzip: Buffer.from(gzip.buffer) };
  return { briefId: _id, ...bytes, mayExpire: !kept };
}

type NewBrief = Pick<BriefDoc, '_id' | 'ticker' | 'generatedAt' | 'evidence' | 'summary'> & {
  readonly body: Buffer;
};

/** It expires unless its ticker shows it or {@link keepBriefs} keeps it. */
export async function saveBrief(db: Db, { body, ...rest }: NewBrief): Promise<StoredBrief> {
  const gzip = gzipSync(body, { level: 6 });
  const bytes = { body: new Binary(body), gzip: new Binary(gzip) };
  const expiresAt = expiryAfter(rest.generatedAt);
  await insertNew(briefsIn(db), [{ ...rest, ...bytes, kept: false, expiresAt }]);
  return { briefId: rest._id, body, gzip, mayExpire: true };
}

/** A reader gets the briefs, or a correction names them: whoever has the id can come back for them (rule 13.8). */
export async function keepBriefs(db: Db, ids: readonly string[]): Promise<void> {
  for (const _id of ids) {
    await briefsIn(db).updateOne(
      { _id, kept: { $ne: true } },
      { $set: { kept: true }, $unset: { expiresAt: '' } },
    );
  }
}

/** @param at when its ticker showed it last, ISO 8601 UTC */
export function expiryAfter(at: string): Date {
  return new Date(Date.parse(at) + UNREAD_MS);
}

/**
 * Those that no reader got expire.
 * @param at when a ticker showed them last, ISO 8601 UTC
 */
export async function expireUnread(db: Db, ids: readonly string[], at: string): Promise<void> {
  for (const _id of inLists(ids)) {
    await briefsIn(db).updateMany(
      { _id, kept: { $ne: true }, expiresAt: { $exists: false } },
      { $set: { expiresAt: expiryAfter(at) } },
      { writeConcern: UNJOURNALED },
    );
  }
}

/** A brief that replaced another one of its ticker although no filing changed. `_id` is its own id. */
type CorrectionRow = Corrected & Pick<BriefDoc, '_id' | 'ticker'>;

/** A stored brief corrects once: another one again changes nothing. */
export async function noteCorrection(db: Db, _id: string, corrects: Corrected): Promise<void> {
  await briefsIn(db).updateOne({ _id, corrects: { $exists: false } }, { $set: { corrects } });
}

/** The newest first; of one ticker, or of all. */
export async function listCorrections(
  db: Db,
  ticker: Ticker | null,
  limit: number,
): Promise<CorrectionRow[]> {
  const docs = await briefsIn(db)
    .find(
      { 'corrects.at': { $gt: '' }, ...(ticker === null ? {} : { ticker }) },
      { projection: { ticker: 1, corrects: 1 } },
    )
    .sort({ 'corrects.at': -1, _id: 1 })
    .limit(limit)
    .toArray();
  return docs.flatMap(({ _id, ticker: own, corrects }) =>
    corrects === undefined ? [] : { _id, ticker: own, ...corrects },
  );
}
