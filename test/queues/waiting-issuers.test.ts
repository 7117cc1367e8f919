import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { JOBS } from '../../jobs/index.ts';
import { enqueuePendingInsiders } from '../../jobs/pending/enqueue.ts';
import type { JobContext } from '../../jobs/worker/context.ts';
import { openProducer, type Producer } from '../../jobs/worker/producer.ts';
import { beginDataSet, noteDataSetProgress, noteStored } from '../../src/store/filing/data-sets.ts';
import { invalidate } from '../../src/store/invalidation/invalidate.ts';
import { listPending } from '../../src/store/invalidation/invalidation.ts';
import { opened } from '../opened.ts';
import { openWorld } from '../world.ts';

const ISSUERS = ['0000000001', '0000000002'] as const;
const SET = '2018q4_form345';

const world = opened(openWorld);
let producer: Producer;
beforeAll(async () => {
  producer = openProducer(world.queue, world.config.queuePrefix);
});
afterAll(async () => {
  await producer.close();
});
beforeEach(async () => {
  await world.mongo.db.collection('invalidations').deleteMany({});
  await invalidate(world.mongo.db, 'insider', ISSUERS);
});
afterEach(() => producer.clear(['insider']));

const context = (): JobContext =>
  ({ config: world.config, db: world.mongo.db, producer, now: () => new Date() }) as unknown as JobContext;

test('while a command imports forms, an issuer waits for more of them, and no longer than the import', async () => {
  const { db } = world.mongo;
  await beginDataSet(db, SET, { digest: 'digest', at: new Date().toISOString() });
  await noteDataSetProgress(db, SET, { share: 0.5, at: new Date().toISOString() });
  await enqueuePendingInsiders(context());
  expect(await producer.load(['insider'])).toBe(0);
  await noteStored(db, SET, 'digest');
  await enqueuePendingInsiders(context());
  expect(await producer.load(['insider'])).toBe(2);
});

test('an issuer that cannot be reconciled goes to the back', async () => {
  const { db } = world.mongo;
  const [broken, other] = ISSUERS;
  const work = JOBS.insider(context(), { cik: broken } as never);
  await expect(work).rejects.toThrow('no as-of date');
  expect((await listPending(db, 'insider', 2)).map(({ key }) => key)).toEqual([other, broken]);
});
