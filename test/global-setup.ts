import { cpSync, existsSync, readdirSync, statfsSync } from 'node:fs';
import { freemem, userInfo } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { TestProject } from 'vitest/node';
import { preferDocker } from '../packages/embedded/docker.ts';
import { discardHome } from '../packages/embedded/embedded.ts';
import { liveLeases } from '../packages/embedded/lease.ts';
import { openServices } from '../packages/embedded/open.ts';
import { type Config, loadConfig } from '../src/config.ts';
import { AppError } from '../src/errors.ts';
import { openContainers } from './containers.ts';
import { watchHome } from './stall-watch.ts';

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
const WORKERS = 3;
/** Kills are tested, losses of power are not: no write of a test needs to wait for a disk. */
const MEMORY = '/dev/shm';
const MEMORY_NEEDED = 4 * 2 ** 30;
const HOMES = hasRoom(MEMORY)
  ? join(MEMORY, `tidemark-tests-${userInfo().username}`)
  : fileURLToPath(new URL('../.tidemark/', import.meta.url));

/**
 * Once for a run: real services, whose URLs every test file reads by `inject`. Services given by URL are shared by the
 * workers. A machine that can run none is one line: vitest would print a stack trace.
 */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  try {
    const settings = loadConfig();
    await discardAbandonedHomes();
    const allGiven = settings.mongoUrl && settings.creditsRedisUrl && settings.queueRedisUrl;
    const containers = allGiven ? null : await startedContainers(settings);
    if (containers === null) return await openHomes(project, settings, allGiven ? 1 : WORKERS);
    project.provide('services', containers.services);
    return containers.release;
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    say(error.message);
    process.exit(1);
  }
}

async function startedContainers({ docker }: Config) {
  if (docker === 'never') return null;
  return preferDocker(docker === 'always' ? 'DOCKER=always' : null, say, () => openContainers(WORKERS));
}

/**
 * The embedded database serves one command at a time, so workers that share it wait for each other: each gets a
 * home of its own.
 */
async function openHomes(
  project: TestProject,
  settings: Config,
  count: number,
): Promise<() => Promise<void>> {
  const homes = Array.from({ length: count }, (_, n) => join(HOMES, `test-${process.pid}-${n + 1}`));
  const watches: (() => Promise<void>)[] = [];
  const discard = async (): Promise<void> => {
    await Promise.all(watches.map((end) => end()));
    keepLogs(homes);
    await Promise.all(homes.map(discardHome));
  };
  // Kills are tested, losses of power are not (packages/embedded/patches/disk.py).
  process.env['ENGINE_FSYNC'] = 'off';
  try {
    const opened: ServiceUrls[] = [];
    for (const home of homes) {
      const { release: _release, ...urls } = await openServices({ ...settings, home, docker: 'never' }, say);
      opened.push(urls);
      if (urls.kind === 'embedded') watches.push(watchHome(home, urls));
    }
    project.provide('services', opened);
    return discard;
  } catch (error) {
    await discard();
    throw error;
  }
}

function hasRoom(folder: string): boolean {
  if (!existsSync(folder) || freemem() < 2 * MEMORY_NEEDED) return false;
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize >= MEMORY_NEEDED;
}

function say(line: string): void {
  process.stderr.write(`${line}\n`);
}

/** `npm test` keeps the logs of a run that failed (scripts/test.mjs). */
function keepLogs(homes: readonly string[]): void {
  const folder = process.env['TIDEMARK_TEST_LOGS'];
  if (folder === undefined) return;
  for (const home of homes) {
    const logs = join(home, 'logs');
    if (existsSync(logs)) cpSync(logs, join(folder, basename(home)), { recursive: true });
  }
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
