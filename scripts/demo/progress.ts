import { setTimeout as sleep } from 'node:timers/promises';
import { type IngestProgress, ingestBar } from '../../src/cli/progress-bar.ts';
import { AppError } from '../../src/errors.ts';

/** The progress of the pipeline, as `tidemark status --json` prints it. */
export type Progress = IngestProgress & {
  /** No stage has pending work, and every listed day was read. */
  readonly done: boolean;
};

const POLL_MS = 500;
/** Much longer than any job of the bundled corpus takes, retries included. */
const STALL_LIMIT_MS = 180_000;

/**
 * Shows a bar until the pipeline is done. Throws `demo_stalled` when nothing changes for three minutes,
 * because a demo that waits for ever explains nothing.
 */
export async function showProgress(read: () => Promise<Progress>): Promise<void> {
  const bar = ingestBar();
  let last = '';
  let changedAt = performance.now();
  try {
    for (;;) {
      const progress = await read();
      bar.show(progress);
      if (progress.done) return;
      const seen = JSON.stringify(progress);
      if (seen !== last) changedAt = performance.now();
      last = seen;
      if (performance.now() - changedAt > STALL_LIMIT_MS) {
        throw new AppError('demo_stalled', `Nothing changed for ${STALL_LIMIT_MS / 1_000} s: ${seen}`);
      }
      await sleep(POLL_MS);
    }
  } finally {
    bar.stop();
  }
}
