import { defineConfig } from 'vitest/config';

const shared = {
  environment: 'node',
  pool: 'forks',
  testTimeout: 30_000,
  hookTimeout: 60_000,
} as const;

/**
 * Two projects: what needs MongoDB, Redis or a port lives in test/ and shares one set of services;
 * everything else stands beside its file and starts none.
 */
export default defineConfig({
  test: {
    maxWorkers: 2,
    projects: [
      {
        test: {
          ...shared,
          name: 'unit',
          include: ['{src,queues,jobs,dashboards,scripts}/**/*.test.ts'],
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
