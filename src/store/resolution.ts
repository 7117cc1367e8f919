import type { Db } from 'mongodb';
import type { SecurityResolution } from '../domain/brief-input.ts';
import type { Ticker } from '../domain/ids.ts';
import { resolveSecurity } from '../domain/security.ts';
import { AppError } from '../errors.ts';
import { type Publication, publishedCorpus } from './corpus.ts';
import { mappingsOf } from './securities.ts';

/** What a ticker stands for on the as-of date of a publication. */
export type PublishedResolution = {
  readonly publication: Publication;
  readonly resolution: SecurityResolution;
};

/**
 * Resolves a ticker on the published as-of date, for the brief and for the list of owners alike.
 * Throws `corpus_unpublished` (retryable, 503) before the first publication.
 */
export async function resolvePublished(db: Db, ticker: Ticker): Promise<PublishedResolution> {
  const [publication, mappings] = await Promise.all([requireCorpus(db), mappingsOf(db, [ticker])]);
  return { publication, resolution: resolveSecurity(ticker, mappings, publication.corpus.asOf) };
}

/** The published corpus. Throws `corpus_unpublished` (retryable, 503) before the first publication. */
export async function requireCorpus(db: Db): Promise<Publication> {
  const publication = await publishedCorpus(db);
  if (publication !== null) return publication;
  throw new AppError('corpus_unpublished', 'the state of the corpus is not published yet', {
    status: 503,
    retry: true,
    public: 'The first ingestion has not finished. Ask again in a moment.',
  });
}
