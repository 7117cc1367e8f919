import type { PipelineProgress } from '../derive/corpus/progress.ts';

/** What a person reads beside a bar. */
export type IngestStage = { readonly stage: string; readonly done: number; readonly all: number };

type Counts = Pick<
  PipelineProgress,
  | 'discovered'
  | 'parsed'
  | 'quarantined'
  | 'ignored'
  | 'index_days_left'
  | 'pending_events'
  | 'pending_reports'
  | 'pending_peers'
  | 'pending_issuers'
  | 'pending_briefs'
  | 'pending_search'
>;

/**
 * The first stage with work left. What is pending has no total of its own, and work makes more of it: the most that
 * was seen at once stands for it.
 */
export function ingestStages(): (counts: Counts) => IngestStage {
  const most = new Map<string, number>();
  const pending = (stage: string, left: number): IngestStage => {
    const all = Math.max(left, most.get(stage) ?? 0);
    most.set(stage, all);
    return { stage, done: all - left, all };
  };
  return (counts) => {
    const { discovered, index_days_left } = counts;
    const read = counts.parsed + counts.quarantined + counts.ignored;
    const compared = pending(
      'Comparing reports',
      counts.pending_events + counts.pending_reports + counts.pending_peers + counts.pending_issuers,
    );
    const built = pending('Settling tickers', counts.pending_briefs + counts.pending_search);
    if (read < discovered || discovered === 0 || index_days_left > 0) {
      return { stage: 'Reading filings', done: read, all: discovered };
    }
    return compared.done < compared.all ? compared : built;
  };
}
