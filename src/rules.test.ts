import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { extname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

/** Holds `docs/rules.md` and what cites it together: rules, citations, files, constants, evidence. */
const ROOT = fileURLToPath(new URL('..', import.meta.url));
const FOLDERS = [
  'src',
  'jobs',
  'queues',
  'dashboards',
  'packages',
  'scripts',
  'test',
  'bench',
  'tools',
  'docs',
];
const TEXT = new Set(['.ts', '.mjs', '.py', '.lua', '.md']);
const THIS = 'src/rules.test.ts';
const RULE = /^### (\d+\.\d+) .+$/gm;
const CITATION = /\brules?\s+(?:[*#]\s+|--\s+|\/\/\s+)?(\d+\.\d+(?:(?:, | and | to )\d+\.\d+)*)/gi;
const OLD = /\b(?:domain|contract|reliability|spec|performance|architecture|libraries)(?:\.md)? \d+[ab]?\b/gi;

type Source = { readonly path: string; readonly text: string };

function read(path: string): Source {
  return { path, text: readFileSync(join(ROOT, path), 'utf8') };
}

function textsIn(folder: string): Source[] {
  return readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && TEXT.has(extname(entry.name)))
    .map((entry) => relative(ROOT, join(entry.parentPath, entry.name)))
    .filter((path) => path !== THIS && !path.includes('node_modules'))
    .map(read);
}

const pages = readdirSync(ROOT).filter((name) => name.endsWith('.md'));
const sources = [...FOLDERS.flatMap(textsIn), ...pages.map(read)];
const page = read('docs/rules.md').text;
/** Constants that a rule lists as its thresholds. */
const listed = [...page.matchAll(/^Thresholds: .+$/gm)].flatMap(
  ([line]) => line.match(/(?<=`)[A-Z][A-Z0-9_]+(?=`)/g) ?? [],
);
const rules = [...page.matchAll(RULE)].map(([, number = '']) => number);

/** Numbers cited in a text, each with the file; of `rules 9.1 to 9.3` the two ends. */
function citations({ path, text }: Source): { readonly path: string; readonly number: string }[] {
  return [...text.matchAll(CITATION)].flatMap(([, numbers = '']) =>
    (numbers.match(/\d+\.\d+/g) ?? []).map((number) => ({ path, number })),
  );
}

/** The text of one rule, by its number. */
function bodies(): [number: string, body: string][] {
  return page
    .split(/^### /m)
    .slice(1)
    .map((part) => [part.slice(0, part.indexOf(' ')), part]);
}

test('every rule has its own number', () => {
  expect(rules.length).toBeGreaterThan(50);
  expect(new Set(rules).size).toBe(rules.length);
});

test('every rule that is cited exists', () => {
  const known = new Set(rules);
  expect(sources.flatMap(citations).filter(({ number }) => !known.has(number))).toEqual([]);
});

test('every rule is cited in code or in a test', () => {
  const code = sources.filter(({ path }) => !path.endsWith('.md'));
  const cited = new Set(code.flatMap(citations).map(({ number }) => number));
  expect(rules.filter((number) => !cited.has(number))).toEqual([]);
});

test('every rule names the files that decide it, and a test proves it', () => {
  const incomplete = bodies().filter(([, body]) => {
    const [line = ''] = /^(?:Source|Code): .+$/m.exec(body) ?? [];
    const files = [...line.matchAll(/`([^`]+\/[^`]+)`/g)].map(([, path = '']) => path);
    const tests = files.map((path) => path.replace(/(?<!\.test)\.(?:ts|lua)$/, '.test.ts'));
    return files.length === 0 || !tests.some((path) => existsSync(join(ROOT, path)));
  });
  expect(incomplete.map(([number]) => number)).toEqual([]);
});

test('every file that a document names exists', () => {
  const texts = sources.filter(({ path }) => path.endsWith('.md')).map(({ text }) => text);
  const named = [...texts.join('\n').matchAll(/`((?:src|jobs|queues|test|scripts)\/[^`]+)`/g)].map(
    ([, path = '']) => path,
  );
  expect([...new Set(named)].filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
});

test('every threshold of a rule stands in the code', () => {
  const code = ['src', 'jobs', 'queues'].flatMap(textsIn).filter(({ path }) => !path.includes('.test.'));
  const names = new Set(code.flatMap(({ text }) => text.match(/\b[A-Z][A-Z0-9_]+\b/g) ?? []));
  expect(listed.filter((name) => !names.has(name))).toEqual([]);
});

test('every threshold of a feature stands at its rule', () => {
  const thresholds = textsIn('src').filter(({ path }) => path.endsWith('/thresholds.ts'));
  const names = thresholds.flatMap(({ text }) =>
    [...text.matchAll(/^export const ([A-Z][A-Z0-9_]+)/gm)].map(([, name = '']) => name),
  );
  expect(names.length).toBeGreaterThan(80);
  expect(names.filter((name) => !listed.includes(name))).toEqual([]);
});

/** So that a rule can be read in half a minute. */
test('every rule is one short paragraph', () => {
  const texts = bodies().map(
    ([number, body]) => [number, body.split(/\n(?:Thresholds|Source|Code): /)[0] ?? ''] as const,
  );
  expect(texts.filter(([, text]) => text.split(/\s+/).length > 100).map(([number]) => number)).toEqual([]);
});

test('every line of evidence is about a rule that exists', () => {
  const lines = read('docs/calibration.md').text.matchAll(/^\| (\d+\.\d+(?:, \d+\.\d+)*) \|/gm);
  const measured = [...lines].flatMap(([, numbers = '']) => numbers.split(', '));
  expect(measured.length).toBeGreaterThan(30);
  expect(measured.filter((number) => !rules.includes(number))).toEqual([]);
});

test('no citation of the former numbers is left', () => {
  const left = sources.flatMap(({ path, text }) =>
    (text.match(OLD) ?? []).map((cited) => `${path}: ${cited}`),
  );
  expect(left).toEqual([]);
});
