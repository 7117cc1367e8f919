import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { QUEUES } from '../queues/index.ts';

/** What `npm run size -- --check` refuses to exceed. Lower a number when something goes; do not raise it. */
const MAX = {
  collections: 42,
  queues: 16,
  'Lua scripts': 10,
  'caches of a module': 14,
  'words of documents': 35_000,
} as const;

const ROOT = fileURLToPath(new URL('..', import.meta.url));

type SourceFile = { readonly path: string; readonly lines: readonly string[] };

const product = filesOf(['src', 'jobs', 'queues', 'dashboards'], /\.(ts|mjs|lua|css)$/).filter(
  ({ path }) => !/\.(test|sample)\.ts$/.test(path),
);
const oneMachine = filesOf(['packages/embedded', 'packages/local-edgar'], /\.(ts|py)$/).filter(
  ({ path }) => !path.endsWith('.test.ts'),
);
const functions = product.flatMap(({ lines }) => functionLengths(lines));
const fileLengths = product.map(({ lines }) => lines.length);
const held = {
  collections: collectionNames(product).size,
  queues: Object.keys(QUEUES).length,
  'Lua scripts': product.filter(({ path }) => path.endsWith('.lua')).length,
  'caches of a module': sum(product.map(({ lines }) => lines.filter(isCache).length)),
  'words of documents': sum(filesOf(['.'], /\.md$/).map(({ lines }) => words(lines.join(' ')))),
};

const table = {
  'code lines': sum(product.map(({ lines }) => codeLines(lines))),
  'physical lines': sum(fileLengths),
  files: product.length,
  ...held,
  'code lines of services on one machine': sum(oneMachine.map(({ lines }) => codeLines(lines))),
  'lines of a function, median': quantile(functions, 0.5),
  'lines of a function, p90': quantile(functions, 0.9),
  'lines of a file, median': quantile(fileLengths, 0.5),
  'lines of a file, p90': quantile(fileLengths, 0.9),
};
for (const [what, count] of Object.entries(table)) console.log(`${String(count).padStart(6)}  ${what}`);

if (process.argv.includes('--check')) {
  for (const name of Object.keys(MAX) as (keyof typeof MAX)[]) {
    if (held[name] <= MAX[name]) continue;
    console.error(`${held[name]} ${name}: at most ${MAX[name]} (scripts/size.ts). Remove one first.`);
    process.exitCode = 1;
  }
}

/** Tracked and new files, but none that git ignores. */
function filesOf(folders: readonly string[], name: RegExp): SourceFile[] {
  const list = ['ls-files', '--cached', '--others', '--exclude-standard', '--deduplicate', '--', ...folders];
  const deleted = new Set(git(['ls-files', '--deleted']));
  return git(list)
    .filter((path) => name.test(path) && !deleted.has(path))
    .map((path) => ({ path, lines: readFileSync(`${ROOT}/${path}`, 'utf8').trimEnd().split('\n') }));
}

function git(args: readonly string[]): string[] {
  return execFileSync('git', args, { cwd: ROOT, encoding: 'utf8' }).split('\n').filter(Boolean);
}

/** Lines that are neither blank nor only a comment. */
function codeLines(lines: readonly string[]): number {
  const inBlocks = lines.join('\n').replace(/^\s*\/\*[\s\S]*?\*\//gm, '');
  return inBlocks.split('\n').filter((line) => !/^\s*($|\/\/|--)/.test(line)).length;
}

/** Named by `db.collection('name')`, or by a layout of several documents. */
function collectionNames(files: readonly SourceFile[]): Set<string> {
  const text = files.map(({ lines }) => lines.join('\n')).join('\n');
  const named = text.matchAll(/(?:\.collection|\bpagesIn|\bslicesOf)(?:<.*>)?\(\s*'(\w+)'/g);
  return new Set([...named].map(([, name = '']) => name));
}

/** A map that a module fills while the process runs, or an LRU. */
function isCache(line: string): boolean {
  return /^const \w+ = new (Weak)?Map\b.*\(\);/.test(line) || /= new LRUCache\b/.test(line);
}

/** By the indentation that the formatter gives: from the line that opens the body to the one that closes it. */
function functionLengths(lines: readonly string[]): number[] {
  return lines.flatMap((line, at) => {
    const [, indent] = /^(\s*)\S.*(?:=> \{|\bfunction\b.*\{|\): .* \{)$/.exec(line) ?? [];
    if (indent === undefined || /^\s*(if|for|while|switch)\b/.test(line)) return [];
    const length = lines.slice(at + 1).findIndex((next) => next.startsWith(`${indent}}`));
    return length < 0 ? [] : [length + 2];
  });
}

function words(text: string): number {
  return text.split(/\s+/).filter(Boolean).length;
}

function sum(counts: readonly number[]): number {
  return counts.reduce((all, count) => all + count, 0);
}

function quantile(counts: readonly number[], share: number): number {
  return [...counts].sort((a, b) => a - b)[Math.floor(share * (counts.length - 1))] ?? 0;
}
