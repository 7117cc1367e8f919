import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));

/**
 * Runs `npm ci` when a package of package.json is not in node_modules. Tests need the development packages, for
 * any NODE_ENV; the demo runs on a quarter of the bytes without them. Ends the process when npm fails.
 */
export function installWhenMissing({ development }) {
  const { dependencies, devDependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  const wanted = Object.keys(development ? { ...dependencies, ...devDependencies } : dependencies);
  if (wanted.every((name) => existsSync(join(ROOT, 'node_modules', name, 'package.json')))) return;
  console.error('Installing dependencies with npm ci …');
  const args = [
    'ci',
    development ? '--include=dev' : '--omit=dev',
    '--ignore-scripts',
    '--no-audit',
    '--no-fund',
  ];
  const done = spawnSync('npm', args, { cwd: ROOT, stdio: ['ignore', 2, 2], env: process.env });
  if (done.status === 0) return;
  const why = done.error === undefined ? '' : `: ${done.error.message}`;
  console.error(
    `npm ci failed${why}. Check the network and the proxy (NODE_EXTRA_CA_CERTS for its certificate), then run it again.`,
  );
  process.exit(1);
}
