import type { Db } from 'mongodb';
import type { Logger } from '../../log.ts';
import { saveSetting, settingOnce } from '../filing/settings.ts';
import { type Beat, type Timing, underLock } from '../mongo/lock.ts';
import { migrateFrom1 } from './from-1.ts';
import { migrateFrom2 } from './from-2.ts';
import { migrateFrom3 } from './from-3.ts';
import { migrateFrom4 } from './from-4.ts';
import { migrateFrom7 } from './from-7.ts';
import { migrateFrom9 } from './from-9.ts';
import { refuseNewer, SETTING, STORE_VERSION, storedVersion } from './version.ts';

type Migration = {
  readonly log: Logger;
  readonly now: () => Date;
  /** Called by the process that migrates, before it changes anything. */
  readonly before?: () => Promise<void>;
  readonly timing?: Timing;
};

type Step = (db: Db, known: Pick<Migration, 'log' | 'now'> & { readonly beat: Beat }) => Promise<unknown>;

/** In order, each for homes below a version. */
const STEPS: readonly { readonly below: number; readonly step: Step }[] = [
  { below: 2, step: migrateFrom1 },
  { below: 3, step: migrateFrom2 },
  { below: 4, step: (db, { beat }) => migrateFrom3(db, beat) },
  { below: 5, step: (db, { beat }) => migrateFrom4(db, beat) },
  // Version 5 has all that 6 has, but its workers may remove the segments of an import that they do not know.
  // Version 6 has all that 7 has, but its workers save reports without saying that their quarter changed.
  { below: 8, step: migrateFrom7 },
  // Version 8 has all that 9 has, but its workers say that a quarter changed only after what follows from that.
  { below: 10, step: migrateFrom9 },
];

/**
 * Brings a home of an older release to the present store version, before anything is derived. Accounts,
 * raw bytes, filings, events, index days and securities stay. From version 1 everything derived is
 * dropped and has to be derived again, without a request to EDGAR. Repeatable after a crash, and safe in several
 * processes at once: one migrates and the others wait. Throws `store_newer`.
 */
export async function migrateStore(db: Db, { log, now, before, timing }: Migration): Promise<void> {
  await refuseNewer(db);
  const stored = await storedVersion(db);
  if (stored < STORE_VERSION) {
    log.warn({ stored, current: STORE_VERSION }, 'migrating the home of an older release');
    const isOver = async (): Promise<boolean> => (await storedVersion(db)) >= STORE_VERSION;
    const work = async (beat: Beat): Promise<void> => {
      await before?.();
      for (const { below, step } of STEPS) if (stored < below) await step(db, { log, now, beat });
      await saveSetting(db, SETTING, String(STORE_VERSION));
      log.warn({ current: STORE_VERSION }, 'the home is migrated');
    };
    await underLock(db, { id: 'store_migration', isOver, work }, timing);
  } else await settingOnce(db, SETTING, () => String(STORE_VERSION));
}
