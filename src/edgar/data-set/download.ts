import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { EdgarClient } from '../client/open.ts';
import { isEdgarError } from '../error.ts';
import { repeated } from '../repeated.ts';
import { type DataSetArchive, openArchive } from './archive.ts';

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
