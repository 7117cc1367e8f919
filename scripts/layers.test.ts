import { readdirSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { layersIn, lintSettings, overrideOf } from './layers.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const read = (name: string): string => readFileSync(`${ROOT}/${name}`, 'utf8');

test('the linter enforces the layers of docs/layers.md: else run npm run layers', () => {
  expect(read('biome.layers.json')).toBe(lintSettings(read('docs/layers.md')));
});

test('every folder of the product stands in the layers', () => {
  const known = new Set(layersIn(read('docs/layers.md')).map(({ path }) => path));
  const files = ['src', 'jobs', 'queues', 'dashboards'].flatMap((top) =>
    readdirSync(`${ROOT}/${top}`, { recursive: true, encoding: 'utf8' }).map((name) => `${top}/${name}`),
  );
  const folders = new Set(files.filter((name) => name.endsWith('.ts')).map((name) => dirname(name)));
  folders.delete('src');
  const rootFiles = files.filter(
    (name) => dirname(name) === 'src' && !/\.test\.ts$/.test(name) && name.endsWith('.ts'),
  );
  expect([...folders, ...rootFiles].filter((path) => !known.has(path))).toEqual([]);
});

test('a folder may import itself and what its line names, and nothing else', () => {
  const [root, change] = layersIn(
    '```layers\n!io: node:fs\n\ndomain: !io\ndomain/change: root errors.ts !mongodb\n```',
  );
  expect(root?.allowed).toEqual([]);
  expect(change && JSON.stringify(overrideOf(change))).toContain(
    '["../**","./*/**","!../*","!../../errors.ts","node:fs","node:fs/**","mongodb","mongodb/**"]',
  );
});

test('no folder of the domain or of the forms reads files, opens connections or knows a database', () => {
  const pure = layersIn(read('docs/layers.md')).filter(({ path }) => /^src\/(domain|forms)(\/|$)/.test(path));
  expect(pure.length).toBeGreaterThan(15);
  for (const { packages } of pure) {
    expect(packages).toEqual(
      expect.arrayContaining(['node:fs', 'node:net', 'mongodb', 'ioredis', 'bullmq', 'express']),
    );
  }
});
