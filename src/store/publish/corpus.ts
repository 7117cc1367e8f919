import type { Db } from 'mongodb';
import type { CorpusState } from '../../domain/filing/corpus-state.ts';
import type { IsoDate } from '../../domain/ids.ts';

/**
 * What every brief says of the corpus as a whole. It is published as one document, so that all
 * workers build from the same state and equal filings give equal ids. A change invalidates every brief.
 */
export type PublishedCorpus = { readonly asOf: IsoDate; readonly state: CorpusState };

type CorpusDoc = {
  _id: 'corpus';
  published: PublishedCorpus;
  at: string;
  /** Every brief was invalidated for it; false after a crash in between. */
  followersInvalidated: boolean;
  /** Raised by every request to invalidate the followers. */
  version: number;
};

export type Publication = Pick<CorpusDoc, 'at' | 'followersInvalidated'> & {
  readonly corpus: PublishedCorpus;
};

export const corpusIn = (db: Db) => db.collection<CorpusDoc>('corpus');

/** Null before the first publication: no brief is built until then. */
export async function publishedCorpus(db: Db): Promise<Publication | null> {
  const doc = await corpusIn(db).findOne({ _id: 'corpus' });
  if (doc === null) return null;
  return { corpus: doc.published, at: doc.at, followersInvalidated: doc.followersInvalidated };
}

/** @param at ISO 8601 UTC */
export async function publishCorpus(db: Db, published: PublishedCorpus, at: string): Promise<void> {
  await corpusIn(db).updateOne(
    { _id: 'corpus' },
    { $set: { published, at, followersInvalidated: false }, $inc: { version: 1 } },
    { upsert: true },
  );
}

/**
 * Has every brief and the search invalidated again when the corpus is settled. For a withdrawn
 * report: after a crash it is not known any more which securities it showed.
 */
export async function republishCorpus(db: Db): Promise<void> {
  await corpusIn(db).updateOne(
    { _id: 'corpus' },
    { $set: { followersInvalidated: false }, $inc: { version: 1 } },
  );
}
