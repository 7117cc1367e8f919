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
    services: ServiceUrls;
  }
}

const HOMES = fileURLToPath(new URL('../.tidemark/', import.meta.url));

/** Once for a run: real services in a home of its own, whose URLs every test file reads by `inject`. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const settings = loadConfig();
  await discardAbandonedHomes();
  const home = join(HOMES, `test-${process.pid}`);
  const allGiven = settings.mongoUrl && settings.creditsRedisUrl && settings.queueRedisUrl;
  const useDocker = !allGiven && settings.docker === 'auto' && (await dockerReachable());
  const services = useDocker
    ? await openContainers()
    : await openServices({ ...settings, home, docker: 'never' }, (line) => process.stderr.write(`${line}\n`));
  const { mongoUrl, creditsRedisUrl, queueRedisUrl, kind } = services;
  project.provide('services', { mongoUrl, creditsRedisUrl, queueRedisUrl, kind });
  return async () => {
    if (useDocker) await services.release();
    await discardHome(home);
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
    return readdirSync(HOMES).filter((name) => /^test-\d+$/.test(name));
  } catch {
    return [];
  }
}
