import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const LAYERS = new URL('../docs/layers.md', import.meta.url);
const SETTINGS = new URL('../biome.layers.json', import.meta.url);

/** A folder or file, the globs of what it may import, and the packages that it may not. */
type Layer = {
  readonly path: string;
  readonly allowed: readonly string[];
  readonly packages: readonly string[];
};

/** Reads the block `layers` of docs/layers.md, whose rules stand above it. */
export function layersIn(markdown: string): Layer[] {
  const block = /```layers\n([\s\S]*?)```/.exec(markdown)?.[1] ?? '';
  const lines = [...block.matchAll(/^(\S+):\s+(.*)$/gm)].map(([, names = '', words = '']) => ({
    names,
    words: words.split(/\s+/).filter((word) => word !== '-'),
  }));
  const sets = new Map(
    lines.filter(({ names }) => names.startsWith('!')).map((line) => [line.names, line.words]),
  );
  const entries = lines
    .filter(({ names }) => !sets.has(names))
    .flatMap(({ names, words }) => expanded(names).map((name) => ({ path: placed(name), words })));
  const known = entries.map(({ path }) => path);
  const forbidden = (word: string): readonly string[] => sets.get(word) ?? [word.slice(1)];
  return entries.map(({ path, words }) => {
    const inherited = entries.filter((entry) => path === entry.path || path.startsWith(`${entry.path}/`));
    return {
      path,
      allowed: words.filter((word) => !word.startsWith('!')).map((word) => meant(word, path, known)),
      packages: inherited.flatMap((entry) =>
        entry.words.filter((word) => word.startsWith('!')).flatMap(forbidden),
      ),
    };
  });
}

const TOP: ReadonlySet<string> = new Set(['queues', 'jobs', 'dashboards', 'packages', 'src']);

function placed(path: string): string {
  return TOP.has(path.split('/')[0] ?? '') ? path : `src/${path}`;
}

function expanded(folders: string): string[] {
  const [, before, names, after] = /^(.*)\{(.*)\}(.*)$/.exec(folders) ?? [];
  return names === undefined ? [folders] : names.split(',').map((name) => `${before}${name}${after}`);
}

/** The nearest folder of the name: below, next to it, or further up; with all its folders. */
function meant(name: string, path: string, known: readonly string[]): string {
  if (name === 'root') return `${dirname(path)}/*`;
  for (let at = path; at !== '.'; at = dirname(at)) {
    if (known.includes(`${at}/${name}`)) return name.endsWith('.ts') ? `${at}/${name}` : `${at}/${name}/**`;
  }
  return name.endsWith('.ts') ? placed(name) : `${placed(name)}/**`;
}

/** What the linter gets for a folder or file: it may import nothing outside but what is allowed. */
export function overrideOf({ path, allowed, packages }: Layer): object {
  const isFile = path.endsWith('.ts');
  const folder = isFile ? dirname(path) : path;
  const exceptions = allowed.map((glob) => {
    const to = relative(folder, glob);
    return `!${to.startsWith('.') ? to : `./${to}`}`;
  });
  const outside = isFile ? ['./**', '../**'] : ['../**', './*/**'];
  const group = [...outside, ...exceptions, ...packages.flatMap((name) => [name, `${name}/**`])];
  const options = { patterns: [{ group, message: `${path}: see docs/layers.md` }] };
  return {
    includes: [isFile ? path : `${folder}/*.ts`, '!**/*.test.ts', '!**/*.sample.ts'],
    linter: { rules: { style: { noRestrictedImports: { level: 'error', options } } } },
  };
}

/** The part of Biome's settings that docs/layers.md decides, one folder a line. */
export function lintSettings(markdown: string): string {
  const lines = layersIn(markdown).map((layer) => JSON.stringify(overrideOf(layer)));
  return `{ "root": false, "overrides": [\n${lines.join(',\n')}\n] }\n`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  writeFileSync(SETTINGS, lintSettings(readFileSync(LAYERS, 'utf8')));
}
