import type { Db } from 'mongodb';

/** A listing that was read to its end and noted. While EDGAR has the same, it holds nothing new. */
export type ListingRead = {
  readonly url: string;
  readonly headers: { readonly etag: string | null; readonly lastModified: string | null };
  /** The form types that were looked for: another release may carry more. */
  readonly forms: readonly string[];
};

type FeedReadDoc = { _id: string; read: ListingRead };

const feedReadsIn = (db: Db) => db.collection<FeedReadDoc>('feed_reads');

/** The newest page of a feed when it was read last; null before. */
export async function feedReadOf(db: Db, feed: string): Promise<ListingRead | null> {
  return (await feedReadsIn(db).findOne({ _id: feed }))?.read ?? null;
}

export async function saveFeedRead(db: Db, feed: string, read: ListingRead): Promise<void> {
  await feedReadsIn(db).updateOne({ _id: feed }, { $set: { read } }, { upsert: true });
}
