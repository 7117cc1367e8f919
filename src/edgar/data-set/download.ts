import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { EdgarClient } from '../client/open.ts';
import { isEdgarError } from '../error.ts';
import { repeated } from '../repeated.ts';
import { type DataSetArchive, openArchive } from './archive.ts';

const FOLDER = 'tidemark-data-set-';

/**
 * Downloads a data set into the system's folder for temporary files; null when it is not published. The
 * file is removed when the archive is closed. Throws {@link EdgarError} when no try gives a readable zip.
 */
export async function downloadDataSet(
  client: EdgarClient,
  name: string,
  signal: AbortSignal,
): Promise<DataSetArchive | null> {
  const dir = await mkdtemp(join(tmpdir(), `${FOLDER}${process.pid}-`));
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

/** Removes what downloads of this process and of processes that have ended left: a kill removes nothing. */
export async function removeLeftDownloads(): Promise<void> {
  for (const name of await readdir(tmpdir())) {
    const pid = new RegExp(`^${FOLDER}(\\d+)-`).exec(name)?.[1];
    if (pid === undefined || runsElsewhere(Number(pid))) continue;
    await rm(join(tmpdir(), name), { recursive: true, force: true });
  }
}

function runsElsewhere(pid: number): boolean {
  if (pid === process.pid) return false;
  try {
    return process.kill(pid, 0);
  } catch (error) {
    // It runs under another user.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
