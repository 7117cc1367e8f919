import { reconcileIssuer } from '../src/derive/insider/writer.ts';
import { pendingVersion, settleInvalidation } from '../src/store/invalidation/invalidations.ts';
import type { Job } from './worker/context.ts';

/**
 * Reconciles an issuer's forms and stores every transaction row. The version is read before the
 * forms, so a form that arrives meanwhile leaves the issuer pending and it is reconciled again.
 */
export const insider: Job<'insider'> = async ({ db }, { cik }) => {
  const version = await pendingVersion(db, 'insider', cik);
  if (version === null) return;
  await reconcileIssuer(db, cik, version);
  await settleInvalidation(db, 'insider', cik, version);
};
