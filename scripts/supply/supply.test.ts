import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const text = (path: string): string => readFileSync(`${ROOT}/${path}`, 'utf8');

const locked = z.object({
  integrity: z.string().optional(),
  license: z.string().optional(),
  dev: z.boolean().optional(),
});
const lock = z.object({ packages: z.record(z.string(), locked) });

function packagesOf(path: string) {
  const { packages } = lock.parse(JSON.parse(text(path)));
  return Object.entries(packages).filter(([name]) => name !== '');
}

/**
 * Packages of other platforms, which the registry that wrote the lock did not have: npm ci checks them by
 * what the registry says. The image and the tests need none of them.
 */
const UNLOCKED = [
  ...[
    'android-arm64',
    'android-x64',
    'darwin-arm64',
    'darwin-x64',
    'linux-arm64-musl',
    'linux-x64-musl',
    'win32-arm64',
    'win32-x64',
  ].map((platform) => `node_modules/@biomejs/cli-${platform}`),
  ...['darwin-arm64', 'darwin-x64', 'linux-arm', 'win32-x64'].map(
    (platform) => `node_modules/@msgpackr-extract/msgpackr-extract-${platform}`,
  ),
];

describe('what npm installs', () => {
  test('is locked by a hash, but for packages of platforms that could not be locked', () => {
    const open = ['package-lock.json', 'tools/package-lock.json'].flatMap((path) =>
      packagesOf(path).filter(([, { integrity }]) => !integrity?.startsWith('sha512-')),
    );
    expect(open.map(([name]) => name).filter((name) => !UNLOCKED.includes(name))).toEqual([]);
  });

  const production = packagesOf('package-lock.json').filter(([, { dev }]) => dev !== true);

  test('has no browser framework, and to run no more than 230 packages', () => {
    const names = packagesOf('package-lock.json').map(([name]) =>
      name.slice(name.lastIndexOf('node_modules/') + 13),
    );
    expect(names.filter((name) => /^(vue|react|@scalar\/.*|@vue\/.*|prosemirror.*)$/.test(name))).toEqual([]);
    expect(production.length).toBeLessThan(230);
  });

  test('to run has licences that ask for no more than to be named', () => {
    const allowed = new Set(['MIT', 'ISC', 'Apache-2.0', 'BSD-2-Clause', 'BSD-3-Clause', '0BSD', 'CC0-1.0']);
    const other = production
      .map(([name, { license }]) => [name, installedLicence(name) ?? license])
      .filter(([, licence]) => !allowed.has(licence ?? ''));
    expect(other).toEqual([]);
  });
});

/** Null for a package of another platform. */
function installedLicence(name: string): string | null {
  if (!existsSync(`${ROOT}/${name}/package.json`)) return null;
  const { license } = JSON.parse(text(`${name}/package.json`)) as { readonly license?: string };
  return typeof license === 'string' ? license : null;
}

describe('what pip installs', () => {
  const folders = [
    'packages/embedded/requirements',
    'tools',
    'tools/clients',
    'tools/second-opinion',
    'packages/python',
  ];
  const wanted = folders.flatMap((folder) =>
    readdirSync(`${ROOT}/${folder}`)
      .filter((name) => name.endsWith('.in'))
      .map((name) => `${folder}/${name}`),
  );

  test.each(wanted)('for %s is the whole closure, each pinned with its hashes', (path) => {
    const closure = text(path.replace(/in$/, 'txt')).replaceAll('\\\n', ' ');
    const entries = closure.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
    for (const entry of entries) expect(entry).toMatch(/^[a-z0-9-]+==\S+ .*--hash=sha256:[0-9a-f]{64}/);
    const pinned = new Set(entries.map((entry) => entry.split(' ')[0]));
    for (const line of text(path).trim().split('\n')) expect(pinned).toContain(line.toLowerCase());
  });

  test('is installed from such a file only', () => {
    for (const path of ['packages/embedded/venv.ts', 'scripts/contract/program.ts', 'bench/parse.ts'])
      expect(text(path)).toContain("'--require-hashes'");
  });
});

test('the image installs without scripts', () => {
  const lines = text('Dockerfile').split('\n');
  const installs = lines.filter((line) => line.includes('npm ci'));
  expect(installs.length).toBeGreaterThan(0);
  for (const line of installs) expect(line).toContain('--ignore-scripts');
});
