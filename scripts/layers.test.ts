import { readdirSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { layersIn, lintSettings, overrideOf } from './layers.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const read = (name: string): string => readFileSync(`${ROOT}/${name}`, 'utf8');

test('the linter enforces the layers of ARCHITECTURE.md: else run npm run layers', () => {
  expect(read('biome.layers.json')).toBe(lintSettings(read('ARCHITECTURE.md')));
});

test('every folder of the product stands in the layers', () => {
  const known = new Set(layersIn(read('ARCHITECTURE.md')).map(({ folder }) => folder));
  const files = ['src', 'jobs', 'queues', 'dashboards'].flatMap((top) =>
    readdirSync(`${ROOT}/${top}`, { recursive: true, encoding: 'utf8' }).map((name) => `${top}/${name}`),
  );
  const folders = new Set(files.filter((name) => name.endsWith('.ts')).map((name) => dirname(name)));
  folders.delete('src');
  expect([...folders].filter((folder) => !known.has(folder))).toEqual([]);
});

test('a folder may import itself and what its line names, and nothing else', () => {
  const [root, change] = layersIn('```layers\ndomain: -\ndomain/change: root errors.ts !mongodb\n```');
  expect(root?.allowed).toEqual([]);
  expect(change && JSON.stringify(overrideOf(change))).toContain(
    '["../**","./*/**","!../*","!../../errors.ts","mongodb","mongodb/**"]',
  );
});
