import type { Db } from 'mongodb';
import { parseCik, parseTicker } from '../domain/ids.ts';
import { saveSetting, settingOf } from '../store/filing/settings.ts';
import { ensureIndexes } from '../store/mongo/indexes.ts';
import { insertNew } from '../store/mongo/write.ts';
import { readSandboxData, type SandboxData } from './data.ts';

/** The setting that all documents are there. */
const FILLED = 'sandbox';
/** Documents in one insert. */
const BATCH = 1_000;

/**
 * Opens the sandbox: a database of its own next to the main one, named by the digest of its data.
 * Processes of two releases each have theirs, so nothing is replaced under a reader.
 */
export function openSandbox(main: Db) {
  /** The database that test keys read. It is filled at the first call. */
  return { ready: once(() => load(main)) };
}

/** Makes it at the first call; after a failure the next call tries again. */
export function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | null = null;
  return () => {
    made ??= make().catch((error: unknown) => {
      made = null;
      throw error;
    });
    return made;
  };
}

async function load(main: Db): Promise<Db> {
  const data = await readSandboxData();
  const db = main.client.db(sandboxName(main.databaseName, data.digest));
  await fillSandbox(db, data);
  return db;
}

export function sandboxName(mainName: string, digest: string): string {
  return `${mainName}_sandbox_${digest.slice(0, 8)}`;
}

/**
 * Inserts the missing documents, then a marker that all are there. Several processes may do it at
 * once, because every document has a fixed id and is written once.
 */
export async function fillSandbox(db: Db, { digest, collections }: SandboxData): Promise<void> {
  if ((await settingOf(db, FILLED)) === digest) return;
  await ensureIndexes(db);
  for (const [name, docs] of collections) {
    for (let start = 0; start < docs.length; start += BATCH) {
      await insertNew(db.collection(name), docs.slice(start, start + BATCH));
    }
  }
  await saveSetting(db, FILLED, digest);
}

/** Every call with a test key acts for this organisation. */
export const SANDBOX_ORGANIZATION = { id: 'sandbox', name: 'Sandbox' } as const;

/** The balance that `/credits` shows to a test key. It is never spent. */
export const SANDBOX_BALANCE = 100_000;

/** The watchlist of a test key: two issuers by ticker, one insider by CIK. */
export const SANDBOX_WATCHLIST = {
  tickers: ['CLASH', 'DONE'].flatMap((text) => parseTicker(text) ?? []),
  ciks: ['9992000004'].flatMap((text) => parseCik(text) ?? []),
};
