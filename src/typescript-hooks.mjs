// Loads TypeScript as JavaScript on a Node that cannot. A general loader does more: it looks for files under other
// names, and gives every inner function its name again each time it is made, a fifth of the CPU of a call.
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';

/** Beside the packages, which only their owner writes: what is in it is run. */
const CACHE = new URL('../node_modules/.cache/tidemark/', import.meta.url);
const OPTIONS = {
  loader: 'ts',
  format: 'esm',
  target: 'node20.19',
  sourcemap: 'inline',
  sourcesContent: false,
};
/** Another release may compile the same text otherwise. */
const { version: ESBUILD } = createRequire(import.meta.url)('esbuild/package.json');

export async function load(url, context, next) {
  // A query makes another module of the same file.
  const [file = url] = url.split('?');
  if (!url.startsWith('file:') || !file.endsWith('.ts')) return next(url, context);
  const text = readFileSync(fileURLToPath(url), 'utf8');
  return { format: 'module', source: await javascriptOf(file, text), shortCircuit: true };
}

async function javascriptOf(url, text) {
  const hash = createHash('sha256').update(`${ESBUILD} ${JSON.stringify(OPTIONS)}\n${url}\n${text}`);
  const cached = new URL(`${hash.digest('hex').slice(0, 40)}.mjs`, CACHE);
  try {
    return readFileSync(cached, 'utf8');
  } catch {
    const { transform } = await import('esbuild');
    const { code } = await transform(text, { ...OPTIONS, sourcefile: fileURLToPath(url) });
    keep(cached, code);
    return code;
  }
}

/** Whole or not at all: several processes may start at once, and the machine may lose its power. */
function keep(cached, code) {
  try {
    mkdirSync(CACHE, { recursive: true });
    const part = new URL(`${cached.href}.${process.pid}`);
    writeFileSync(part, code, { flush: true });
    renameSync(part, cached);
  } catch {
    // The packages are read-only: it is compiled at each start.
  }
}
