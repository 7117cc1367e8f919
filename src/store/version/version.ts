import { setTimeout as wait } from 'node:timers/promises';
import type { Db } from 'mongodb';
import { AppError } from '../../errors.ts';
import type { Logger } from '../../log.ts';
import { saveSetting, settingOf } from '../filing/settings.ts';

/**
 * Raise it when what is stored changes its shape, and add a step to `migrate.ts`. Version 1 is what
 * releases stored that did not write a version.
 */
export const STORE_VERSION = 10;

export const SETTING = 'store_version';

/**
 * A collection that only version 1 has. Its workers made it at their first start, and a migration drops
 * it last.
 */
export const ONLY_IN_1 = 'dirty';

/** The version of what is stored. A new home has the present one. */
export async function storedVersion(db: Db): Promise<number> {
  const stored = await settingOf(db, SETTING);
  if (stored !== null) return Number(stored);
  const old = await db.listCollections({ name: ONLY_IN_1 }, { nameOnly: true }).toArray();
  return old.length > 0 ? 1 : STORE_VERSION;
}

/** In place of a version while a backup is restored. */
const RESTORING = 1_000_000;

/** From now on every process refuses the home. */
export function markRestoring(db: Db): Promise<void> {
  return saveSetting(db, SETTING, String(RESTORING));
}

/** Of a backup, when all of it is restored. */
export function markVersion(db: Db, version: number): Promise<void> {
  return saveSetting(db, SETTING, String(version));
}

/** Throws `store_newer` when a newer release has stored the home. Every process asks before it writes. */
export async function refuseNewer(db: Db): Promise<void> {
  const stored = await storedVersion(db);
  if (stored <= STORE_VERSION) return;
  if (stored === RESTORING) {
    const message =
      'A backup is being restored into this home, or its restore was interrupted. Restore into an empty one.';
    throw new AppError('store_restoring', message);
  }
  throw new AppError(
    'store_newer',
    `This home was stored by a newer release of Tidemark (store version ${stored}, this release has ${STORE_VERSION}). Use that release, or another home.`,
  );
}

const LOOK_MS = 500;

/** Waits until a worker has migrated the home of an older release. Throws `store_newer`. */
export async function untilCurrent(db: Db, log: Logger): Promise<void> {
  await refuseNewer(db);
  for (let looks = 0; (await storedVersion(db)) < STORE_VERSION; looks += 1) {
    if (looks % 20 === 0) log.warn('the home is of an older release: waiting for a worker to migrate it');
    await wait(LOOK_MS);
  }
}

/** Throws `store_outdated` when an older release has stored the home and no worker has migrated it. */
export async function requireCurrent(db: Db): Promise<void> {
  const stored = await storedVersion(db);
  if (stored === STORE_VERSION) return;
  throw new AppError(
    'store_outdated',
    `This home was stored by an older release of Tidemark (store version ${stored}, this release has ${STORE_VERSION}). Start a worker (tidemark work): it migrates the home.`,
  );
}
