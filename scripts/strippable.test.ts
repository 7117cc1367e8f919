import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import * as nodes from 'node:module';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

/** Node's own, of 22 and later, which run the tests' files by it; `npm run matrix` has these. */
const { stripTypeScriptTypes: strip } = nodes as {
  readonly stripTypeScriptTypes?: (code: string) => string;
};

test.skipIf(strip === undefined)('Node itself can read every TypeScript file', () => {
  const files = execFileSync('git', ['ls-files', '*.ts'], { cwd: ROOT, encoding: 'utf8' });
  const refused = files.split('\n').filter((path) => {
    try {
      if (path !== '') strip?.(readFileSync(`${ROOT}/${path}`, 'utf8'));
      return false;
    } catch {
      return true;
    }
  });
  expect(refused).toEqual([]);
});
