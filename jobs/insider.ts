import { reconcileIssuer } from '../src/derive/insider/writer.ts';
import type { Job } from './worker/context.ts';

/** Reconciles an issuer's forms and stores every transaction row. */
export const insider: Job<'insider'> = ({ db }, { cik }) => reconcileIssuer(db, cik);
