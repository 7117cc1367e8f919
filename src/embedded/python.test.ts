import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { UsageError } from '../errors.ts';
import { findPython } from './python.ts';

const path = process.env['PATH'];
let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tidemark-python-'));
  process.env['PATH'] = folder;
});
afterEach(() => {
  process.env['PATH'] = path;
  rmSync(folder, { recursive: true, force: true });
});

/** Puts a program on PATH that prints the same as a Python of this version. */
function pythonOnPath(name: string, version: string): void {
  const program = join(folder, name);
  writeFileSync(program, `#!/bin/sh\necho ${version}\n`);
  chmodSync(program, 0o755);
}

test('without a Python on PATH the error is one line that says what to do', async () => {
  const error = await findPython().catch((cause: unknown) => cause);
  expect(error).toBeInstanceOf(UsageError);
  expect(String(error)).toMatch(/^UsageError: Python 3\.10 or newer is needed.*no Python.*MONGO_URL[^\n]*$/);
});

test('the error names a Python that is too old', async () => {
  pythonOnPath('python3', '3 9');
  await expect(findPython()).rejects.toThrow('only python3 is 3.9');
});

test('a Python with published wheels is preferred to a newer one', async () => {
  pythonOnPath('python3', '3 14');
  expect(await findPython()).toBe('python3');
  pythonOnPath('python3.12', '3 12');
  expect(await findPython()).toBe('python3.12');
});
