import type { Collection, Db } from 'mongodb';
import type { CorpusState } from '../../domain/filing/corpus-state.ts';
import type { IsoDate } from '../../domain/ids.ts';

/**
 * What every brief says of the corpus as a whole, published as one document, so that all workers
 * build from the same words and equal filings give equal ids. Changing it makes every brief dirty.
 */
export type PublishedCorpus = { readonly asOf: IsoDate; readonly state: CorpusState };

type CorpusDoc = {
  _id: 'corpus';
  published: PublishedCorpus;
  at: string;
  followersInvalidated: boolean;
  /** Raised by whatever asks for the followers to be marked. */
  version?: number;
};

export type Publication = {
  readonly corpus: PublishedCorpus;
  readonly at: string;
  /** Every brief was marked for it; false after a crash in between. */
  readonly followersInvalidated: boolean;
};

export function corpusIn(db: Db): Collection<CorpusDoc> {
  return db.collection<CorpusDoc>('corpus');
}

/** Null before the first one was published: no brief is built until then. */
export async function publishedCorpus(db: Db): Promise<Publication | null> {
  const doc = await corpusIn(db).findOne({ _id: 'corpus' });
  return doc === null
    ? null
    : { corpus: doc.published, at: doc.at, followersInvalidated: doc.followersInvalidated };
}

export async function publishCorpus(db: Db, published: PublishedCorpus): Promise<void> {
  await corpusIn(db).updateOne(
    { _id: 'corpus' },
    { $set: { published, at: new Date().toISOString(), followersInvalidated: false }, $inc: { version: 1 } },
    { upsert: true },
  );
}

/**
 * Has every brief and the search marked once more when the corpus is settled. For what a withdrawn
 * report leaves behind: after a crash nothing tells any more which securities it showed.
 */
export async function republishCorpus(db: Db): Promise<void> {
  await corpusIn(db).updateOne(
    { _id: 'corpus' },
    { $set: { followersInvalidated: false }, $inc: { version: 1 } },
  );
}
