import { SingleBar } from 'cli-progress';
import type { Progress } from '../bulk/import.ts';
import type { PipelineProgress } from '../derive/corpus/progress.ts';

/** A bar on stderr; without a terminal it prints a line now and then. */
export function progressBar(format: string): SingleBar {
  return new SingleBar({
    format,
    noTTYOutput: true,
    notTTYSchedule: 3_000,
    hideCursor: null,
    gracefulExit: false,
    stream: process.stderr,
  });
}

/** Shows the progress of the pipeline. */
export function ingestBar() {
  const bar = progressBar('Ingesting |{bar}| {value}/{total} filings, {briefs} briefs');
  bar.start(0, 0, { briefs: 0 });
  return {
    show({ discovered, parsed, quarantined, briefs }: PipelineProgress): void {
      bar.setTotal(discovered);
      bar.update(parsed + quarantined, { briefs });
    },
    stop: () => bar.stop(),
  };
}

const PERMILLE = 1_000;

/** Shows the progress of an import: a bar for each data set and stage. */
export function importBar() {
  const bar = progressBar('{dataSet} {stage} |{bar}| {percentage} %, {eta_formatted} left');
  let shown = '';
  return {
    show({ dataSet, stage, share }: Progress): void {
      const title = `${dataSet} ${stage}`;
      if (title !== shown) {
        if (shown !== '') bar.stop();
        bar.start(PERMILLE, 0, { dataSet, stage });
        shown = title;
      }
      bar.update(Math.floor(share * PERMILLE));
    },
    stop: () => bar.stop(),
  };
}
