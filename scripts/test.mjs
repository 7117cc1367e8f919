#!/usr/bin/env node
import './require-node.mjs';
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { installWhenMissing, ROOT } from './install.mjs';

const HELP = `npm test [-- PATH … | vitest options]        all tests but the long ones
npm run test:long [-- PATH … | vitest options]  the long ones, and those with many random inputs

npm test -- --project unit src/domain     the tests of a folder that need no services
npm test -- -t "words of a test's name"

The options of vitest: npx vitest --help`;

if (process.argv.includes('--help')) {
  console.log(HELP);
  process.exit(0);
}

/**
 * `npm test [-- vitest arguments]`: installs missing packages, runs vitest, and ends with the line
 * `N passed, N failed` (`, N skipped` when there are any). Exit code 1 when a test failed: the line before then names
 * the folder of the logs of the services.
 * It leaves out tests with the tag `long`; `npm run test:long` (`--long`) runs these, and those with the tag
 * `property` at full length, and no others.
 */
installWhenMissing({ development: true });
const folder = mkdtempSync(join(tmpdir(), 'tidemark-test-'));
const countsFile = join(folder, 'counts.json');
const isLong = process.argv[2] === '--long';
const code = await vitest([
  ...['run', '--reporter=default', `--reporter=${join(ROOT, 'scripts', 'test-counts.mjs')}`],
  `--tags-filter=${isLong ? 'long or property' : '!long'}`,
  ...process.argv.slice(isLong ? 3 : 2),
]);
const { passed, failed, skipped } = countsIn(countsFile, code);
if (failed > 0) console.log(`Logs of this run: ${folder}`);
else rmSync(folder, { recursive: true, force: true });
console.log(`${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`);
process.exitCode = failed > 0 ? 1 : 0;

function vitest(args) {
  const program = join(ROOT, 'node_modules', 'vitest', 'vitest.mjs');
  return new Promise((settle) => {
    const child = spawn(process.execPath, [program, ...args], {
      cwd: ROOT,
      stdio: 'inherit',
      env: {
        ...process.env,
        TIDEMARK_TEST_LOGS: folder,
        TIDEMARK_TEST_COUNTS: countsFile,
        TIDEMARK_TEST_LONG: isLong ? '1' : '0',
      },
    });
    // Ctrl-C reaches vitest through the terminal; this process stays to print the counts.
    process.on('SIGINT', () => undefined);
    process.on('SIGTERM', () => child.kill('SIGTERM'));
    child.on('close', (exitCode) => settle(exitCode ?? 1));
  });
}

/** What the reporter wrote; nothing where vitest itself ended before it. */
function countsIn(path, exitCode) {
  const isThere = existsSync(path);
  const counts = isThere ? JSON.parse(readFileSync(path, 'utf8')) : { passed: 0, failed: 0, skipped: 0 };
  return counts.failed === 0 && (exitCode !== 0 || !isThere) ? { ...counts, failed: 1 } : counts;
}
