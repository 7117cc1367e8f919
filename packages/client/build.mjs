#!/usr/bin/env node
import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

/**
 * Writes dist/: the JavaScript with the verifier of the product bundled into it, and the types of this
 * folder alone, which name nothing outside it.
 */
const HERE = fileURLToPath(new URL('.', import.meta.url));
const SOURCE = join(HERE, 'src');
const DIST = join(HERE, 'dist');

rmSync(DIST, { recursive: true, force: true });
await build({
  entryPoints: [join(SOURCE, 'index.ts'), join(SOURCE, 'verify-command.ts')],
  outdir: DIST,
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node20',
  external: ['openapi-fetch'],
});

const types = mkdtempSync(join(tmpdir(), 'tidemark-types-'));
try {
  const tsc = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin', 'tsc');
  execFileSync(process.execPath, [tsc, '-p', HERE, '--outDir', types], { stdio: 'inherit' });
  const own = join(types, 'packages', 'client', 'src');
  for (const name of readdirSync(own)) cpSync(join(own, name), join(DIST, name));
} finally {
  rmSync(types, { recursive: true, force: true });
}
cpSync(join(HERE, '..', '..', 'LICENSE'), join(DIST, 'LICENSE'));
