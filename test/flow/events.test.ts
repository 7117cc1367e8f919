import { beforeEach, describe, expect, test } from 'vitest';
import type { JobContext } from '../../jobs/worker/context.ts';
import { eventsIn } from '../../src/store/filing/events.ts';
import { filingsIn } from '../../src/store/filing/filings.ts';
import { ensureIndexes } from '../../src/store/mongo/indexes.ts';
import { opened } from '../opened.ts';
import { openWorld } from '../world.ts';
import { accessionOf, addPending, sequencingIn, untilSequenced } from './sequencing.ts';
import { streamOf } from './shown.ts';

const world = opened(openWorld, beforeEach);
let context: JobContext;

beforeEach(async () => {
  await ensureIndexes(world.mongo.db);
  context = sequencingIn(world);
});

async function expectWhole(count: number): Promise<void> {
  const stream = await streamOf(world.mongo.db);
  expect(stream.map(([seq]) => seq)).toEqual(Array.from({ length: count }, (_, n) => n + 1));
  expect(new Set(stream.map(([, accession]) => accession)).size).toBe(count);
  const filings = await filingsIn(world.mongo.db).find({ event: 'published' }).toArray();
  expect(new Map(filings.map((filing) => [filing._id, Number(filing.seq)]))).toEqual(
    new Map(stream.map(([seq, accession]) => [accession, seq])),
  );
}

describe('the stream of events', () => {
  test('is whole after four sequencers at once, while filings keep arriving', async () => {
    await addPending(world, 0, 450);
    const sequencers = Array.from({ length: 4 }, () => untilSequenced(context));
    for (let from = 450; from < 600; from += 50) await addPending(world, from, 50);
    await Promise.all(sequencers);
    await untilSequenced(context);
    await expectWhole(600);
  });

  test('stays as it is when the sequencer runs again', async () => {
    await addPending(world, 0, 30);
    await untilSequenced(context);
    const stream = await streamOf(world.mongo.db);
    await filingsIn(world.mongo.db).updateMany({}, { $set: { event: 'pending', seq: null } });
    await Promise.all([untilSequenced(context), untilSequenced(context)]);
    expect(await streamOf(world.mongo.db)).toEqual(stream);
    await expectWhole(30);
  });

  test('has a filing once that a crash left pending after its event was inserted', async () => {
    await addPending(world, 0, 3);
    await untilSequenced(context);
    await addPending(world, 3, 2);
    const like = await eventsIn(world.mongo.db).findOne({ _id: 1 });
    if (like === null) throw new Error('no event to copy');
    await eventsIn(world.mongo.db).insertOne({ ...like, _id: 4, accession: accessionOf(4) });
    await untilSequenced(context);
    await expectWhole(5);
    expect(await filingsIn(world.mongo.db).findOne({ _id: accessionOf(4) })).toMatchObject({
      event: 'published',
      seq: 4,
    });
  });
});
