import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const TOPS = [
  'src',
  'jobs',
  'queues',
  'dashboards',
  'packages/client/src',
  'packages/embedded',
  'packages/local-edgar',
];
const IMPORT = /\b(?:from|import)\s*\(?\s*'([^']+)'/g;

/** Of one line of docs/layers.md: what a folder or file may import outside of itself, and which packages it may not. */
type Layer = { readonly path: string; readonly may: readonly string[]; readonly packages: readonly string[] };

/** Reads the block `layers`, whose rules stand above it. */
function layersIn(markdown: string): Layer[] {
  const block = /```layers\n([\s\S]*?)```/.exec(markdown)?.[1] ?? '';
  const lines = [...block.matchAll(/^(\S+): +(.*)$/gm)].map(
    ([, name = '', words = '']) => [name, words.split(' ')] as const,
  );
  const sets = new Map(lines.filter(([name]) => name.startsWith('!')));
  const entries = lines
    .filter(([name]) => !sets.has(name))
    .flatMap(([name, words]) => name.split(',').map((path) => ({ path: placed(path), words })));
  const known = entries.map(({ path }) => path);
  return entries.map(({ path, words }) => ({
    path,
    may: words.filter((word) => !/^[!-]/.test(word)).map((word) => nearest(word, path, known)),
    packages: entries
      .filter((above) => `${path}/`.startsWith(`${above.path}/`))
      .flatMap((above) => above.words.filter((word) => word.startsWith('!')))
      .flatMap((word) => sets.get(word) ?? [word.slice(1)]),
  }));
}

function placed(path: string): string {
  return TOPS.some((top) => `${path}/`.startsWith(`${top}/`)) ? path : `src/${path}`;
}

/** The file, or the folder with a slash at its end, that is nearest; `root` has a star, for its files alone. */
function nearest(name: string, path: string, known: readonly string[]): string {
  const folders = Array.from(path.split('/'), (_, at) =>
    path
      .split('/')
      .slice(0, -at || undefined)
      .join('/'),
  );
  const found =
    folders.map((folder) => `${folder}/${name}`).find((one) => known.includes(one)) ?? placed(name);
  if (name === 'root') return `${dirname(path)}/*`;
  return name.endsWith('.ts') ? found : `${found}/`;
}

function isAllowed({ path, may, packages }: Layer, file: string, imported: string): boolean {
  if (!imported.startsWith('.')) {
    return !packages.some((name) =>
      name.endsWith('*') ? imported.startsWith(name.slice(0, -1)) : `${imported}/`.startsWith(`${name}/`),
    );
  }
  const target = join(dirname(file), imported);
  if (dirname(target) === path) return true;
  return may.some(
    (one) =>
      one === target || (one.endsWith('/') && target.startsWith(one)) || one === `${dirname(target)}/*`,
  );
}

/** The imports of a file that its layer does not name; a file of no layer is one itself. */
function refused(layers: readonly Layer[], file: string, text: string): string[] {
  const layer = layers.find(({ path }) => path === file) ?? layers.find(({ path }) => path === dirname(file));
  if (layer === undefined) return [`${file} is in no layer`];
  const imports = [...text.matchAll(IMPORT)].map(([, imported = '']) => imported);
  return imports.filter((one) => !isAllowed(layer, file, one)).map((one) => `${file} imports ${one}`);
}

const layers = layersIn(readFileSync(join(ROOT, 'docs/layers.md'), 'utf8'));

test('no file of the product imports what docs/layers.md does not allow its folder', () => {
  const names = TOPS.flatMap((top) =>
    readdirSync(join(ROOT, top), { recursive: true, encoding: 'utf8' }).map((name) => `${top}/${name}`),
  );
  const files = names.filter((name) => name.endsWith('.ts') && !/\.(test|sample)\.ts$/.test(name));
  expect(files.length).toBeGreaterThan(500);
  expect(files.flatMap((file) => refused(layers, file, readFileSync(join(ROOT, file), 'utf8')))).toEqual([]);
});

test.each([
  ['src/domain/ids.ts', '../store/mongo/lock.ts'],
  ['src/domain/change/change.ts', '../brief/brief.ts'],
  ['src/domain/change/change.ts', 'node:fs/promises'],
  ['src/forms/form-4/form.ts', 'mongodb'],
  ['src/store/filing/raw.ts', '../report/reports.ts'],
  ['src/context.ts', './serve.ts'],
  ['src/unlisted.ts', './errors.ts'],
  ['queues/discover.ts', 'node:path'],
])('%s may not import %s', (file, imported) => {
  expect(refused(layers, file, `import { one } from '${imported}';`)).toHaveLength(1);
  expect(refused(layers, file, `const { one } = await import('${imported}');`)).toHaveLength(1);
});
