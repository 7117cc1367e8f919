import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { markdownIn } from './markdown.ts';

let root: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'tidemark-markdown-'));
  for (const folder of ['docs', 'notes', 'node_modules']) mkdirSync(join(root, folder));
  for (const path of ['README.md', 'docs/one.md', 'docs/one.txt', 'notes/own.md', 'node_modules/theirs.md'])
    writeFileSync(join(root, path), '');
});
afterEach(() => rmSync(root, { recursive: true }));

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
