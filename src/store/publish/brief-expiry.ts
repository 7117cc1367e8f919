import type { Db } from 'mongodb';
import { batchesOf } from '../../domain/group.ts';
import { findByIds, inLists, MAX_LIST } from '../mongo/lists.ts';
import { type BriefDoc, briefsIn, expireUnread, expiryAfter } from './briefs.ts';
import { currentBriefsIn } from './current-briefs.ts';
import { evidencePagesIn } from './evidence.ts';

/**
 * Makes rule 13.8 true where a process ended between two writes: no brief that is shown or kept expires,
 * and every other one does. Their evidence follows them.
 * @param at ISO 8601 UTC
 */
export async function correctExpiry(db: Db, at: string): Promise<void> {
  const stays = { $unset: { expiresAt: '' as const } };
  for await (const shown of batchesOf(
    currentBriefsIn(db).find({}, { projection: { briefId: 1 } }),
    MAX_LIST,
  )) {
    for (const _id of inLists(shown.map(({ briefId }) => briefId))) {
      await briefsIn(db).updateMany({ _id, expiresAt: { $exists: true } }, stays);
    }
  }
  await briefsIn(db).updateMany({ kept: true, expiresAt: { $gt: new Date(0) } }, stays);
  const unread = briefsIn(db).find(
    { kept: false, expiresAt: { $exists: false } },
    { projection: { ticker: 1 } },
  );
  for await (const briefs of batchesOf(unread, MAX_LIST))
    await expireUnread(db, await notShown(db, briefs), at);
  await correctEvidenceExpiry(db, at);
}

type Unread = Pick<BriefDoc, '_id' | 'ticker'>;

async function notShown(db: Db, briefs: readonly Unread[]): Promise<string[]> {
  const tickers = briefs.map(({ ticker }) => ticker);
  const heads = await findByIds(currentBriefsIn(db), tickers, { briefId: 1 });
  const shown = new Set(heads.map(({ briefId }) => briefId));
  return briefs.filter(({ _id }) => !shown.has(_id)).map(({ _id }) => _id);
}

/** Pages of evidence that no stored brief rests on any more expire, and no others do. */
async function correctEvidenceExpiry(db: Db, at: string): Promise<void> {
  const pages = evidencePagesIn(db).find({}, { projection: { expiresAt: 1 }, batchSize: 1_000 });
  for await (const { _id, expiresAt } of pages) {
    const isUsed = (await briefsIn(db).countDocuments({ 'evidence.digest': _id }, { limit: 1 })) > 0;
    if (isUsed === (expiresAt === undefined)) continue;
    const change = isUsed ? { $unset: { expiresAt: '' as const } } : { $set: { expiresAt: expiryAfter(at) } };
    await evidencePagesIn(db).updateOne({ _id }, change);
  }
}
