import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { beforeAll, expect, test } from 'vitest';
import { ownFolder } from '../test/own-folder.ts';

/** A package with the hooks and the esbuild of this one, and a cache of its own. */
const folder = ownFolder('hooks');
const esbuild = join(folder, 'node_modules/esbuild');
const cache = join(folder, 'node_modules/.cache/tidemark');
const source = pathToFileURL(join(folder, 'src/two.ts')).href;

const LOAD = `import { load } from './src/hooks.mjs';
process.stdout.write((await load(${JSON.stringify(source)}, {})).source);`;

/** What a process gets to run that starts with this release of esbuild. */
function loaded(release: string): string {
  writeFileSync(join(esbuild, 'package.json'), JSON.stringify({ version: release }));
  const node = ['--input-type=module', '-e', LOAD];
  return execFileSync(process.execPath, node, { cwd: folder, encoding: 'utf8' });
}

beforeAll(() => {
  for (const part of ['src', 'node_modules/esbuild']) mkdirSync(join(folder, part), { recursive: true });
  const real = createRequire(import.meta.url).resolve('esbuild');
  writeFileSync(join(esbuild, 'index.js'), `module.exports = require(${JSON.stringify(real)});`);
  copyFileSync(
    fileURLToPath(new URL('typescript-hooks.mjs', import.meta.url)),
    join(folder, 'src/hooks.mjs'),
  );
  writeFileSync(fileURLToPath(source), 'export const two: number = 2;\n');
});

test('compiled files are kept, under the release of esbuild', () => {
  const code = loaded('0.0.1');
  expect(code).toContain('const two = 2;');
  expect(readdirSync(cache)).toHaveLength(1);
  expect(loaded('0.0.1')).toBe(code);
  expect(readdirSync(cache)).toHaveLength(1);
  loaded('0.0.2');
  expect(readdirSync(cache)).toHaveLength(2);
});
