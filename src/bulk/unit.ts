import type { Columns, DataSetFiling } from '../forms/data-set.ts';
import type { DataSetKind } from '../forms/data-sets.ts';
import type { Followers, UnitKey, UnitResult } from '../store/filing/data-sets.ts';
import type { ReportKey } from '../store/filing/filings.ts';

/** A piece of an import that one thread does, and that is repeated as a whole when it was interrupted. */
export type Unit = {
  readonly key: UnitKey;
  readonly work:
    | {
        readonly stage: 'filings';
        readonly kind: DataSetKind;
        readonly columns: Columns;
        readonly filings: readonly DataSetFiling[];
      }
    | { readonly stage: 'reports'; readonly reports: readonly ReportKey[] };
};

export const NO_FOLLOWERS: Followers = { peers: [], holders: [], reports: [], issuers: [] };

export const NO_RESULT: UnitResult = {
  filings: 0,
  rows: 0,
  known: 0,
  computed: 0,
  failures: [],
  followers: NO_FOLLOWERS,
};

/** Runs `work` for all items, at most `atOnce` at a time, so that a thread computes while another item is written. */
export async function inParallel<T>(items: readonly T[], atOnce: number, work: (item: T) => Promise<void>) {
  const left = items.values();
  const worker = async (): Promise<void> => {
    for (const item of left) await work(item);
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
}
