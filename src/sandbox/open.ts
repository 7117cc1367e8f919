import type { Db } from 'mongodb';
import { ensureIndexes } from '../store/mongo/indexes.ts';
import { insertNew } from '../store/mongo/insert-new.ts';
import { readSandboxData, type SandboxData } from './data.ts';

export type Sandbox = {
  /**
   * The database that test keys read, filled when it is asked for the first time. A failure is not
   * remembered: the next call tries again.
   */
  readonly ready: () => Promise<Db>;
};

/** Documents of one insert. */
const BATCH = 1_000;

/**
 * The sandbox stands in a database of its own beside the data, named by the digest of its data: processes of two
 * releases each have theirs, and nothing is ever replaced under a reader.
 */
export function openSandbox(main: Db): Sandbox {
  let opening: Promise<Db> | null = null;
  return {
    ready() {
      opening ??= load(main).catch((error: unknown) => {
        opening = null;
        throw error;
      });
      return opening;
    },
  };
}

async function load(main: Db): Promise<Db> {
  const data = await readSandboxData();
  const db = main.client.db(sandboxName(main.databaseName, data.digest));
  await fillSandbox(db, data);
  return db;
}

/** @param digest of the data set */
export function sandboxName(mainName: string, digest: string): string {
  return `${mainName}_sandbox_${digest.slice(0, 8)}`;
}

type MarkerDoc = { _id: string };

/**
 * Puts the documents that are missing, then says that all are there. Any number of processes may do
 * it at once: the same documents under the same ids, and none is written twice.
 */
export async function fillSandbox(db: Db, { digest, collections }: SandboxData): Promise<void> {
  const filled = db.collection<MarkerDoc>('sandbox');
  if ((await filled.findOne({ _id: digest })) !== null) return;
  await ensureIndexes(db);
  for (const [name, docs] of collections) {
    for (let start = 0; start < docs.length; start += BATCH) {
      await insertNew(db.collection(name), docs.slice(start, start + BATCH));
    }
  }
  await filled.updateOne({ _id: digest }, { $setOnInsert: { _id: digest } }, { upsert: true });
}
