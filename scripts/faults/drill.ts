import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { UsageError } from '../../src/errors.ts';
import { runProgram } from '../contract/program.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/** The cases of the runbook in docs/operations.md, by the file that rehearses each. */
export const DRILLS: Readonly<Record<string, string>> = {
  behind: 'test/faults/drills/behind.test.ts',
  blocked: 'test/faults/drills/blocked.test.ts',
  fork: 'test/faults/drills/fork.test.ts',
  queue: 'test/faults/drills/queue.test.ts',
  restore: 'test/faults/restore/drill.test.ts',
  unreadable: 'test/faults/drills/unreadable.test.ts',
  watermark: 'test/faults/drills/watermark.test.ts',
};

/**
 * `npm run drill -- NAME`: rehearses a case of the runbook on services of its own, which it throws away, and
 * prints what an operator sees and does. Returns 1 when it did not end as the runbook says.
 */
export function drill([name = '']: readonly string[]): Promise<number> {
  const file = DRILLS[name];
  if (file === undefined) throw new UsageError(`Which drill? One of: ${Object.keys(DRILLS).join(', ')}.`);
  const vitest = join(ROOT, 'node_modules', 'vitest', 'vitest.mjs');
  const args = [
    vitest,
    'run',
    '--project',
    'services',
    '--reporter=dot',
    '--disable-console-intercept=true',
    file,
  ];
  return runProgram(process.execPath, args, { cwd: ROOT, env: { DRILL: '1', FAULTS_LONG: '1' } });
}
