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

/** A program on PATH that answers as a Python of this version answers. */
function pythonOnPath(name: string, version: string): void {
  const program = join(folder, name);
  writeFileSync(program, `#!/bin/sh\necho ${version}\n`);
  chmodSync(program, 0o755);
}

test('no Python on PATH is one line that names what to do', async () => {
  const error = await findPython().catch((cause: unknown) => cause);
  expect(error).toBeInstanceOf(UsageError);
  expect(String(error)).toMatch(/^UsageError: Python 3\.10 or newer is needed.*no Python.*MONGO_URL[^\n]*$/);
});

test('a Python that is too old is named', async () => {
  pythonOnPath('python3', '3 9');
  await expect(findPython()).rejects.toThrow('only python3 is 3.9');
});

test('a Python with published wheels is taken before a newer one', async () => {
  pythonOnPath('python3', '3 14');
  expect(await findPython()).toBe('python3');
  pythonOnPath('python3.12', '3 12');
  expect(await findPython()).toBe('python3.12');
});
