import { correctExpiry } from '../src/store/publish/brief-expiry.ts';
import type { Job } from './worker/context.ts';

/** Corrects what expires of the stored briefs (rule 13.8). */
export const expire: Job<'expire'> = ({ db, now }) => correctExpiry(db, now().toISOString());
