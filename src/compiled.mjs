// The product as a few large files of JavaScript instead of some 900 of TypeScript, which take twice the CPU to load.
// They are kept beside the packages, which only their owner writes, under the digest of all sources.
import { createHash } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, extname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const CACHE = join(ROOT, 'node_modules/.cache/tidemark/compiled');
const SOURCES = ['src', 'jobs', 'queues', 'dashboards', 'packages', 'scripts'];
/** What is started. */
const ENTRIES = ['src/cli.ts', 'scripts/demo/demo.ts'];
const OPTIONS = {
  absWorkingDir: ROOT,
  outbase: ROOT,
  entryPoints: ENTRIES,
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
  const folder = join(CACHE, digestOfSources());
  if (existsSync(folder) || (await compile(folder).catch(() => false))) {
    // A stack trace names the lines of the source.
    process.setSourceMapsEnabled(true);
    return import(pathToFileURL(join(folder, entry.replace(/\.ts$/, '.mjs'))).href);
  }
  await import('./typescript.mjs');
  return import(new URL(`../${entry}`, import.meta.url).href);
}

/** Of all that decides what is compiled. */
function digestOfSources() {
  const { version } = createRequire(import.meta.url)('esbuild/package.json');
  const hash = createHash('sha256').update(`${ROOT}\n${version}\n`);
  for (const folder of SOURCES.filter((name) => existsSync(join(ROOT, name)))) {
    for (const name of readdirSync(join(ROOT, folder), { recursive: true }).sort()) {
      if (!/\.m?[jt]s$/.test(name) || name.endsWith('.test.ts')) continue;
      hash.update(`${name}\n`).update(readFileSync(join(ROOT, folder, name)));
    }
  }
  return hash.digest('hex').slice(0, 40);
}

/** Several processes may compile at once: the first one that is done names its folder. */
async function compile(folder) {
  mkdirSync(CACHE, { recursive: true });
  const outdir = mkdtempSync(join(CACHE, 'new-'));
  // It is only its maker's: an image is built by another user than the one that runs it.
  chmodSync(outdir, 0o755);
  const { build, stop } = await import('esbuild');
  try {
    const { outputFiles } = await build({ ...OPTIONS, outdir, plugins: [placed] });
    for (const { path, contents } of outputFiles) {
      mkdirSync(dirname(path), { recursive: true });
      // On the disk before the folder has its name: the machine may lose its power.
      writeFileSync(path, contents, { flush: true });
    }
    if (!existsSync(folder)) renameSync(outdir, folder);
    forgetOld(folder);
  } finally {
    // It is a process, which would live as long as this one.
    await stop();
    rmSync(outdir, { recursive: true, force: true });
  }
  return true;
}

/** A module finds its files beside its source. */
const placed = {
  name: 'placed',
  setup: (build) =>
    build.onLoad({ filter: /\.m?[jt]s$/ }, ({ path }) => ({
      loader: extname(path).endsWith('ts') ? 'ts' : 'js',
      contents: readFileSync(path, 'utf8').replaceAll(
        'import.meta.url',
        JSON.stringify(pathToFileURL(path).href),
      ),
    })),
};

function forgetOld(folder) {
  for (const path of readdirSync(CACHE).map((name) => join(CACHE, name))) {
    const { mtimeMs } = statSync(path, { throwIfNoEntry: false }) ?? { mtimeMs: Date.now() };
    if (path !== folder && Date.now() - mtimeMs > KEPT_MS) rmSync(path, { recursive: true, force: true });
  }
}
