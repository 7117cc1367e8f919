import { execFileSync, spawnSync } from 'node:child_process';
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeEach, expect, test } from 'vitest';

/** A product of three modules with the compiler of this one, and a cache of its own. */
const folder = mkdtempSync(join(tmpdir(), 'tidemark-compiled-'));
const cache = join(folder, 'node_modules/.cache/tidemark/compiled');
const write = (path: string, text: string): void => writeFileSync(join(folder, path), text);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

beforeEach(() => {
  rmSync(folder, { recursive: true, force: true });
  for (const part of ['src', 'scripts/demo', 'node_modules/esbuild'])
    mkdirSync(join(folder, part), { recursive: true });
  const real = createRequire(import.meta.url).resolve('esbuild');
  write('node_modules/esbuild/index.js', `module.exports = require(${JSON.stringify(real)});`);
  write('node_modules/esbuild/package.json', '{"version":"0.0.1"}');
  for (const name of ['compiled.mjs', 'typescript.mjs', 'typescript-hooks.mjs'])
    copyFileSync(fileURLToPath(new URL(name, import.meta.url)), join(folder, 'src', name));
  write('src/two.ts', 'export const two: number = 2;\n');
  write('src/cli.ts', `import { two } from './two.ts';\nexport const found = [two, import.meta.url];\n`);
  write(
    'scripts/demo/demo.ts',
    'type A = 1;\ntype B = 2;\n\nexport const fail = (): never => { throw new Error("no"); };\n',
  );
});

const CLI = `import { importCompiled } from './src/compiled.mjs';
process.stdout.write(JSON.stringify((await importCompiled('src/cli.ts')).found));`;

/** What a process finds that is started now. */
function found(): unknown {
  const node = ['--input-type=module', '-e', CLI];
  return JSON.parse(execFileSync(process.execPath, node, { cwd: folder, encoding: 'utf8' }));
}

function kept(): string[] {
  return readdirSync(cache);
}

const url = `file://${folder}/src/cli.ts`;

test('what is compiled is kept, knows where its source is, and is made again when a source changes', () => {
  expect(found()).toEqual([2, url]);
  const first = kept();
  expect(found()).toEqual([2, url]);
  expect(kept()).toEqual(first);
  // An image is built by another user than the one that runs it.
  expect(statSync(join(cache, first[0] ?? '')).mode & 0o777).toBe(0o755);
  write('src/two.ts', 'export const two: number = 3;\n');
  expect(found()).toEqual([3, url]);
  expect(kept()).toHaveLength(2);
});

test('another compiler makes it again, and what is old is removed', () => {
  found();
  const [first = ''] = kept();
  utimesSync(join(cache, first), 0, 0);
  write('node_modules/esbuild/package.json', '{"version":"0.0.2"}');
  expect(found()).toEqual([2, url]);
  expect(kept()).toHaveLength(1);
  expect(kept()).not.toContain(first);
});

test('JavaScript beside the sources is a source', () => {
  write('src/two.mjs', 'export const two = 5;\n');
  write('src/cli.ts', `import { two } from './two.mjs';\nexport const found = [two, import.meta.url];\n`);
  expect(found()).toEqual([5, url]);
  write('src/two.mjs', 'export const two = 6;\n');
  expect(found()).toEqual([6, url]);
});

test('the compiler ends before the product starts', () => {
  write(
    'src/cli.ts',
    `import { execFileSync } from 'node:child_process';
const all = execFileSync('ps', ['-A', '-o', 'ppid=,args='], { encoding: 'utf8' }).split('\\n');
export const found = all.filter((line) => line.trim().startsWith(\`\${process.pid} \`) && line.includes('--service'));\n`,
  );
  expect(found()).toEqual([]);
});

test('where nothing can be kept the source runs', () => {
  write('node_modules/.cache', 'not a folder');
  expect(found()).toEqual([2, url]);
});

test('a source with a mistake is named, and runs when it is mended', () => {
  write('src/two.ts', 'export const two = ;\n');
  const failed = spawnSync(process.execPath, ['--input-type=module', '-e', CLI], {
    cwd: folder,
    encoding: 'utf8',
  });
  expect(failed.status).toBe(1);
  expect(failed.stderr).toContain('two.ts');
  write('src/two.ts', 'export const two = 4;\n');
  expect(found()).toEqual([4, url]);
});

test('a stack trace names the line of the source', () => {
  const run = `import { importCompiled } from './src/compiled.mjs';
(await importCompiled('scripts/demo/demo.ts')).fail();`;
  const failed = spawnSync(process.execPath, ['--input-type=module', '-e', run], {
    cwd: folder,
    encoding: 'utf8',
  });
  expect(kept()).toHaveLength(1);
  expect(failed.stderr).toMatch(/scripts\/demo\/demo\.ts:4:/);
});
