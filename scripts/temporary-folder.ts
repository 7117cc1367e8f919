import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { discardHome } from '../packages/embedded/embedded.ts';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
/** One may be within another. */
const held = new Set<string>();

function endAll(): void {
  void Promise.all([...held].map(discardHome)).finally(() => process.exit(1));
}

/**
 * Runs `work` with a new folder and removes it, also when the process is asked to end. As a TIDEMARK_HOME, its services
 * are stopped too.
 */
export async function withTemporaryFolder<T>(name: string, work: (folder: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), `tidemark-${name}-`));
  held.add(folder);
  if (held.size === 1) for (const signal of SIGNALS) process.on(signal, endAll);
  try {
    return await work(folder);
  } finally {
    held.delete(folder);
    if (held.size === 0) for (const signal of SIGNALS) process.off(signal, endAll);
    await discardHome(folder);
  }
}
