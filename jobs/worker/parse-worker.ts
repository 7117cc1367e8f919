import type { ParsedFiling } from '../../src/domain/filing/filing.ts';
import type { Accession } from '../../src/domain/ids.ts';
import { ParseError, type ParseErrorCode, parseFiling } from '../../src/forms/index.ts';

export type ParseTask = { readonly bytes: Uint8Array; readonly accession: Accession };

export type ParseOutcome =
  | { readonly ok: true; readonly filing: ParsedFiling }
  | { readonly ok: false; readonly code: ParseErrorCode; readonly message: string };

/** Runs in a worker thread, and shows that one has started. */
export function startThread(): void {
  return;
}

/** Runs in a worker thread. A typed error is an outcome, because classes do not cross threads. */
export function parseInThread(task: ParseTask): ParseOutcome {
  try {
    return { ok: true, filing: parseFiling(task.bytes, task.accession) };
  } catch (error) {
    if (error instanceof ParseError) return { ok: false, code: error.code, message: error.message };
    throw error;
  }
}
