import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { TestProject } from 'vitest/node';
import { loadConfig } from '../src/config.ts';
import { dockerReachable } from '../src/embedded/docker.ts';
import { discardHome } from '../src/embedded/embedded.ts';
import { liveLeases } from '../src/embedded/lease.ts';
import { openServices } from '../src/embedded/open.ts';
import { openContainers } from './containers.ts';

export type ServiceUrls = {
  readonly mongoUrl: string;
  readonly creditsRedisUrl: string;
  readonly queueRedisUrl: string;
  readonly kind: string;
};

declare module 'vitest' {
  interface ProvidedContext {
    /** One set for each worker of vitest, by the number of its pool. */
    services: readonly ServiceUrls[];
  }
}

/** As `maxWorkers` in vitest.config.ts. */
const WORKERS = 2;
const HOMES = fileURLToPath(new URL('../.tidemark/', import.meta.url));

/**
 * Once for a run: real services in homes of their own, whose URLs every test file reads by `inject`.
 * The embedded database serves one command at a time, so two workers that share it wait for each
 * other: each gets its own. Services given by URL are shared.
 */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const settings = loadConfig();
  await discardAbandonedHomes();
  const allGiven = settings.mongoUrl && settings.creditsRedisUrl && settings.queueRedisUrl;
  const useDocker = !allGiven && settings.docker === 'auto' && (await dockerReachable());
  if (useDocker) {
    const sets = await Promise.all(Array.from({ length: WORKERS }, openContainers));
    project.provide(
      'services',
      sets.map(({ release: _release, ...urls }) => urls),
    );
    return async () => {
      await Promise.all(sets.map(({ release }) => release()));
    };
  }
  const homes = Array.from({ length: allGiven ? 1 : WORKERS }, (_, n) =>
    join(HOMES, `test-${process.pid}-${n + 1}`),
  );
  const opened: ServiceUrls[] = [];
  for (const home of homes) {
    const { release: _release, ...urls } = await openServices(
      { ...settings, home, docker: 'never' },
      (line) => process.stderr.write(`${line}\n`),
    );
    opened.push(urls);
  }
  project.provide('services', opened);
  return async () => {
    await Promise.all(homes.map(discardHome));
  };
}

/** A run that was killed leaves its services behind; the next one removes them. */
async function discardAbandonedHomes(): Promise<void> {
  for (const name of testHomes()) {
    const home = join(HOMES, name);
    if (liveLeases(home) === 0) await discardHome(home);
  }
}

function testHomes(): string[] {
  try {
    return readdirSync(HOMES).filter((name) => /^test-\d+(-\d+)?$/.test(name));
  } catch {
    return [];
  }
}
