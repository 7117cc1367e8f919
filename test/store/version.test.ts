import { Worker } from 'bullmq';
import type { Db } from 'mongodb';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { JOBS } from '../../jobs/index.ts';
import { openPipeline } from '../../jobs/worker/open.ts';
import { bullPrefix } from '../../jobs/worker/producer.ts';
import { openContext } from '../../src/context.ts';
import type { Cik, QuarterEnd } from '../../src/domain/ids.ts';
import type { Logger } from '../../src/log.ts';
import { openQueueRedis } from '../../src/redis.ts';
import { startApi } from '../../src/serve.ts';
import { filingsIn } from '../../src/store/filing/filings.ts';
import { saveSetting, settingOf } from '../../src/store/filing/settings.ts';
import { invalidationsIn } from '../../src/store/invalidation/invalidation.ts';
import { listPending } from '../../src/store/invalidation/pending.ts';
import { insertOrLose } from '../../src/store/mongo/write.ts';
import { reportsIn } from '../../src/store/report/reports.ts';
import { securitiesIn } from '../../src/store/security/securities.ts';
import { migrateStore } from '../../src/store/version/migrate.ts';
import { migrateStatements } from '../../src/store/version/statements-from-1.ts';
import { requireCurrent, STORE_VERSION } from '../../src/store/version/version.ts';
import { openWorld, type World } from '../world.ts';
import { DERIVED_COLLECTIONS, KEPT_COLLECTIONS, SECURITIES, seedHome1 } from './home-1.ts';

const TIMING = { lookMs: 10, staleMs: 100 };
const now = (): Date => new Date('2018-12-01T12:00:00Z');

let world: World;
let db: Db;
beforeEach(async () => {
  world = await openWorld();
  db = world.mongo.db;
});
afterEach(() => world.close());

/** Collects messages; `onLine` may throw, as a process that dies at that point. */
function logged(onLine: (count: number) => void = () => undefined) {
  const lines: string[] = [];
  const add = (fields: unknown, message = String(fields)): void => {
    lines.push(message);
    onLine(lines.length);
  };
  return { lines, log: { info: add, warn: add, debug: () => undefined } as unknown as Logger };
}

function urlsOf({ env }: World) {
  const { MONGO_URL = '', CREDITS_REDIS_URL = '', QUEUE_REDIS_URL = '' } = env;
  return { mongoUrl: MONGO_URL, creditsRedisUrl: CREDITS_REDIS_URL, queueRedisUrl: QUEUE_REDIS_URL };
}

/** What a worker process opens, with an EDGAR that does not answer. */
const openWorker = () => openPipeline({ ...world.config, edgarUrl: 'http://127.0.0.1:9' }, urlsOf(world));

const migrate = (log: Logger): Promise<void> => migrateStore(db, { log, now, timing: TIMING });

async function contentsOf(names: readonly string[]): Promise<Record<string, unknown[]>> {
  const contents = names.map(async (name) => [
    name,
    await db.collection(name).find().sort({ _id: 1 }).toArray(),
  ]);
  return Object.fromEntries(await Promise.all(contents));
}

const everything = async () =>
  contentsOf((await db.listCollections().toArray()).map(({ name }) => name).sort());

