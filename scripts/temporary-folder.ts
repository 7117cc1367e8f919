import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { discardHome } from '../packages/embedded/embedded.ts';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * Runs `work` with a new folder and removes it, also when the process is asked to end. As a TIDEMARK_HOME, its services
 * are stopped too.
 */
export async function withTemporaryFolder<T>(name: string, work: (folder: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), `tidemark-${name}-`));
  const end = (): void => void discardHome(folder).finally(() => process.exit(1));
  for (const signal of SIGNALS) process.on(signal, end);
  try {
    return await work(folder);
  } finally {
    for (const signal of SIGNALS) process.off(signal, end);
    await discardHome(folder);
  }
}
