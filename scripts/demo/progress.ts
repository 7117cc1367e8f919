import { setTimeout as sleep } from 'node:timers/promises';
import { Presets, SingleBar } from 'cli-progress';
import { AppError } from '../../src/errors.ts';

/** How far the pipeline is, as `tidemark status --json` has it. */
export type Progress = {
  readonly discovered: number;
  readonly parsed: number;
  readonly quarantined: number;
  readonly briefs: number;
  /** Nothing is pending in any stage, and every listed day was read. */
  readonly done: boolean;
};

const ASK_EVERY_MS = 500;
/** Far longer than any job of the bundled corpus takes, retries included. */
const STALL_LIMIT_MS = 180_000;

/**
 * A bar on stderr until the pipeline is done. Throws `demo_stalled` when nothing moves for three
 * minutes: a demo that waits for ever tells nobody anything.
 */
export async function showProgress(ask: () => Promise<Progress>): Promise<void> {
  const bar = new SingleBar(
    {
      format: 'Ingesting |{bar}| {value}/{total} filings, {briefs} briefs, {duration_formatted}',
      noTTYOutput: true,
      notTTYSchedule: 3_000,
      hideCursor: null,
      gracefulExit: false,
    },
    Presets.shades_classic,
  );
  bar.start(0, 0, { briefs: 0 });
  try {
    await follow(ask, (now) => {
      bar.setTotal(now.discovered);
      bar.update(now.parsed + now.quarantined, { briefs: now.briefs });
    });
  } finally {
    bar.stop();
  }
}

async function follow(ask: () => Promise<Progress>, show: (now: Progress) => void): Promise<void> {
  let last = '';
  let movedAt = Date.now();
  for (;;) {
    const now = await ask();
    show(now);
    if (now.done) return;
    const seen = JSON.stringify(now);
    if (seen !== last) movedAt = Date.now();
    last = seen;
    if (Date.now() - movedAt > STALL_LIMIT_MS) {
      throw new AppError('demo_stalled', `Nothing moved for ${STALL_LIMIT_MS / 1_000} s: ${seen}`);
    }
    await sleep(ASK_EVERY_MS);
  }
}