describe('a home of store version 1', () => {
  test('keeps accounts, raw bytes, rows, index days and the numbers of events', async () => {
    await seedHome1(db);
    const before = await contentsOf(KEPT_COLLECTIONS);
    await migrate(logged().log);
    expect(await contentsOf(KEPT_COLLECTIONS)).toEqual(before);
    expect(await db.collection('events').find().sort({ _id: 1 }).toArray()).toMatchObject([
      { _id: 1, accession: '0001214659-20-002786', reportingOwnerCiks: ['0001214659'] },
      { _id: 2, accession: '0001214659-20-002787', reportingOwnerCiks: [] },
    ]);
    expect(await settingOf(db, 'key_pepper')).toBe('p');
    expect(await settingOf(db, 'as_of')).toBe('2018-11-30');
  });

  test('keeps every filing in its state, with the fields of today', async () => {
    const { filings } = await seedHome1(db);
    await migrate(logged().log);
    const migrated = await filingsIn(db).find().sort({ _id: 1 }).toArray();
    expect(migrated).toEqual([...filings].sort((a, b) => (a._id < b._id ? -1 : 1)));
    const indexes = await Promise.all(['filings', 'events'].map((name) => db.collection(name).indexes()));
    expect(indexes.flat().map(({ name }) => name)).not.toContain('by_owner');
  });

  test('keeps what sources state of tickers: equal statements are one, with every day (rule 3.4)', async () => {
    await seedHome1(db);
    await migrate(logged().log);
    const stored = await securitiesIn(db).find().sort({ _id: 1 }).toArray();
    const spans = new Map(
      stored.map((doc) => [doc._id, doc.spans === undefined ? null : [...doc.spans].sort()]),
    );
    expect(Object.fromEntries(spans)).toEqual({
      'company_tickers|AAPL|0000320193': null,
      'fails_to_deliver|AAPL|037833100|APPLE INC': ['2018-01-02/2018-01-12', '2018-11-16/2018-11-29'],
      'form4|AAPL|0000320193|APPLE INC': ['2018-01-02/2018-01-02', '2018-11-20/2018-11-20'],
      'form4|AAPL|0000320193|Apple Computer': ['2018-03-01/2018-03-01'],
    });
    expect(stored[0]).toEqual(SECURITIES[0]);
    expect(stored[1]).toMatchObject({ validFrom: '2018-01-02', validTo: '2018-11-29', issuer: '037833' });
    await migrateStatements(db, async () => undefined);
    expect(await securitiesIn(db).find().sort({ _id: 1 }).toArray()).toEqual(stored);
  });

  test('joins statements that an interrupted migration left', async () => {
    await seedHome1(db);
    await migrate(logged().log);
    const stored = await securitiesIn(db).find().sort({ _id: 1 }).toArray();
    await db.collection('securities').insertMany(SECURITIES.slice(2, 5));
    await migrateStatements(db, async () => undefined);
    expect(await securitiesIn(db).find().sort({ _id: 1 }).toArray()).toEqual(stored);
  });

  test('loses what is derived, and has its reports, issuers and briefs pending', async () => {
    await seedHome1(db);
    await migrate(logged().log);
    // An engine may have made an empty one for an update that found nothing.
    const left = await Promise.all(DERIVED_COLLECTIONS.map((name) => db.collection(name).countDocuments()));
    expect(left.filter((count) => count > 0)).toEqual([]);
    const pending = await invalidationsIn(db).find({ pending: true }).sort({ _id: 1 }).toArray();
    expect(pending.map(({ _id }) => _id)).toEqual([
      'brief|AAPL',
      'insider|0000814547',
      'report|0001067983|2018-09-30',
    ]);
    expect(await db.collection('progress').findOne()).toMatchObject({ at: now().toISOString(), slot: 1 });
  });

  test('is derived again from what is stored, without EDGAR', async () => {
    await seedHome1(db);
    const { context, close } = await openWorker();
    for (const { key, version } of await listPending(db, 'report', 10)) {
      const [cik, quarterEnd] = key.split('|') as [Cik, QuarterEnd];
      await JOBS.diff(context, { cik, quarterEnd, version: Number(version) });
    }
    await close();
    expect(await reportsIn(db).findOne()).toMatchObject({ managerName: 'BERKSHIRE HATHAWAY INC' });
  });

  test('is migrated also where its worker ended before it stored a filing', async () => {
    await db.collection('trades').createIndex({ issuerCik: 1, rev: -1 }, { name: 'by_issuer' });
    await db.collection('dirty').insertOne({ kind: 'brief', key: 'AAPL' });
    const { close } = await openWorker();
    await close();
    await requireCurrent(db);
    expect((await listPending(db, 'brief', 10)).map(({ key }) => key)).toEqual(['AAPL']);
  });

  test.each(['drive', 'dispatch'])(
    'is not migrated while a worker of an older release listens to %s',
    async (queue) => {
      await seedHome1(db);
      const { queuePrefix } = world.config;
      const connection = openQueueRedis(world.env['QUEUE_REDIS_URL'] ?? '');
      const older = new Worker(queue, async () => undefined, { connection, prefix: bullPrefix(queuePrefix) });
      await older.waitUntilReady();
      const before = await everything();
      await expect(openWorker()).rejects.toMatchObject({ code: 'older_release_running' });
      expect(await everything()).toEqual(before);
      await older.close();
      connection.disconnect();
      await (await openWorker()).close();
      await requireCurrent(db);
    },
  );

  test('is migrated once by several processes', async () => {
    await seedHome1(db);
    const logs = [logged(), logged(), logged()];
    await Promise.all(logs.map(({ log }) => migrate(log)));
    const done = logs.flatMap(({ lines }) => lines).filter((line) => line.includes('is migrated'));
    expect(done).toHaveLength(1);
    expect(await settingOf(db, 'store_version')).toBe(String(STORE_VERSION));
  });

  test.each([2, 3, 4])('is migrated to its end after a crash at step %i', async (step) => {
    const { filings } = await seedHome1(db);
    const crash = logged((count) => {
      if (count === step) throw new Error('crash');
    });
    await expect(migrate(crash.log)).rejects.toThrow('crash');
    await expect(requireCurrent(db)).rejects.toMatchObject({ code: 'store_outdated' });
    await migrate(logged().log);
    await requireCurrent(db);
    expect(
      await filingsIn(db)
        .find({ content: { $exists: true } })
        .toArray(),
    ).toHaveLength(filings.length);
    expect((await listPending(db, 'brief', 10)).map(({ key }) => key)).toEqual(['AAPL']);
  });

  test('is taken over from a process that died while it migrated', async () => {
    await seedHome1(db);
    const dead = { _id: 'store_migration', value: 'dead', beat: 3 };
    await insertOrLose(db.collection<typeof dead>('settings'), dead);
    await migrate(logged().log);
    await requireCurrent(db);
    expect(await settingOf(db, 'store_migration')).toBeNull();
  });

  test('keeps the API waiting until a worker has migrated it', async () => {
    await seedHome1(db);
    const { lines, log } = logged();
    let isStarted = false;
    const starting = startApi({ ...world.context, config: { ...world.config, port: 0 }, log });
    const noteStart = (): void => {
      isStarted = true;
    };
    starting.then(noteStart, noteStart);
    await expect.poll(() => lines[0]).toContain('waiting for a worker');
    expect(isStarted).toBe(false);
    await migrate(logged().log);
    await (await starting).close();
  });
});

test('a home of a newer release is refused, and nothing is written', async () => {
  await saveSetting(db, 'store_version', String(STORE_VERSION + 1));
  await filingsIn(db).insertOne({ _id: '0000950123-18-000001', thirteenF: null } as never);
  const before = await everything();
  const urls = urlsOf(world);
  const newer = { code: 'store_newer', message: expect.stringContaining('newer release') };
  await expect(openContext(world.config, urls)).rejects.toMatchObject(newer);
  await expect(openPipeline(world.config, urls)).rejects.toMatchObject(newer);
  await expect(migrate(logged().log)).rejects.toMatchObject(newer);
  expect(await everything()).toEqual(before);
});

test('a new home has the present version from its first worker on', async () => {
  const { lines, log } = logged();
  await migrate(log);
  await requireCurrent(db);
  expect(await settingOf(db, 'store_version')).toBe(String(STORE_VERSION));
  expect(lines).toEqual([]);
});
