import type { Db } from 'mongodb';
import { ALGORITHM_VERSION } from '../../domain/brief/manifest.ts';
import type { Superseded } from '../../domain/brief/superseded.ts';
import type { Lane } from '../../domain/filing/lane.ts';
import type { Ticker } from '../../domain/ids.ts';
import { isLeftToReaders, setOnRead } from '../invalidation/left-to-readers.ts';
import { isDuplicate, UNJOURNALED } from '../mongo/write.ts';
import { type BriefDoc, BYTES, briefsIn, expireUnread, type StoredBrief, storedBrief } from './briefs.ts';
import { publishedCorpus } from './corpus.ts';

const PLAIN_WRITE = { writeConcern: UNJOURNALED };

/** The brief that a ticker shows now. */
export type CurrentBriefDoc = {
  _id: Ticker;
  briefId: string;
  /** Version of the invalidation that it was built for; only moves forward. */
  version: number;
  /** `briefVersion` of the publication that it was built for; only moves forward. */
  corpus: number;
  /** The algorithm that built it. */
  algorithm: string;
  /** When it was built. */
  at: string;
  managersObserved: number;
  /** Of the change that it was built for, the last one when a reader had it built. */
  lane: Lane;
  /** The id that readers have heard of last; absent before the first time. */
  announcedId?: string;
  /** When readers asked for it last, to the day; absent when none ever did. */
  askedAt?: string;
  /** The other brief that it replaced, until it is noted why. */
  replaced?: ShownBefore;
};

export const currentBriefsIn = (db: Db) => db.collection<CurrentBriefDoc>('current_briefs');

/**
 * The id of the brief that the ticker shows. Null when none was built, or only for another publication
 * of the corpus, or before a change that is left to its next reader: these build no brief before somebody
 * asks (rule 13.7).
 */
export async function currentBriefId(db: Db, ticker: Ticker): Promise<string | null> {
  const [current, publication] = await Promise.all([
    currentBriefsIn(db).findOne({ _id: ticker }),
    publishedCorpus(db),
  ]);
  if (current === null || current.algorithm !== ALGORITHM_VERSION) return null;
  if (publication !== null && Number(current.corpus) !== publication.briefVersion) return null;
  return (await isLeftToReaders(db, ticker, Number(current.version))) ? null : current.briefId;
}

/** The current brief of the ticker; null as in {@link currentBriefId}. */
export async function readBrief(db: Db, ticker: Ticker): Promise<StoredBrief | null> {
  const briefId = await currentBriefId(db, ticker);
  const brief = briefId === null ? null : await briefsIn(db).findOne({ _id: briefId }, { projection: BYTES });
  return brief && storedBrief(brief);
}

/** A brief that a ticker shows or showed. */
type ShownBefore = Pick<CurrentBriefDoc, 'briefId' | 'at'>;

/** A brief that replaced another one of its ticker. */
export type Replacement = { readonly ticker: Ticker; readonly from: ShownBefore; readonly by: string };

/** It is noted why. */
export async function endReplacement(db: Db, { ticker, from, by }: Replacement): Promise<void> {
  const shown = { _id: ticker, briefId: by, 'replaced.briefId': from.briefId };
  await currentBriefsIn(db).updateOne(shown, { $unset: { replaced: '' } }, PLAIN_WRITE);
}

/** Workers build what was asked for in these days as soon as something changes it (rule 13.7). */
const ASKED_MS = 7 * 86_400_000;

/** @param now ISO 8601 UTC */
function isAskedLately(askedAt: string | undefined, now: string): boolean {
  return askedAt !== undefined && askedAt >= askedSince(now);
}

const askedSince = (now: string): string => new Date(Date.parse(now) - ASKED_MS).toISOString();

/** The tickers that readers asked for lately, the last ones first. */
export async function tickersAsked(db: Db, now: string, limit: number): Promise<Ticker[]> {
  const asked = currentBriefsIn(db).find({ askedAt: { $gte: askedSince(now) } }, { projection: { _id: 1 } });
  return (await asked.sort({ askedAt: -1 }).limit(limit).toArray()).map(({ _id }) => _id);
}

/** A reader is noted again after this time. */
const NOTED_MS = 86_400_000;

/**
 * Notes a reader: from now on a worker builds and announces what changes. Call it before the brief is read, so that
 * no change in between goes unheard.
 */
