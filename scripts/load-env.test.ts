import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';

const LOADER = new URL('load-env.mjs', import.meta.url).href;
const PRINT = `import { loadEnv } from ${JSON.stringify(LOADER)}; loadEnv();
console.log(process.env.EDGAR_USER_AGENT, process.env.PORT);`;

const folder = mkdtempSync(join(tmpdir(), 'tidemark-env-'));
afterAll(() => rmSync(folder, { recursive: true }));

test('the settings of .env hold where the environment names none', () => {
  writeFileSync(join(folder, '.env'), 'EDGAR_USER_AGENT=Example Corp ops@example.com\nPORT=9000\n');
  const { stdout } = spawnSync(process.execPath, ['--input-type=module', '-e', PRINT], {
    cwd: folder,
    encoding: 'utf8',
    env: { PORT: '9100' },
  });
  expect(stdout).toBe('Example Corp ops@example.com 9100\n');
});
