import { defineConfig } from 'vitest/config';
import './src/typescript.mjs';

const shared = {
  environment: 'node',
  pool: 'forks',
  // Fewer collections of what lives for a moment: 4 % of the CPU of the unit tests.
  execArgv: [
    '--max-semi-space-size=64',
    '--import',
    new URL('src/typescript.mjs', import.meta.url).href,
  ] as string[],
  // Node loads the modules, as it does in production: through vite's they take a quarter more CPU.
  experimental: { viteModuleRunner: false, nodeLoader: false },
  // Bounds against what never ends, many times what a test takes alone: the machine may be busy.
  testTimeout: 120_000,
  hookTimeout: 180_000,
  // The files of a worker load each module once; what a file opens it closes, and what it replaces it restores.
  isolate: false,
  // Its default of one second is no bound but a guess.
  expect: { poll: { timeout: 60_000 } },
} as const;

/**
 * Two projects: what needs MongoDB, Redis or a port lives in test/, with one set of services for each worker;
 * everything else stands beside its file and starts none.
 */
export default defineConfig({
  test: {
    // One more than a small machine has cores: a test waits for its services half of its time.
    maxWorkers: 3,
    tags: [
      {
        name: 'long',
        description:
          'Kills, stops, cuts or repeats for long: npm run test:long. A short case is in npm test.',
      },
      { name: 'property', description: 'Tries many inputs: a tenth in npm test, all in npm run test:long.' },
    ],
    projects: [
      {
        test: {
          ...shared,
          name: 'unit',
          include: [
            '{src,queues,jobs,dashboards,scripts,packages/{client/src,embedded,local-edgar}}/**/*.test.ts',
          ],
        },
      },
      {
        test: {
          ...shared,
          name: 'services',
          include: ['test/**/*.test.ts'],
          globalSetup: ['./test/global-setup.ts'],
        },
      },
    ],
  },
});
