import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { ownFolder } from '../../test/own-folder.ts';
import { markdownIn } from './markdown.ts';

const root = ownFolder('markdown', beforeEach);

beforeEach(() => {
  for (const folder of ['docs', 'notes', 'node_modules']) mkdirSync(join(root, folder));
  for (const path of ['README.md', 'docs/one.md', 'docs/one.txt', 'notes/own.md', 'node_modules/theirs.md'])
    writeFileSync(join(root, path), '');
});

test('a file that git does not have is no document of the repository', () => {
  const git = (...args: string[]) => execFileSync('git', args, { cwd: root });
  git('init', '--quiet');
  git('add', 'README.md', 'docs');
  expect(markdownIn(root)).toEqual(['README.md', 'docs/one.md']);
  rmSync(join(root, 'docs/one.md'));
  expect(markdownIn(root)).toEqual(['README.md']);
});

test('in an unpacked archive every file is one', () => {
  expect(markdownIn(root)).toEqual(['README.md', 'docs/one.md', 'notes/own.md']);
});
