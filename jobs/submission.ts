import { laneOfIndex } from '../src/domain/filing/lane.ts';
import type { Fetched } from '../src/edgar/client/open.ts';
import { type EdgarError, isEdgarError } from '../src/edgar/error.ts';
import { type Claim, endStage } from '../src/store/filing/claims.ts';
import type { Refusal } from './parsed-fields.ts';
import { today } from './today.ts';
import type { JobContext } from './worker/context.ts';

/** A document of the last days that EDGAR does not have for so long is given up, and an older one. */
const NEW_MISSING_MS = 24 * 3_600_000;
const OLD_MISSING_MS = 3_600_000;

/** Why a filing is quarantined whose document EDGAR does not give. */
export function refusalOf({ code, message }: EdgarError): Refusal {
  return { code, reason: message };
}

/** An answer that cannot change, or that has not changed for long, is an outcome; all others are retried. */
export async function fetchSubmission(context: JobContext, claim: Claim): Promise<Fetched | EdgarError> {
  const { cik, _id: accession, lane } = claim.filing;
  try {
    return await context.edgar.fetchSubmission(cik, accession, lane);
  } catch (error) {
    if (isEdgarError(error, 'edgar_too_large', 'edgar_redirect')) return error;
    const isMissing = isEdgarError(error, 'edgar_not_found', 'edgar_truncated');
    if (isMissing && (await isMissingForLong(context, claim))) return error;
    throw error;
  }
}

/** EDGAR lists a new filing before every server of it has the document (rule 13.2). */
async function isMissingForLong(context: JobContext, claim: Claim): Promise<boolean> {
  const { filedDate, missingSince } = claim.filing;
  const at = context.now();
  if (missingSince === undefined) {
    await endStage(context.db, claim, { $set: { missingSince: at.toISOString() } });
    return false;
  }
  const isHistory = laneOfIndex(filedDate, await today(context)) === 'backfill';
  return at.getTime() - Date.parse(missingSince) >= (isHistory ? OLD_MISSING_MS : NEW_MISSING_MS);
}

/** What is kept of the answer beside its bytes. */
export function rawMeta({ url, headers }: Fetched, fetchedAt: string) {
  return { url, fetchedAt, etag: headers.etag };
}

/** The update that ends the stage of a filing whose bytes are stored. */
export function fetchedUpdate(sha256: string, fetchedAt: string) {
  return {
    $set: { state: 'fetched', tries: 0, nextAt: fetchedAt, retrievedAt: fetchedAt },
    $addToSet: { raw: sha256 },
    $unset: { missingSince: '' },
  } as const;
}
