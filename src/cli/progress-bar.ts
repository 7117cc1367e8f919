import { SingleBar } from 'cli-progress';
import type { PipelineStatus } from '../derive/corpus/status.ts';

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
    show({ discovered, parsed, quarantined, briefs }: PipelineStatus): void {
      bar.setTotal(discovered);
      bar.update(parsed + quarantined, { briefs });
    },
    stop: () => bar.stop(),
  };
}
