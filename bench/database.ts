import type { Db } from 'mongodb';
import { openServices } from '../packages/embedded/open.ts';
import { withTemporaryFolder } from '../scripts/temporary-folder.ts';
import { loadConfig } from '../src/config.ts';
import { openMongo } from '../src/mongo.ts';
import { ensureIndexes } from '../src/store/mongo/indexes.ts';

/** Runs `work` with a new database that is removed afterwards. */
export function withBenchDatabase<T>(name: string, work: (db: Db) => Promise<T>): Promise<T> {
  return withTemporaryFolder(`bench-${name}`, async (home) => {
    const services = await openServices({ ...loadConfig(), home }, (line) => console.error(line));
    try {
      const mongo = await openMongo(services.mongoUrl, `bench_${name}_${process.pid}`);
      try {
        await ensureIndexes(mongo.db);
        return await work(mongo.db);
      } finally {
        await mongo.db.dropDatabase();
        await mongo.client.close();
      }
    } finally {
      await services.release();
    }
  });
}
