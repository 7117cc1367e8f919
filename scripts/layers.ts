import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const ARCHITECTURE = new URL('../ARCHITECTURE.md', import.meta.url);
const SETTINGS = new URL('../biome.layers.json', import.meta.url);

/** A folder, the globs of what it may import, and the packages that it may not. */
type Layer = {
  readonly folder: string;
  readonly allowed: readonly string[];
  readonly packages: readonly string[];
};

/**
 * Reads the block `layers` of ARCHITECTURE.md: entries `folder: what it may import`, divided by lines
 * or ` · `. A name is the nearest folder or file of that name; `root` is the folder above, `!name`
 * forbids a package, `a/{b,c}` is two folders. Paths are below `src` unless they begin at the top.
 */
export function layersIn(markdown: string): Layer[] {
  const block = /```layers\n([\s\S]*?)```/.exec(markdown)?.[1] ?? '';
  const entries = block.split(/\n| · /).flatMap((entry) => {
    const [, folders, words = ''] = /^(\S+):\s+(.*)$/.exec(entry.trim()) ?? [];
    const names = words.split(/\s+/).filter((word) => word !== '' && word !== '-');
    return folders === undefined
      ? []
      : expanded(folders).map((folder) => ({ folder: placed(folder), names }));
  });
  const known = entries.map(({ folder }) => folder);
  return entries.map(({ folder, names }) => ({
    folder,
    allowed: names.filter((name) => !name.startsWith('!')).map((name) => meant(name, folder, known)),
    packages: names.filter((name) => name.startsWith('!')).map((name) => name.slice(1)),
  }));
}

const TOP: ReadonlySet<string> = new Set(['queues', 'jobs', 'dashboards', 'src']);

function placed(path: string): string {
  return TOP.has(path.split('/')[0] ?? '') ? path : `src/${path}`;
}

function expanded(folders: string): string[] {
  const [, before, names, after] = /^(.*)\{(.*)\}(.*)$/.exec(folders) ?? [];
  return names === undefined ? [folders] : names.split(',').map((name) => `${before}${name}${after}`);
}

/** The nearest folder of the name: below, beside, or further up; with all its folders. */
function meant(name: string, folder: string, known: readonly string[]): string {
  if (name === 'root') return `${dirname(folder)}/*`;
  for (let at = folder; at !== '.'; at = dirname(at)) {
    if (known.includes(`${at}/${name}`)) return `${at}/${name}/**`;
  }
  return name.endsWith('.ts') ? placed(name) : `${placed(name)}/**`;
}

/** What the linter gets for a folder: it may import nothing outside but what is allowed. Tests may import more. */
export function overrideOf({ folder, allowed, packages }: Layer): object {
  const exceptions = allowed.map((path) => {
    const to = relative(folder, path);
    return `!${to.startsWith('.') ? to : `./${to}`}`;
  });
  const group = ['../**', './*/**', ...exceptions, ...packages.flatMap((name) => [name, `${name}/**`])];
  const options = { patterns: [{ group, message: `${folder}: see "Layers" in ARCHITECTURE.md` }] };
  return {
    includes: [`${folder}/*.ts`, '!**/*.test.ts', '!**/*.sample.ts'],
    linter: { rules: { style: { noRestrictedImports: { level: 'error', options } } } },
  };
}

/** The part of Biome's settings that ARCHITECTURE.md decides, one folder a line. */
export function lintSettings(markdown: string): string {
  const lines = layersIn(markdown).map((layer) => JSON.stringify(overrideOf(layer)));
  return `{ "root": false, "overrides": [\n${lines.join(',\n')}\n] }\n`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  writeFileSync(SETTINGS, lintSettings(readFileSync(ARCHITECTURE, 'utf8')));
}
