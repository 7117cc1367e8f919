import { beforeEach, describe, expect, test } from 'vitest';
import { FENCE_WIDTH, restoreFence, sequence } from '../../jobs/sequence.ts';
import type { JobContext } from '../../jobs/worker/context.ts';
import type { Producer } from '../../jobs/worker/producer.ts';
import { redisKeys } from '../../src/credits/redis-keys.ts';
import { checkEvents } from '../../src/read/audit/events.ts';
import { type EventCheck, eventsIn } from '../../src/store/filing/events.ts';
import { filingsIn } from '../../src/store/filing/filings.ts';
import { ensureIndexes } from '../../src/store/mongo/indexes.ts';
import { accessionOf, addPending, sequencingIn, untilSequenced } from '../flow/sequencing.ts';
import { streamOf } from '../flow/shown.ts';
import { opened } from '../opened.ts';
import { openWorld } from '../world.ts';

const world = opened(openWorld, beforeEach);
let context: JobContext;

beforeEach(async () => {
  await ensureIndexes(world.mongo.db);
  context = sequencingIn(world);
  await addPending(world, 0, 20);
  await untilSequenced(context);
});

const events = () => eventsIn(world.mongo.db);
const filings = () => filingsIn(world.mongo.db);
const LATER_MS = 120_000;

async function checked(): Promise<EventCheck> {
  return checkEvents(world.mongo.db, await context.highestSeq.read(), new Date());
}

const problemsOf = ({ problems }: EventCheck): string[] => problems.map(({ code }) => code);

describe('the check of the stream', () => {
  test('counts a whole stream and finds nothing', async () => {
    expect(await checked()).toMatchObject({ head: 20, events: 20, published: 20, pending: 0, highest: 20 });
    expect(problemsOf(await checked())).toEqual([]);
  });

  test('finds a hole, and the filing whose event it was', async () => {
    await events().deleteOne({ _id: 7 });
    expect(problemsOf(await checked())).toEqual(['missing_numbers', 'filing_without_event']);
  });

  test('finds a filing that has another number than its event', async () => {
    await filings().updateOne({ _id: accessionOf(3) }, { $set: { seq: 19 } });
    expect(problemsOf(await checked())).toContain('filing_disagrees');
  });

  test('finds a filing that no event was made of, and leaves one that is under way', async () => {
    await filings().updateOne({ _id: accessionOf(3) }, { $set: { event: 'pending', seq: null } });
    expect(problemsOf(await checked())).toEqual([]);
    await addPending(world, 20, 1);
    expect(await checked()).toMatchObject({ pending: 2, problem_count: 0 });
    const later = new Date(Date.now() + LATER_MS);
    expect(problemsOf(await checkEvents(world.mongo.db, 20, later))).toEqual(['overdue']);
  });

  test('finds that MongoDB is older than what was published', async () => {
    await events().deleteMany({ _id: { $gt: 15 } });
    await filings().deleteMany({ seq: { $gt: 15 } });
    expect(problemsOf(await checked())).toEqual(['older_than_published']);
  });
});

describe('after an older MongoDB was restored', () => {
  const producer = { workers: async () => 0 } as unknown as Producer;
  const fence = (above?: number) => restoreFence({ ...context, producer }, above);

  /** As it was after 15 events; filings of later ones are known, as parts of a copy may be younger. */
  async function restoreOlder(): Promise<void> {
    await events().deleteMany({ _id: { $gt: 15 } });
    await addPending(world, 20, 5);
  }

  test('no event gets a number that a reader has passed', async () => {
    await restoreOlder();
    await expect(sequence(context, { slot: 0 })).rejects.toMatchObject({
      code: 'events_restored',
      retry: false,
    });
    expect(await fence()).toEqual({ gap: { from: 16, to: 20 + FENCE_WIDTH }, renumbered: 5 });
    await untilSequenced(context);
    const stream = await streamOf(world.mongo.db);
    expect(stream.slice(15).map(([seq]) => seq)).toEqual(
      Array.from({ length: 10 }, (_, n) => 21 + FENCE_WIDTH + n),
    );
    expect(new Set(stream.map(([, accession]) => accession)).size).toBe(25);
    expect(await checked()).toMatchObject({ events: 25, gaps: 1, problem_count: 0 });
  });

  test('a second fence changes nothing, and a whole stream needs none', async () => {
    expect(await fence()).toEqual({ gap: null, renumbered: 0 });
    await restoreOlder();
    await fence();
    expect(await fence()).toEqual({ gap: null, renumbered: 0 });
  });

  test('whose Redis is lost too, the operator gives a number that was published', async () => {
    await restoreOlder();
    await world.credits.del(redisKeys(world.creditsTag).highestSeq);
    expect((await fence(20)).gap).toEqual({ from: 16, to: 20 + FENCE_WIDTH });
  });

  test('a fence waits until no worker numbers events', async () => {
    const busy = { workers: async () => 1 } as unknown as Producer;
    await expect(restoreFence({ ...context, producer: busy })).rejects.toMatchObject({
      code: 'workers_running',
    });
  });
});
