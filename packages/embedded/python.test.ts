import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { UsageError } from '../../src/errors.ts';
import { ownFolder } from '../../test/own-folder.ts';
import { findPython } from './python.ts';

const folder = ownFolder('with a blank', beforeEach);
beforeEach(() => {
  vi.stubEnv('PATH', folder);
});
afterEach(() => {
  vi.unstubAllEnvs();
});

function programOnPath(name: string, lines: string): void {
  const program = join(folder, name);
  writeFileSync(program, `#!/bin/sh\n${lines}\n`);
  chmodSync(program, 0o755);
}

/** Puts a program on PATH that prints the same as a Python of this version. */
function pythonOnPath(name: string, version: string): void {
  programOnPath(name, `echo ${version}`);
}

test('without a Python on PATH the error is one line that names the ways out', async () => {
  const error = await findPython().catch((cause: unknown) => cause);
  expect(error).toBeInstanceOf(UsageError);
  expect(String(error)).toMatch(
    /^UsageError: .*without a Python on PATH\. Ways out: Python 3\.10 to 3\.13 .*Docker.*MONGO_URL, CREDITS_REDIS_URL and QUEUE_REDIS_URL\.$/,
  );
});

test.each(['3 9', '2 7', '3 14'])('a Python without wheels (%s) is named, and not used', async (version) => {
  pythonOnPath('python3', version);
  pythonOnPath('python', version);
  const named = version.replace(' ', '.');
  await expect(findPython()).rejects.toThrow(`(python3 is ${named}, python is ${named}). Ways out: `);
});

test.each(['3 10', '3 11', '3 12', '3 13'])('a Python with wheels (%s) is used', async (version) => {
  pythonOnPath('python3', version);
  expect(await findPython()).toBe('python3');
});

test('a Python with wheels is found behind a newer one and a shim whose Python is not active', async () => {
  pythonOnPath('python3', '3 14');
  programOnPath('python3.13', 'echo "pyenv: python3.13: command not found" >&2; exit 127');
  pythonOnPath('python3.12', '3 12');
  expect(await findPython()).toBe('python3.12');
});
