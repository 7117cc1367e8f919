import { parse } from '../queues/parse.ts';
import type { Fetched } from '../src/edgar/client/open.ts';
import { EdgarError, isEdgarError } from '../src/edgar/error.ts';
import { type Claim, claimFiling, endStage, quarantineFiling } from '../src/store/filing/claims.ts';
import { keepRaw } from '../src/store/filing/raw.ts';
import { underClaim } from './claimed.ts';
import type { Job, JobContext } from './worker/context.ts';

/** Time for two downloads at the client's limits and for the wait at the bucket. */
const LEASE_MS = 180_000;

/** Fetches the submission and stores its bytes before they are parsed. */
export const fetch: Job<'fetch'> = async (context, { accession }) => {
  const { db, producer } = context;
  const claim = await claimFiling(db, accession, {
    state: 'discovered',
    leaseMs: LEASE_MS,
    now: context.now(),
  });
  if (claim === null) return;
  await underClaim(context, claim, async () => {
    const answer = await fetchSubmission(context, claim);
    if (answer instanceof EdgarError) {
      await quarantineFiling(db, claim, {
        code: answer.code,
        reason: answer.message,
        at: context.now().toISOString(),
      });
    } else if (await saveFetched(context, claim, answer)) {
      // The fence is part of the job's id, as in dispatch: a stage never has two jobs for a filing.
      const { filedDate, lane } = claim.filing;
      await producer.enqueue(parse, { accession, filedDate, lane, run: claim.fence });
    }
  });
};

/** An answer that cannot change is an outcome; everything else is thrown and retried. */
async function fetchSubmission({ edgar }: JobContext, { filing }: Claim): Promise<Fetched | EdgarError> {
  try {
    return await edgar.fetchSubmission(filing.cik, filing._id, filing.lane);
  } catch (error) {
    if (isEdgarError(error, 'edgar_too_large', 'edgar_redirect')) return error;
    throw error;
  }
}

async function saveFetched({ db, now }: JobContext, claim: Claim, answer: Fetched): Promise<boolean> {
  const { bytes, url, headers } = answer;
  const fetchedAt = now().toISOString();
  const sha256 = await keepRaw(db, bytes, { url, fetchedAt, etag: headers.etag });
  return endStage(db, claim, {
    $set: { state: 'fetched', tries: 0, nextAt: fetchedAt, retrievedAt: fetchedAt },
    $addToSet: { raw: sha256 },
  });
}
