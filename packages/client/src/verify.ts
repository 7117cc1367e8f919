import {
  verifyBrief as briefProblems,
  verifyEvidence as evidenceProblems,
  readOnce as parsed,
  unwrapped as payload,
  provenWords as words,
} from '../../../src/domain/brief/verify.ts';

/** An id that is not the hash of its content, or a contradiction. `expected` is the recomputed value. */
export type Problem = { readonly what: string; readonly expected: string; readonly actual: string };
export type Verification = { readonly ok: boolean; readonly problems: readonly Problem[] };

/**
 * Checks a brief from its JSON alone, offline: every id is the hash of its content, and the brief does not
 * contradict itself. That it is Tidemark's brief only its id proves: `id` is the one that it must have, or ask the
 * API for it. Takes the brief itself or the answer of the API.
 */
export const verifyBrief: (brief: unknown, id?: string) => Verification = briefProblems;

/** Holds all pages of `/briefs/{brief_id}/evidence`, in any order, against their brief. */
export const verifyEvidence: (brief: unknown, pages: readonly unknown[]) => Verification = evidenceProblems;

/** What a success proves and what it does not. */
export const provenWords: (id: string, isExpected: boolean) => string = words;
/** The payload of the API's envelope, or the JSON itself. */
export const unwrapped: (json: unknown) => unknown = payload;
/** JSON whose objects have no member twice: throws for others, which readers understand in different ways. */
export const readOnce: (text: string) => unknown = parsed;
