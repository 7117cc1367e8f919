import type { Db } from 'mongodb';
import { AppError } from '../../errors.ts';
import { saveSetting, settingOf, settingOnce } from './settings.ts';

/** Raise it when what is stored changes its shape. */
export const STORE_VERSION = 15;

export const SETTING = 'store_version';

/** In place of a version while a backup is restored. */
const RESTORING = 1_000_000;

/** From now on every process refuses the home. */
export function markRestoring(db: Db): Promise<void> {
  return saveSetting(db, SETTING, String(RESTORING));
}

/** The home is stored by this release. */
export function markVersion(db: Db): Promise<void> {
  return saveSetting(db, SETTING, String(STORE_VERSION));
}

/** The version of what is stored; a new home gets the present one. Throws `store_restoring`. */
export async function storeVersion(db: Db): Promise<number> {
  const stored = Number((await settingOf(db, SETTING)) ?? STORE_VERSION);
  if (stored !== RESTORING) return stored;
  throw new AppError(
    'store_restoring',
    'A backup is being restored into this home, or its restore was interrupted. Restore into an empty one.',
  );
}

/** Every process asks before it writes. Throws `store_version` for a home of another release, and `store_restoring`. */
export async function requireStoreVersion(db: Db): Promise<void> {
  const stored = await storeVersion(db);
  if (stored === STORE_VERSION) return;
  throw new AppError(
    'store_version',
    `This home has store version ${stored}, and this release reads ${STORE_VERSION}: stop its processes, run "tidemark backup DIR" on it and "tidemark restore DIR" on a new home (another TIDEMARK_HOME or MONGO_DB), which brings over accounts and balances, and reads the stored bytes of every filing again. A home of a demo (.tidemark) can be removed instead.`,
  );
}

/** Notes the version in a new home. */
export async function noteStoreVersion(db: Db): Promise<void> {
  await settingOnce(db, SETTING, () => String(STORE_VERSION));
}
