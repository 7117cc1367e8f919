#!/usr/bin/env node
import './require-node.mjs';
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { installWhenMissing, ROOT } from './install.mjs';

/**
 * `npm test [-- vitest arguments]`: installs missing packages, runs vitest, and ends with the line
 * `N passed, N failed` (`, N skipped` when there are any). Exit code 1 when a test failed: the line before then names
 * the folder of the results and of the logs of the services.
 * It leaves out tests with the tag `long`; `npm run test:long` (`--long`) runs these, and those with the tag
 * `property` at full length, and no others.
 */
installWhenMissing({ development: true });
const folder = mkdtempSync(join(tmpdir(), 'tidemark-test-'));
const results = join(folder, 'results.json');
const isLong = process.argv[2] === '--long';
const code = await vitest([
  ...['run', '--reporter=default', '--reporter=json', `--outputFile.json=${results}`],
  `--tags-filter=${isLong ? 'long or property' : '!long'}`,
  ...process.argv.slice(isLong ? 3 : 2),
]);
const { passed, failed, skipped } = count(results, code);
if (failed > 0) console.log(`Logs and results of this run: ${folder}`);
else rmSync(folder, { recursive: true, force: true });
console.log(`${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`);
process.exitCode = failed > 0 ? 1 : 0;

function vitest(args) {
  const program = join(ROOT, 'node_modules', 'vitest', 'vitest.mjs');
  return new Promise((settle) => {
    const child = spawn(process.execPath, [program, ...args], {
      cwd: ROOT,
      stdio: 'inherit',
      env: { ...process.env, TIDEMARK_TEST_LOGS: folder, TIDEMARK_TEST_LONG: isLong ? '1' : '0' },
    });
    // Ctrl-C reaches vitest through the terminal; this process stays to print the counts.
    process.on('SIGINT', () => undefined);
    process.on('SIGTERM', () => child.kill('SIGTERM'));
    child.on('close', (exitCode) => settle(exitCode ?? 1));
  });
}

/** A file that does not load and an error outside tests count as failures too; vitest counts no test for them. */
function count(path, exitCode) {
  let result;
  try {
    result = JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    return { passed: 0, failed: 1, skipped: 0 };
  }
  const broken = result.testResults.filter(
    (file) => file.status === 'failed' && !file.assertionResults.some((test) => test.status === 'failed'),
  );
  const failed = result.numFailedTests + broken.length;
  return {
    passed: result.numPassedTests,
    failed: failed === 0 && exitCode !== 0 ? 1 : failed,
    skipped: result.numPendingTests + (result.numTodoTests ?? 0),
  };
}
