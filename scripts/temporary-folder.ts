import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { discardHome } from '../packages/embedded/embedded.ts';

/** Runs `work` with a new folder and removes it. As a TIDEMARK_HOME, its services are stopped too. */
export async function withTemporaryFolder<T>(name: string, work: (folder: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), `tidemark-${name}-`));
  try {
    return await work(folder);
  } finally {
    await discardHome(folder);
  }
}
