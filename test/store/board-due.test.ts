import { Queue } from 'bullmq';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { JOBS } from '../../jobs/index.ts';
import { enqueuePendingLeaderboard } from '../../jobs/pending/settled.ts';
import { bullPrefix } from '../../jobs/worker/producer.ts';
import { computeCorpus } from '../../src/derive/corpus/corpus.ts';
import { pipelineStatus } from '../../src/derive/corpus/status.ts';
import type { IsoDate } from '../../src/domain/ids.ts';
import { publishAsOf } from '../../src/store/filing/settings.ts';
import { invalidate } from '../../src/store/invalidation/invalidate.ts';
import { settleInvalidation } from '../../src/store/invalidation/invalidation.ts';
import { publishCorpus } from '../../src/store/publish/corpus.ts';
import { BOARD_KEY, boardIn, leaderboardDue } from '../../src/store/publish/leaderboard.ts';
import { openJobs } from '../jobs.ts';
import { opened } from '../opened.ts';
import { openWorld } from '../world.ts';

const AS_OF = '2018-11-30' as IsoDate;
const STUCK = '0000000001|2018-09-30';
const MINUTE_MS = 60_000;

const world = opened(() => openWorld({ BRIEF_DEBOUNCE_MS: '30000' }));
const pipeline = opened(() => openJobs(world));
let queue: Queue;

beforeAll(async () => {
  queue = new Queue('leaderboard', {
    connection: world.queue,
    prefix: bullPrefix(world.config.queuePrefix),
  });
  const { db } = world.mongo;
  await publishAsOf(db, AS_OF);
  await publishCorpus(db, await computeCorpus(db, AS_OF), { at: '', before: null });
});
afterAll(() => queue.close());
beforeEach(() => queue.drain(true));

/** Whether the dispatcher adds the job. */
async function isWoken(): Promise<boolean> {
  await queue.drain(true);
  await enqueuePendingLeaderboard(pipeline.context, ['diff']);
  return (await queue.count()) === 1;
}

async function rank(): Promise<void> {
  const due = await leaderboardDue(world.mongo.db);
  if (due !== null) await JOBS.leaderboard(pipeline.context, due);
}

/** A report changed, and the board that is shown is so old. */
async function changedAfter(ms: number): Promise<void> {
  const { db } = world.mongo;
  await invalidate(db, 'leaderboard', [BOARD_KEY]);
  await boardIn(db).updateMany({}, { $set: { at: new Date(Date.now() - ms).toISOString() } });
}

test('a report that is never compared holds back neither the first board nor the next for long', async () => {
  await invalidate(world.mongo.db, 'report', [STUCK]);
  expect((await pipelineStatus(world.mongo.db)).leaderboard_due).toBe(true);
  expect(await isWoken()).toBe(true);
  await rank();
  expect((await pipelineStatus(world.mongo.db)).leaderboard_due).toBe(false);
  expect(await isWoken()).toBe(false);
  await changedAfter(9 * MINUTE_MS);
  expect(await isWoken()).toBe(false);
  await changedAfter(11 * MINUTE_MS);
  expect(await isWoken()).toBe(true);
});

test('with nothing left to compare only the debounce is waited for, and one run is enqueued', async () => {
  await settleInvalidation(world.mongo.db, 'report', STUCK, 1);
  await changedAfter(0);
  expect(await isWoken()).toBe(false);
  await changedAfter(MINUTE_MS);
  expect(await isWoken()).toBe(true);
  await changedAfter(MINUTE_MS);
  await enqueuePendingLeaderboard(pipeline.context, ['diff']);
  expect(await queue.count()).toBe(1);
});
