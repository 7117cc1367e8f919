import { execFileSync, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { findOnPath } from '../../packages/embedded/engine.ts';

export type QuickXml = {
  /** Seconds of CPU of one pass over the table, and its rows. */
  readonly ask: () => Promise<{ readonly seconds: number; readonly count: number }>;
  readonly peakKib: () => number;
  readonly stop: () => void;
};

const FOLDER = fileURLToPath(new URL('.', import.meta.url));
const TARGET = fileURLToPath(new URL('../../.tidemark/bench-quick-xml', import.meta.url));
const PROGRAM = join(TARGET, 'release', 'quick-xml-peer');

/** The reader in Rust over a submission; null where cargo is not there to build it, once. */
export function openQuickXml(path: string): QuickXml | null {
  if (!existsSync(PROGRAM) && !build()) return null;
  const child = spawn(PROGRAM, [path], { stdio: ['pipe', 'pipe', 'inherit'] });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    ask: async () => {
      child.stdin.write('pass\n');
      const line = await lines.next();
      if (line.done) throw new Error('quick-xml stopped');
      return JSON.parse(line.value) as { seconds: number; count: number };
    },
    peakKib: () => Number(execFileSync(PROGRAM, ['--peak', path], { encoding: 'utf8' })),
    stop: () => child.stdin.end(),
  };
}

function build(): boolean {
  if (findOnPath('cargo') === null) return false;
  console.log('building the peer on quick-xml with cargo into .tidemark (once) ...');
  const args = ['build', '--release', '--locked', '--quiet', '--target-dir', TARGET];
  execFileSync('cargo', args, { cwd: FOLDER, stdio: 'inherit' });
  return true;
}
