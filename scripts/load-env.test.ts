import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ownFolder } from '../test/own-folder.ts';

const LOADER = new URL('load-env.mjs', import.meta.url).href;
const PRINT = `import { loadEnv } from ${JSON.stringify(LOADER)}; loadEnv();
console.log(process.env.EDGAR_USER_AGENT, process.env.PORT);`;

const folder = ownFolder('env');

test('the settings of .env hold where the environment names none', () => {
  writeFileSync(join(folder, '.env'), 'EDGAR_USER_AGENT=Example Corp ops@example.com\nPORT=9000\n');
  const { stdout } = spawnSync(process.execPath, ['--input-type=module', '-e', PRINT], {
    cwd: folder,
    encoding: 'utf8',
    env: { PORT: '9100' },
  });
  expect(stdout).toBe('Example Corp ops@example.com 9100\n');
});
