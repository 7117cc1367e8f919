import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { UsageError } from '../../src/errors.ts';
import { ownFolder } from '../../test/own-folder.ts';
import { openDocker, preferDocker } from './docker.ts';
import { readState, writeState } from './state.ts';

const folder = ownFolder('with a blank', beforeEach);
let home = '';
let lines: string[] = [];
const report = (line: string): void => {
  lines.push(line);
};
const open = () => openDocker(home, ['mongo'], { report });

beforeEach(() => {
  home = join(folder, 'home');
  lines = [];
  vi.stubEnv('PATH', folder);
});
afterEach(() => {
  vi.unstubAllEnvs();
});

/** A `docker` on PATH that answers every call, except that `cases` says otherwise. Its calls are in the file `calls`. */
function dockerOnPath(cases: string): void {
  const program = join(folder, 'docker');
  writeFileSync(program, `#!/bin/sh\necho "$*" >> '${folder}/calls'\ncase "$*" in\n${cases}\nesac\n`);
  chmodSync(program, 0o755);
}

const calls = (): string => readFileSync(join(folder, 'calls'), 'utf8');
const CANNOT_PULL = `*" up "*) echo 'Error response from daemon: no such host' >&2; exit 1 ;;`;

test('a machine without Docker is not worth a line, unless Docker is wanted', async () => {
  expect(await preferDocker(null, report, open)).toBeNull();
  expect(lines).toEqual([]);
  await expect(preferDocker('DOCKER=always', report, open)).rejects.toThrow(
    'DOCKER=always, and docker is not on PATH.',
  );
});

test.each([
  ["version*) echo 'permission denied' >&2; exit 1 ;;", 'no Docker daemon answers (permission denied)'],
  ['"compose version"*) exit 1 ;;', 'Docker has no compose plugin'],
  [CANNOT_PULL, 'docker compose up failed: Error response from daemon: no such host'],
])('a Docker that cannot be used is one line: %s', async (cases, problem) => {
  dockerOnPath(cases);
  expect(await preferDocker(null, report, open)).toBeNull();
  expect(lines.at(-1)).toBe(`Docker is not used: ${problem}. The embedded MongoDB and Redis serve instead.`);
  const refused = preferDocker('DOCKER=always', report, open);
  await expect(refused).rejects.toThrow(`DOCKER=always, and ${problem}.`);
  await expect(refused).rejects.toBeInstanceOf(UsageError);
});

test('a start that fails leaves no project behind, and the home without a kind', async () => {
  dockerOnPath(CANNOT_PULL);
  await preferDocker(null, report, open);
  expect(calls()).toMatch(/ up .*\n.* down --timeout 5\n$/);
  expect(readState(home).kind).toBeUndefined();
});

test('the containers of a home with data are never taken down', async () => {
  writeState(home, { kind: 'docker' });
  dockerOnPath(CANNOT_PULL);
  await expect(preferDocker('Its data is in Docker', report, open)).rejects.toThrow(
    'Its data is in Docker, and',
  );
  expect(calls()).not.toContain(' down');
});

test('Ctrl-C during the start does not go on with the embedded pair', async () => {
  dockerOnPath('*" up "*) exit 130 ;;');
  await expect(preferDocker(null, report, open)).rejects.toThrow('Interrupted.');
});

test('a home that another process made embedded meanwhile is not opened with Docker', async () => {
  writeState(home, { kind: 'embedded' });
  dockerOnPath('');
  expect(await preferDocker(null, report, open)).toBeNull();
  expect(lines).toEqual([expect.stringContaining('this home of kind embedded')]);
  expect(calls()).not.toContain(' up ');
  expect(existsSync(join(home, 'password'))).toBe(false);
});
