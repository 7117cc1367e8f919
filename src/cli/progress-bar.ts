import { SingleBar } from 'cli-progress';
import type { Progress } from '../bulk/import.ts';
import type { PipelineProgress } from '../derive/corpus/progress.ts';

/** How often a plain line says how far it is: hours of them are in a log. */
const LINE_EVERY_MS = 10_000;

/** A bar on stderr; without a terminal a plain line now and then. */
export function progressBar(format: string): SingleBar {
  const isTerminal = process.stderr.isTTY === true;
  return new SingleBar({
    format: isTerminal ? format : format.replace('|{bar}| ', ''),
    noTTYOutput: true,
    notTTYSchedule: LINE_EVERY_MS,
    // The last plain line has ended: no empty one follows.
    clearOnComplete: !isTerminal,
    hideCursor: null,
    gracefulExit: false,
    stream: process.stderr,
  });
}

/** Shows the progress of the pipeline: the stage that it waits for, and how much of it is done. */
export function ingestBar() {
  const bar = progressBar('{stage} |{bar}| {count}');
  const stageOf = ingestStages();
  // An empty bar without a total would be drawn full.
  bar.start(1, 0, { stage: 'Starting', count: '' });
  return {
    show(progress: PipelineProgress): void {
      const { stage, done, all } = stageOf(progress);
      bar.setTotal(Math.max(1, all));
      bar.update(done, { stage, count: all === 0 ? '' : `${done} of ${all}` });
    },
    /** Where the bar stands at a terminal; it is drawn again below with the next progress. */
    sayAbove(line: string): void {
      process.stderr.write(process.stderr.isTTY === true ? `${TO_EMPTY_LINE}${line}\n` : `${line}\n`);
    },
    stop: () => bar.stop(),
  };
}

/** The cursor at the start of the line, and nothing after it. */
const TO_EMPTY_LINE = '\r\u001b[K';

const PERMILLE = 1_000;

/** Shows the progress of an import: a bar for each data set. */
export function importBar() {
  const bar = progressBar('{dataSet} |{bar}| {percentage} %, {eta_formatted} left');
  let shown = '';
  return {
    show({ dataSet, share }: Progress): void {
      if (dataSet !== shown) {
        if (shown !== '') bar.stop();
        bar.start(PERMILLE, 0, { dataSet });
        shown = dataSet;
      }
      bar.update(Math.floor(share * PERMILLE));
    },
    stop: () => bar.stop(),
  };
}

/** What a person reads beside a bar. */
type IngestStage = { readonly stage: string; readonly done: number; readonly all: number };

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
