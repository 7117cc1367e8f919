import type { FilingHeader, ParsedFiling } from '../../src/domain/filing/filing.ts';
import type { Accession } from '../../src/domain/ids.ts';
import { headerOf, ParseError, type ParseErrorCode, parseFiling } from '../../src/forms/index.ts';

export type Submission = { readonly bytes: Uint8Array; readonly accession: Accession };

export type ParseTask = {
  readonly submissions: readonly Submission[];
  /** Shared; 1 once a thread has begun. */
  readonly begun: Int32Array;
};

export type ParseOutcome =
  | { readonly ok: true; readonly filing: ParsedFiling }
  | {
      readonly ok: false;
      readonly code: ParseErrorCode;
      readonly message: string;
      /** Null where the header cannot be read either. */
      readonly header: FilingHeader | null;
    };

/** Runs in a worker thread, and shows that one has started. */
export function startThread(): void {
  return;
}

/** Runs in a worker thread. An outcome for each submission, in their order. */
export function parseInThread({ submissions, begun }: ParseTask): ParseOutcome[] {
  Atomics.store(begun, 0, 1);
  return submissions.map(outcomeOf);
}

/** A typed error is an outcome, because classes do not cross threads. */
function outcomeOf({ bytes, accession }: Submission): ParseOutcome {
  try {
    return { ok: true, filing: parseFiling(bytes, accession) };
  } catch (error) {
    if (!(error instanceof ParseError)) throw error;
    return { ok: false, code: error.code, message: error.message, header: headerOf(bytes) };
  }
}
