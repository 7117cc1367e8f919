// The product as a few large files of JavaScript instead of some 700 of TypeScript: a start that loads each by itself
// takes more than half as much CPU again. They are made when a source has changed, and kept beside the packages, which only
// their owner writes: what is in them is run.
import { createHash, randomUUID } from 'node:crypto';
import {
  accessSync,
  constants,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, extname, join, relative } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const CACHE = join(ROOT, 'node_modules/.cache/tidemark/compiled');
/** What is started: processes, and the threads that they start. */
const ENTRIES = ['src/cli.ts', 'scripts/demo/demo.ts', 'src/bulk/thread.ts'];
const OPTIONS = {
  absWorkingDir: ROOT,
  outbase: ROOT,
  outExtension: { '.js': '.mjs' },
  bundle: true,
  splitting: true,
  packages: 'external',
  format: 'esm',
  platform: 'node',
  target: 'node20',
  // As the loader of single modules has it: what is compiled does not depend on tsconfig.json.
  tsconfigRaw: '{}',
  sourcemap: 'linked',
  sourcesContent: false,
  write: false,
  logLevel: 'silent',
};
/** A process that runs may still load parts of an older one. */
const KEPT_MS = 24 * 3_600_000;

/**
 * The module at this path from the root, one of {@link ENTRIES}: compiled, or from its source where nothing can be
 * kept or the sources do not compile, which then says why.
 */
export async function importCompiled(entry) {
  const folder = upToDate() ?? (await compiled().catch(() => null));
  if (folder !== null) {
    // A stack trace names the lines of the source.
    process.setSourceMapsEnabled(true);
    return import(pathToFileURL(join(folder, entry.replace(/\.ts$/, '.mjs'))).href);
  }
  await import('./typescript.mjs');
  return import(new URL(`../${entry}`, import.meta.url).href);
}

/** The folder of what was compiled from the sources as they are now and is as it was written, else null. */
function upToDate() {
  try {
    const { sources, digest, folder, files } = JSON.parse(readFileSync(listPath(), 'utf8'));
    const texts = new Map(sources.map((path) => [path, textOf(path)]));
    const isWhole = () =>
      files.every(([path, hash]) => hashOf(readFileSync(join(CACHE, folder, path))) === hash);
    return digestOf(texts) === digest && isWhole() ? join(CACHE, folder) : null;
  } catch {
    return null;
  }
}

async function compiled() {
  mkdirSync(CACHE, { recursive: true });
  accessSync(CACHE, constants.W_OK);
  const texts = new Map();
  const outputs = await outputsOf(texts);
  // Of its own: several processes may compile at once, and an earlier folder may be damaged.
  const folder = randomUUID();
  const modules = outputs.filter(({ path }) => path.endsWith('.mjs'));
  const files = modules.map(({ path, contents }) => [path, hashOf(contents)]);
  const list = `${listPath()}.${folder}`;
  try {
    for (const { path, contents } of outputs) keep(join(CACHE, folder, path), contents);
    keep(list, JSON.stringify({ sources: [...texts.keys()], digest: digestOf(texts), folder, files }));
    renameSync(list, listPath());
  } catch (error) {
    for (const path of [join(CACHE, folder), list]) rmSync(path, { recursive: true, force: true });
    throw error;
  }
  forgetOld(folder);
  return join(CACHE, folder);
}

/** What the compiler makes of the sources, by paths in the folder; their texts are in `texts` then. */
async function outputsOf(texts) {
  const { build, stop } = await import('esbuild');
  const outdir = join(CACHE, 'new');
  try {
    const { outputFiles } = await build({
      ...OPTIONS,
      entryPoints: ENTRIES,
      outdir,
      plugins: [reader(texts)],
    });
    return outputFiles.map(({ path, contents }) => ({ path: relative(outdir, path), contents }));
  } finally {
    // It is a process, which would live as long as this one.
    await stop();
  }
}

/** Reads the sources into `texts`, by their paths from the root. A module finds its files beside its source. */
function reader(texts) {
  const load = ({ path }) => {
    const text = textOf(relative(ROOT, path));
    texts.set(relative(ROOT, path), text);
    const url = JSON.stringify(pathToFileURL(path).href);
    return {
      loader: extname(path).slice(1).replace(/^m/, ''),
      contents: text.replaceAll('import.meta.url', url),
    };
  };
  return { name: 'reader', setup: (build) => build.onLoad({ filter: /\.(m?[jt]s|json)$/ }, load) };
}

function textOf(path) {
  return readFileSync(join(ROOT, path), 'utf8');
}

function hashOf(contents) {
  return createHash('sha256').update(contents).digest('hex');
}

/** Of all that decides what is compiled: another release of the compiler may compile the same text otherwise. */
function digestOf(texts) {
  const { version } = createRequire(import.meta.url)('esbuild/package.json');
  const hash = createHash('sha256').update(`${ROOT}\n${version}\n${textOf('src/compiled.mjs')}`);
  for (const path of [...texts.keys()].sort()) hash.update(`${path}\n${texts.get(path)}\n`);
  return hash.digest('hex').slice(0, 40);
}

/** Several checkouts may share their packages. */
function listPath() {
  return join(CACHE, `${hashOf(ROOT).slice(0, 16)}.json`);
}

/** On the disk before anything names it: a loss of power may leave a file that is cut or has holes. */
function keep(path, contents) {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, contents, { flush: true });
}

function forgetOld(folder) {
  for (const name of readdirSync(CACHE)) {
    const path = join(CACHE, name);
    if (name === folder || name === basename(listPath())) continue;
    // Another process may have removed it.
    const { mtimeMs } = statSync(path, { throwIfNoEntry: false }) ?? { mtimeMs: Date.now() };
    if (Date.now() - mtimeMs > KEPT_MS) rmSync(path, { recursive: true, force: true });
  }
}
