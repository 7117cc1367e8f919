import { parse } from '../queues/parse.ts';
import type { Accession } from '../src/domain/ids.ts';
import { EdgarError, isEdgarError } from '../src/edgar/edgar-error.ts';
import { keepRaw } from '../src/store/raw.ts';
import { claimFiling, endStage, quarantineFiling } from '../src/store/stage.ts';
import type { Job } from './context.ts';

/** Fetches the submission and keeps its bytes before anything looks into them. */
export const fetch: Job<{ accession: Accession; run: number }> = async (context, { accession, run }) => {
  const { db, edgar, producer } = context;
  const claim = await claimFiling(db, accession, 'discovered');
  if (claim === null) return;
  const answer = await edgar.fetchSubmission(claim.filing.cik, accession).catch((error: unknown) => {
    if (isEdgarError(error, 'edgar_too_large', 'edgar_redirect')) return error;
    throw error;
  });
  if (answer instanceof EdgarError) {
    await quarantineFiling(db, claim, { code: answer.code, reason: answer.message });
    return;
  }
  const sha256 = await keepRaw(db, answer.bytes, {
    url: answer.url,
    fetchedAt: answer.fetchedAt,
    etag: answer.headers.etag,
  });
  const ended = await endStage(db, claim, {
    $set: { state: 'fetched', attempt: 0, retrievedAt: answer.fetchedAt },
    $addToSet: { raw: sha256 },
  });
  if (ended) await producer.enqueue(parse, { accession, run });
};
