import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { AppError } from '../../src/errors.ts';
import { readJson } from './json-file.ts';
import { withLock } from './lock.ts';
import type { ServiceName } from './probe.ts';
import { isAlive, ownMark, processMark } from './process.ts';
import { readState, type State } from './state.ts';

let count = 0;

/** URLs of services, and how to release them. Releasing is safe to repeat. */
export type OpenedServices = {
  readonly urls: Partial<Record<ServiceName, string>>;
  readonly release: () => Promise<void>;
};

type Leased = {
  readonly kind: NonNullable<State['kind']>;
  /** How long to wait for the lock of the home: its holder may be installing or starting. */
  readonly limitMs: number;
  readonly start: () => Promise<OpenedServices['urls']>;
  /** For the last one that releases, also after a failed start. */
  readonly stop: () => Promise<void>;
};

/** Starts or joins the services of a home under its lock, and holds a lease on them until the release. */
export function openLeased(home: string, { kind, limitMs, start, stop }: Leased): Promise<OpenedServices> {
  const locked = <T>(work: () => Promise<T>): Promise<T> =>
    withLock(join(home, 'services.lock'), limitMs, work);
  return locked(async () => {
    // Two processes that make a home at the same time may find Docker in a different state.
    const { kind: found = kind } = readState(home);
    if (found !== kind)
      throw new AppError('service_start', `another process just made this home of kind ${found}: try again`);
    const releaseLease = takeLease(home);
    const leave = async (): Promise<void> => {
      releaseLease();
      if (liveLeases(home) === 0) await stop();
    };
    try {
      const urls = await start();
      let released: Promise<void> | null = null;
      const release = (): Promise<void> => {
        released ??= locked(leave);
        return released;
      };
      return { urls, release };
    } catch (error) {
      await leave();
      throw error;
    }
  });
}

/**
 * Records that this process uses the services of this home. Returns a function that removes the record.
 * Call it under the home's lock, so that the services are not stopped in between.
 */
function takeLease(home: string): () => void {
  const folder = join(home, 'leases');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  count += 1;
  const path = join(folder, `${process.pid}-${count}`);
  writeFileSync(path, JSON.stringify(ownMark()));
  return () => rmSync(path, { force: true });
}

/** Counts the leases of living processes. Leases of processes that crashed are removed. */
export function liveLeases(home: string): number {
  const folder = join(home, 'leases');
  return namesIn(folder).filter((name) => {
    const holder = processMark.safeParse(readJson(join(folder, name))).data;
    const isLive = holder !== undefined && isAlive(holder);
    if (!isLive) rmSync(join(folder, name), { force: true });
    return isLive;
  }).length;
}

/** Empty for a folder that is not there, or that another process removes at this moment. */
function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}
