import { isDeepStrictEqual } from 'node:util';
import type { Db } from 'mongodb';
import { saidOfCorpus } from '../../domain/brief/coverage.ts';
import type { CorpusState } from '../../domain/filing/index-coverage.ts';
import type { IsoDate, QuarterEnd } from '../../domain/ids.ts';
import { insertOrLose } from '../mongo/write.ts';

/**
 * What every brief says of the corpus as a whole. It is published as one document, so that all
 * workers build from the same state and equal filings give equal ids. A brief counts for one version of
 * it (rule 13.7).
 */
export type PublishedCorpus = { readonly asOf: IsoDate; readonly state: CorpusState };

type CorpusDoc = {
  _id: 'corpus';
  published: PublishedCorpus;
  at: string;
  /** Briefs and search were invalidated for it; false after a crash in between. */
  followersInvalidated: boolean;
  /** Raised by every publication and every request to invalidate the followers. */
  version: number;
  /** The same without publications that change nothing that a brief says. */
  briefVersion: number;
  /** Withdrawn reports, after each of which no position counts as known (rule 13.9); absent before the first. */
  withdrawals?: number;
};

/** `at`: ISO 8601 UTC. */
export type Publication = Pick<CorpusDoc, 'at' | 'followersInvalidated' | 'version' | 'briefVersion'> & {
  readonly corpus: PublishedCorpus;
  readonly withdrawals: number;
};

export const corpusIn = (db: Db) => db.collection<CorpusDoc>('corpus');

/** Null before the first publication: no brief is built until then. */
export async function publishedCorpus(db: Db): Promise<Publication | null> {
  const doc = await corpusIn(db).findOne({ _id: 'corpus' });
  if (doc === null) return null;
  const { published: corpus, at, followersInvalidated, withdrawals = 0 } = doc;
  const [version, briefVersion] = [Number(doc.version), Number(doc.briefVersion)];
  return { corpus, at, followersInvalidated, version, briefVersion, withdrawals: Number(withdrawals) };
}

/** The latest reported quarter of the published corpus; null before the first one. */
export async function publishedQuarter(db: Db): Promise<QuarterEnd | null> {
  return (await publishedCorpus(db))?.corpus.state.latestReportedQuarterEnd ?? null;
}

/**
 * Replaces the publication that was read before the corpus was computed, or publishes the first one.
 * False when that is no longer the last one: then this corpus may be the older state.
 */
export async function publishCorpus(
  db: Db,
  published: PublishedCorpus,
  { at, before }: { readonly at: string; readonly before: Publication | null },
): Promise<boolean> {
  if (before === null) {
    const first = { followersInvalidated: false, version: 1, briefVersion: 1 };
    return insertOrLose<CorpusDoc>(corpusIn(db), { _id: 'corpus', published, at, ...first });
  }
  const isSaid = !isDeepStrictEqual(said(before.corpus), said(published));
  const briefVersion = before.briefVersion + (isSaid ? 1 : 0);
  const followersInvalidated = !isSaid && before.followersInvalidated;
  const { matchedCount } = await corpusIn(db).updateOne(
    { _id: 'corpus', version: before.version },
    { $set: { published, at, followersInvalidated, briefVersion }, $inc: { version: 1 } },
  );
  return matchedCount === 1;
}

function said({ asOf, state }: PublishedCorpus): PublishedCorpus {
  return { asOf, state: saidOfCorpus(asOf, state) };
}

/**
 * Has every brief and the search invalidated again when the corpus is settled. For a withdrawn
 * report: after a crash it is not known any more which securities it showed.
 */
export async function republishCorpus(db: Db): Promise<void> {
  await corpusIn(db).updateOne(
    { _id: 'corpus' },
    { $set: { followersInvalidated: false }, $inc: { version: 1, briefVersion: 1, withdrawals: 1 } },
  );
}
