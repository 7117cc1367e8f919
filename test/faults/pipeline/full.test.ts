import { MongoServerError } from 'mongodb';
import { afterAll, beforeAll, expect } from 'vitest';
import { startWorkers } from '../../../jobs/worker/run.ts';
import { createKey } from '../../../src/credits/account/key-life.ts';
import { openCreditsRedis } from '../../../src/redis.ts';
import { startApi } from '../../../src/serve.ts';
import { readRaw } from '../../../src/store/filing/raw.ts';
import { seedBrief, seed as seedCorpus } from '../../api/corpus.ts';
import { dispatchToEnd, openFlow, openStages } from '../../flow/flow.ts';
import { type Folder, openFolder } from '../../flow/folder.ts';
import { AS_OF, FORM4 } from '../../flow/small-corpus.ts';
import { opened } from '../../opened.ts';
import { interruptedDb } from '../../store/interrupted.ts';
import { openWorld } from '../../world.ts';
import { call, callAll, countsOf } from '../harness/caller.ts';
import { openOwnServer } from '../harness/own-server.ts';
import { scenario } from '../harness/scenario.ts';

const GRANT = 1_000;
const PRICE = 10;
const OUT_OF_DISK_SPACE = 14_031;

const world = opened(() => openWorld({ PORT: '0', RATE_LIMIT_PER_SECOND: '0', SHED_LOOP_DELAY_MS: '0' }));
let folder: Folder;

beforeAll(async () => {
  await seedCorpus(world.mongo.db);
  await seedBrief(world.mongo.db, 'AAPL', 'x');
  folder = await openFolder({ accessions: FORM4.slice(0, 2), symbols: ['TSLA', 'FB'] });
});
afterAll(async () => {
  await folder?.close();
});

scenario(
  'T16',
  'a full credits Redis refuses calls before any write, and charges on when there is room',
  async (run) => {
    const server = await openOwnServer('credits');
    const redis = openCreditsRedis(server.url);
    await redis.connect();
    const context = { ...world.context, creditsRedis: redis };
    const { key, orgId } = await createKey(
      { ...world.store, redis },
      { orgName: 'full', credits: GRANT, label: '' },
    );
    const api = await startApi(context);
    const url = `http://127.0.0.1:${api.port}/v1/stocks/AAPL/capital-change-brief`;
    expect(await call({ url, key })).toMatchObject({ status: 200, charged: PRICE });
    const balance = () => redis.hmget(`{${world.creditsTag}}:o:${orgId}`, 'bal', 'n');
    const before = await balance();

    await redis.config('SET', 'maxmemory', '1');
    const refused = await callAll({ more: (n) => n < 50, atOnce: 10 }, () => call({ url, key }));
    expect(countsOf(refused)).toEqual({ 503: 50 });
    await redis.config('SET', 'maxmemory', '0');
    expect(await balance()).toEqual(before);
    expect(await call({ url, key })).toMatchObject({ status: 200, charged: PRICE });
    expect((await balance())[0]).toBe(String(GRANT - 2 * PRICE));
    run.measured({ ...countsOf(refused) });
    await api.close();
    redis.disconnect();
    await server.close();
  },
);

scenario('T18', 'a full disk while bytes are stored is tried again, with nothing half there', async (run) => {
  const flow = await openFlow(folder, AS_OF);
  const pipeline = await openStages(flow);
  let failures = 0;
  // The parts of the first filing are stored, and its document is not.
  const db = interruptedDb(pipeline.context.db, {
    before: async ({ collection, name }) => {
      if (collection !== 'raw' || !name.startsWith('insert') || failures >= 3) return;
      failures += 1;
      throw new MongoServerError({ message: 'No space left on device', code: OUT_OF_DISK_SPACE });
    },
  });
  const workers = startWorkers({ ...pipeline.context, db }, pipeline.redis);
  const status = await dispatchToEnd(pipeline);
  await workers.close();
  await pipeline.close();
  expect(failures).toBe(3);
  expect(status).toMatchObject({ quarantined: 0, filings_form4: 2, events: 2 });
  for (const { _id } of await flow.db.collection<{ _id: string }>('raw').find().toArray()) {
    expect((await readRaw(flow.db, _id)).length).toBeGreaterThan(0);
  }
  run.measured({ failures });
  await flow.close();
});
