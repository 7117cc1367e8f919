import { SingleBar } from 'cli-progress';

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

export type IngestProgress = {
  readonly discovered: number;
  readonly parsed: number;
  readonly quarantined: number;
  readonly briefs: number;
};

type IngestBar = { readonly show: (progress: IngestProgress) => void; readonly stop: () => void };

/** Shows the progress of the pipeline. */
export function ingestBar(): IngestBar {
  const bar = progressBar('Ingesting |{bar}| {value}/{total} filings, {briefs} briefs');
  bar.start(0, 0, { briefs: 0 });
  return {
    show({ discovered, parsed, quarantined, briefs }) {
      bar.setTotal(discovered);
      bar.update(parsed + quarantined, { briefs });
    },
    stop: () => bar.stop(),
  };
}
