import { verifyBrief as briefProblems } from '../../../src/domain/brief/verify.ts';
import { verifyEvidence as evidenceProblems } from '../../../src/domain/brief/verify-evidence.ts';

/** An id that is not the hash of its content. `expected` is the recomputed value. */
export type Problem = { readonly what: string; readonly expected: string; readonly actual: string };
export type Verification = { readonly ok: boolean; readonly problems: readonly Problem[] };

/**
 * Recomputes the ids of a brief from its JSON alone, offline: each claim, the facts, the manifest, the
 * brief. Takes the brief itself or the answer of the API.
 */
export const verifyBrief: (brief: unknown) => Verification = briefProblems;

/** Holds all pages of `/briefs/{brief_id}/evidence`, in any order, against their brief. */
export const verifyEvidence: (brief: unknown, pages: readonly unknown[]) => Verification = evidenceProblems;
