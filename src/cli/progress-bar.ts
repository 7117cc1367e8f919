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

/**
 * Shows the progress of the pipeline: the stage that it waits for, and how much of it is done. Without a terminal it
 * is a line for each stage, and one a minute for a long one.
 */
export function ingestBar() {
  const stageOf = ingestStages();
  const isTerminal = process.stderr.isTTY === true;
  const { show, stop } = isTerminal ? stageBar() : stageLines();
  return {
    show: (progress: Counts): void => show(stageOf(progress)),
    /** Where the bar stands at a terminal; it is drawn again below with the next progress. */
    sayAbove(line: string): void {
      process.stderr.write(`${isTerminal ? TO_EMPTY_LINE : ''}${line}\n`);
    },
    stop,
  };
}

function stageBar() {
  const bar = progressBar('{stage} |{bar}| {count}');
  // An empty bar without a total would be drawn full.
  bar.start(1, 0, { stage: 'Starting', count: '' });
  return {
    show(now: IngestStage): void {
      bar.setTotal(Math.max(1, now.all));
      bar.update(now.done, { stage: now.stage, count: countOf(now) });
    },
    stop: () => bar.stop(),
  };
}

const STAGE_LINE_EVERY_MS = 60_000;

function stageLines() {
  const seen = new Set<string>();
  let saidAt = 0;
  return {
    show(now: IngestStage): void {
      if (seen.has(now.stage) && performance.now() - saidAt < STAGE_LINE_EVERY_MS) return;
      seen.add(now.stage);
      saidAt = performance.now();
      process.stderr.write(`${now.stage} ${countOf(now)}`.trimEnd().concat('\n'));
    },
    stop: () => undefined,
  };
}

function countOf({ done, all }: IngestStage): string {
  return all === 0 ? '' : `${done} of ${all}`;
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
    const built = pending('Building briefs and search', counts.pending_briefs + counts.pending_search);
    if (read < discovered || discovered === 0 || index_days_left > 0) {
      return { stage: 'Reading filings', done: read, all: discovered };
    }
    return compared.done < compared.all ? compared : built;
  };
}
