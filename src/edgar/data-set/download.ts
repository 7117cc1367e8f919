import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { EdgarClient } from '../client/open.ts';
import { EdgarError, isEdgarError } from '../error.ts';
import { type DataSetArchive, openArchive } from './archive.ts';

const TRIES = 4;
const FIRST_WAIT_MS = 1_000;

/**
 * Downloads a data set into the system's folder for temporary files; null when it is not published. The
 * file is removed when the archive is closed. Throws {@link EdgarError} when no try gives a readable zip.
 */
export async function downloadDataSet(
  client: EdgarClient,
  name: string,
  signal: AbortSignal,
): Promise<DataSetArchive | null> {
  const dir = await mkdtemp(join(tmpdir(), 'tidemark-data-set-'));
  const remove = (): Promise<void> => rm(dir, { recursive: true, force: true });
  try {
    const archive = await repeated(signal, async () => {
      const file = join(dir, `${name}.zip`);
      await client.saveDataSet(name, file, signal);
      return openArchive(file);
    });
    return { ...archive, close: () => archive.close().finally(remove) };
  } catch (error) {
    await remove();
    if (isEdgarError(error, 'edgar_not_found')) return null;
    throw error;
  }
}

/** Waits as long as EDGAR or the breaker asks, at most {@link TRIES} times. */
async function repeated<T>(signal: AbortSignal, run: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await run();
    } catch (error) {
      if (!(error instanceof EdgarError) || !error.retry || error.code === 'edgar_not_found') throw error;
      if (tries === TRIES || signal.aborted) throw error;
      const waitMs = Math.max(error.retryAfterMs ?? 0, FIRST_WAIT_MS * 2 ** (tries - 1));
      // A stopped wait ends in the error that it followed.
      await sleep(waitMs, undefined, { signal }).catch(() => {
        throw error;
      });
    }
  }
}
