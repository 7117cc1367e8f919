// Loads TypeScript as JavaScript on a Node that cannot. A general loader does more: it looks for files under other
// names, and gives every inner function its name again each time it is made, a fifth of the CPU of a call.
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';

/** Beside the packages, which only their owner writes: what is in it is run. */
const CACHE = new URL('../node_modules/.cache/tidemark/', import.meta.url);
const OPTIONS = { loader: 'ts', format: 'esm', target: 'node20', sourcemap: 'inline', sourcesContent: false };
/** Another release may compile the same text otherwise. */
const { version: ESBUILD } = createRequire(import.meta.url)('esbuild/package.json');

export async function load(url, context, next) {
  if (!url.startsWith('file:') || !url.endsWith('.ts')) return next(url, context);
  const text = readFileSync(fileURLToPath(url), 'utf8');
  return { format: 'module', source: await javascriptOf(url, text), shortCircuit: true };
}

async function javascriptOf(url, text) {
  const name = digestOf(`${ESBUILD} ${JSON.stringify(OPTIONS)}\n${url}\n${text}`);
  const cached = new URL(`${name.slice(0, 40)}.mjs`, CACHE);
  const kept = keptIn(cached);
  if (kept !== null) return kept;
  const { transform } = await import('esbuild');
  const { code } = await transform(text, { ...OPTIONS, sourcefile: fileURLToPath(url) });
  keep(cached, sealed(code));
  return code;
}

function digestOf(text) {
  return createHash('sha256').update(text).digest('hex');
}

/** With its digest as the last line: a loss of power may leave a file that is cut or has holes. */
function sealed(code) {
  return `${code}\n//${digestOf(code)}`;
}

/** Null when it is not there, or not as it was written. */
function keptIn(cached) {
  try {
    const text = readFileSync(cached, 'utf8');
    const code = text.slice(0, text.lastIndexOf('\n'));
    return sealed(code) === text ? code : null;
  } catch {
    return null;
  }
}

/** Whole or not at all: several processes may start at once. */
function keep(cached, text) {
  try {
    mkdirSync(CACHE, { recursive: true });
    const part = new URL(`${cached.href}.${process.pid}`);
    writeFileSync(part, text);
    renameSync(part, cached);
  } catch {
    // The packages are read-only: it is compiled at each start.
  }
}
