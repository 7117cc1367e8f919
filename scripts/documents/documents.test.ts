import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { documents, listings } from './listings.ts';
import { markdownIn } from './markdown.ts';
import { COMMANDS, LISTINGS, SCRIPTS } from './register.ts';

const ROOT = new URL('../../', import.meta.url);

test('every listing of the documents is run, or the register says what holds it or why it is not run', () => {
  const found = listings('https://tidemark.example').map(({ place, name }) => `${place} | ${name}`);
  const registered = Object.entries(LISTINGS).flatMap(([place, names]) =>
    Object.keys(names).map((name) => `${place} | ${name}`),
  );
  expect([...new Set(found)].sort()).toEqual(registered.sort());
});

test('every fence of a document is found as a listing', () => {
  const found = listings('https://tidemark.example');
  for (const [path, text] of documents()) {
    const fences = [...text.matchAll(/^\s*(?:```|~~~)/gm)].length;
    expect([path, fences]).toEqual([path, found.filter(({ place }) => place === path).length * 2]);
  }
});

test('the listings of a page have names of their own, for anyone who moves from one to the next', () => {
  const names = listings('https://tidemark.example')
    .filter(({ place }) => place === '/docs' || place === '/connect')
    .map(({ place, name }) => `${place} | ${name}`);
  expect(new Set(names).size).toBe(names.length);
});

test('what holds a listing, a command or a script exists', () => {
  const ways = [...Object.values(LISTINGS), COMMANDS, SCRIPTS].flatMap((names) => Object.values(names));
  for (const way of ways) {
    if ('heldBy' in way)
      expect([way.heldBy, existsSync(fileURLToPath(new URL(way.heldBy, ROOT)))]).toEqual([way.heldBy, true]);
  }
});

test('what the register says that .ci/run holds, .ci/run runs', () => {
  const lines = readFileSync(fileURLToPath(new URL('.ci/run', ROOT)), 'utf8').split('\n');
  const held = (names: typeof SCRIPTS) =>
    Object.entries(names).flatMap(([name, way]) =>
      'heldBy' in way && way.heldBy === '.ci/run' ? [name] : [],
    );
  const commands = [...held(SCRIPTS).map((name) => `npm (?:run (?:--silent )?)?${name}`), ...held(COMMANDS)];
  const isRun = (command: string) =>
    lines.some((line) => new RegExp(`^[^#]*\\b${command}(?![\\w:-])`).test(line));
  expect(commands.length).toBeGreaterThan(5);
  expect(commands.filter((command) => !isRun(command))).toEqual([]);
});

test('no document holds both sides of a merge', () => {
  const root = fileURLToPath(ROOT);
  const halfMerged = markdownIn(root).filter((path) =>
    /^(?:<{7}|>{7}) /m.test(readFileSync(join(root, path), 'utf8')),
  );
  expect(halfMerged).toEqual([]);
});

test('every file that a document names exists', () => {
  const root = fileURLToPath(ROOT);
  const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], { cwd: root })
    .toString()
    .split('\n')
    .filter((path) => existsSync(join(root, path)));
  const exists = (name: string): boolean => files.some((path) => `/${path}`.endsWith(`/${name}`));
  const named = markdownIn(root).flatMap((path) => {
    const names = readFileSync(join(root, path), 'utf8').matchAll(/`([\w./-]+\.(?:ts|mjs|lua|sh|css))`/g);
    return [...names].map(([, name = '']) => [path, name.replace(/^(?:\.\.\/)+/, '')] as const);
  });
  expect(named.length).toBeGreaterThan(100);
  expect(named.filter(([, name]) => !exists(name))).toEqual([]);
});