export async function noteAsked(db: Db, ticker: Ticker, at: string): Promise<void> {
  await setOnRead(db, ticker, false);
  const notedSince = new Date(Date.parse(at) - NOTED_MS).toISOString();
  const isDue = { _id: ticker, askedAt: { $not: { $gte: notedSince } } };
  await currentBriefsIn(db).updateOne(isDue, { $set: { askedAt: at } }, PLAIN_WRITE);
}

/** What came of showing a brief. */
type ShownBrief = {
  /** False when a brief of a later invalidation, publication or algorithm is shown. */
  readonly isShown: boolean;
  /** Readers have not heard of its id: {@link noteAnnounced} follows the announcement. */
  readonly isNews: boolean;
  /** Whether a reader asked for it within some days before. */
  readonly isAsked: boolean;
  /** To be noted: what another run has left unsaid, perhaps by a crash, then what the brief replaced. */
  readonly replacements: readonly Replacement[];
};

/**
 * Shows the brief, unless one of a later version is shown. A crash between the announcement and
 * {@link noteAnnounced} repeats it and loses none. Not journaled by itself: the invalidation is cleared
 * after it, so a write that is lost in a crash is repeated. The brief that was shown before expires, unless
 * a reader got it.
 */
export async function setCurrentBrief(db: Db, current: CurrentBriefDoc): Promise<ShownBrief> {
  const { _id: ticker, briefId, at } = current;
  const { isShown, before } = await replaceCurrent(db, current);
  const isAsked = isAskedLately(current.askedAt ?? before?.askedAt, at);
  if (!isShown) return { isShown, isAsked, isNews: false, replacements: [] };
  await briefsIn(db).updateOne({ _id: briefId }, { $unset: { expiresAt: '' } }, PLAIN_WRITE);
  const isNews = before?.announcedId !== briefId;
  const unsaid =
    before?.replaced === undefined ? [] : [{ ticker, from: before.replaced, by: before.briefId }];
  if (before === null || before.briefId === briefId)
    return { isShown, isAsked, isNews, replacements: unsaid };
  await expireUnread(db, [before.briefId], at);
  const from = { briefId: before.briefId, at: before.at };
  return { isShown, isAsked, isNews, replacements: [...unsaid, { ticker, from, by: briefId }] };
}

/** The number at the end of an algorithm's name. */
const stepOf = (algorithm: string): number => Number(algorithm.split('.').at(-1));

/** While two releases run at once, the algorithm of a ticker's brief only moves forward. */
async function replaceCurrent(db: Db, { _id, ...rest }: CurrentBriefDoc) {
  const seen = await currentBriefsIn(db).findOne({ _id }, { projection: { algorithm: 1 } });
  const algorithm = seen?.algorithm ?? rest.algorithm;
  if (stepOf(algorithm) > stepOf(rest.algorithm)) return { isShown: false, before: null };
  const filter = { _id, version: { $lte: rest.version }, corpus: { $lte: rest.corpus }, algorithm };
  const isOther = { $and: [{ $gt: ['$briefId', ''] }, { $ne: ['$briefId', rest.briefId] }] };
  const before = { briefId: '$briefId', at: '$at' };
  const replaced = { $cond: [isOther, before, { $ifNull: ['$replaced', '$$REMOVE'] }] };
  const replace = async (upsert: boolean) => {
    const options = { upsert, includeResultMetadata: true, ...PLAIN_WRITE } as const;
    const { value, lastErrorObject } = await currentBriefsIn(db).findOneAndUpdate(
      filter,
      [{ $set: { replaced } }, { $set: rest }],
      options,
    );
    return { isShown: Number(lastErrorObject?.['n'] ?? 0) > 0, before: value };
  };
  try {
    return await replace(true);
  } catch (error) {
    // Now the id is taken, by a later version or by another insert of the same moment.
    if (isDuplicate(error)) return replace(false);
    throw error;
  }
}

/** Readers heard that the ticker shows the brief. */
export async function noteAnnounced(db: Db, ticker: Ticker, briefId: string): Promise<void> {
  await currentBriefsIn(db).updateOne(
    { _id: ticker, briefId },
    { $set: { announcedId: briefId } },
    PLAIN_WRITE,
  );
}

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
