import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { sequence } from '../../jobs/sequence.ts';
import type { JobContext } from '../../jobs/worker/context.ts';
import type { Accession, Cik, IsoDate } from '../../src/domain/ids.ts';
import { AppError } from '../../src/errors.ts';
import { createLogger } from '../../src/log.ts';
import { discoverFilings } from '../../src/store/filing/claims.ts';
import { eventsIn } from '../../src/store/filing/events.ts';
import { filingsIn } from '../../src/store/filing/filings.ts';
import { ensureIndexes } from '../../src/store/mongo/indexes.ts';
import { openWorld, type World } from '../world.ts';
import { streamOf } from './shown.ts';

let world: World;
let context: JobContext;

beforeEach(async () => {
  world = await openWorld();
  await ensureIndexes(world.mongo.db);
  // The part of a worker's context that the sequencer uses.
  context = { db: world.mongo.db, log: createLogger('silent', 'test') } as JobContext;
});

afterEach(() => world.close());

const accessionOf = (n: number): Accession => `0009999999-20-${String(n).padStart(6, '0')}` as Accession;

/** Parsed forms whose events are pending, numbered; made up, because only their number matters. */
async function addPending(from: number, count: number): Promise<void> {
  const found = Array.from({ length: count }, (_, n) => ({
    accession: accessionOf(from + n),
    cik: '0000000001' as Cik,
    form: '4',
    leg: 'form4' as const,
    company: 'MADE UP',
    filedDate: '2020-01-02' as IsoDate,
  }));
  await discoverFilings(world.mongo.db, found, new Date());
  await filingsIn(world.mongo.db).updateMany(
    { _id: { $in: found.map(({ accession }) => accession) } },
    { $set: { state: 'parsed', event: 'pending' } },
  );
}

/** A sequencer as BullMQ runs it: a lost number is a retryable error, and the job runs again. */
async function untilSequenced(): Promise<number> {
  let conflicts = 0;
  for (;;) {
    try {
      await sequence(context, { slot: 0 });
      return conflicts;
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== 'sequence_conflict') throw error;
      conflicts += 1;
    }
  }
}

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
    await addPending(0, 450);
    const sequencers = Array.from({ length: 4 }, untilSequenced);
    for (let from = 450; from < 600; from += 50) await addPending(from, 50);
    await Promise.all(sequencers);
    await untilSequenced();
    await expectWhole(600);
  });

  test('stays as it is when the sequencer runs again', async () => {
    await addPending(0, 30);
    await untilSequenced();
    const stream = await streamOf(world.mongo.db);
    await filingsIn(world.mongo.db).updateMany({}, { $set: { event: 'pending', seq: null } });
    await Promise.all([untilSequenced(), untilSequenced()]);
    expect(await streamOf(world.mongo.db)).toEqual(stream);
    await expectWhole(30);
  });

  test('has a filing once that a crash left pending after its event was inserted', async () => {
    await addPending(0, 3);
    await untilSequenced();
    await addPending(3, 2);
    const like = await eventsIn(world.mongo.db).findOne({ _id: 1 });
    if (like === null) throw new Error('no event to copy');
    await eventsIn(world.mongo.db).insertOne({ ...like, _id: 4, accession: accessionOf(4) });
    await untilSequenced();
    await expectWhole(5);
    expect(await filingsIn(world.mongo.db).findOne({ _id: accessionOf(4) })).toMatchObject({
      event: 'published',
      seq: 4,
    });
  });
});
