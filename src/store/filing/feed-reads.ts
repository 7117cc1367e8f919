import type { Db } from 'mongodb';
import { saveSetting, settingOf } from './settings.ts';

/** A listing that was read to its end and noted. While EDGAR has the same, it holds nothing new. */
export type ListingRead = {
  readonly url: string;
  readonly headers: { readonly etag: string | null; readonly lastModified: string | null };
  /** The form types that were looked for: another release may carry more. */
  readonly forms: readonly string[];
};

const nameOf = (feed: string): string => `feed_read|${feed}`;

/** The newest page of a feed when it was read last; null before. */
export function feedReadOf(db: Db, feed: string): Promise<ListingRead | null> {
  return settingOf<ListingRead>(db, nameOf(feed));
}

export function saveFeedRead(db: Db, feed: string, read: ListingRead): Promise<void> {
  return saveSetting(db, nameOf(feed), read);
}
