import { type Db, MongoClient } from 'mongodb';
import { AppError, unavailable } from './errors.ts';

export type Mongo = { readonly client: MongoClient; readonly db: Db };

export type MongoOptions = {
  /**
   * False where a failed write is repeated by its job: the embedded engine compares each retryable write
   * with all of the last half hour, so after 10,000 of them a write costs ten times as much.
   */
  readonly retryWrites?: boolean;
};

/**
 * Opens MongoDB with journaled majority writes and majority reads. 64-bit integers are read as bigint, so
 * money and shares are never floats. Throws `mongo_unreachable` within five seconds.
 */
export async function openMongo(
  url: string,
  database: string,
  { retryWrites = true }: MongoOptions = {},
): Promise<Mongo> {
  const client = new MongoClient(url, {
    retryWrites,
    useBigInt64: true,
    ignoreUndefined: true,
    writeConcern: { w: 'majority', j: true },
    readConcern: { level: 'majority' },
    serverSelectionTimeoutMS: 5_000,
  });
  try {
    await client.connect();
    const db = client.db(database);
    await db.command({ ping: 1 });
    return { client, db };
  } catch (cause) {
    await client.close().catch(() => undefined);
    throw unavailable('mongo_unreachable', `MongoDB does not answer at ${withoutPassword(url)}`, { cause });
  }
}

/**
 * Refuses a standalone server: it does not heed majority writes, so what was acknowledged may be lost, and
 * numbers of events given twice. A replica set of one member will do. Refuses a `mongos`: each shard has
 * a journal of its own, so an acknowledged write does not prove that earlier ones are kept.
 */
export async function requireReplicaSet(db: Db): Promise<void> {
  const { setName, msg } = await db.command({ hello: 1 });
  if (setName !== undefined) return;
  if (msg === 'isdbgrid') {
    throw new AppError(
      'mongo_sharded',
      'MongoDB is a mongos of a sharded cluster; give the address of one replica set',
    );
  }
  throw new AppError(
    'mongo_standalone',
    'MongoDB is a standalone server; TIDEMARK_ENV=production needs a replica set (one member will do: start it with --replSet and run rs.initiate())',
  );
}

function withoutPassword(url: string): string {
  return url.replace(/\/\/[^@/]*@/, '//');
}
