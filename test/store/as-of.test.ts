import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { turnToday } from '../../jobs/today.ts';
import type { JobContext } from '../../jobs/worker/context.ts';
import { turnAsOf } from '../../src/derive/corpus/as-of.ts';
import type { IsoDate } from '../../src/domain/ids.ts';
import { publishAsOf, publishedAsOf, startTurn, turnStartedFrom } from '../../src/store/filing/settings.ts';
import { openWorld, type World } from '../world.ts';

const [FRIDAY, MONDAY] = ['2018-11-30', '2018-12-03'] as [IsoDate, IsoDate];

let world: World;
beforeAll(async () => {
  world = await openWorld();
});
afterAll(() => world.close());
beforeEach(async () => {
  await world.mongo.db.collection('settings').deleteMany({});
});

/** A worker whose clock shows noon of the day in New York, with or without TIDEMARK_AS_OF. */
const worker = (day: IsoDate, asOf?: IsoDate): JobContext =>
  ({
    db: world.mongo.db,
    config: { ...world.config, asOf },
    now: () => new Date(`${day}T17:00:00Z`),
  }) as unknown as JobContext;

test('a worker whose clock is behind does not turn the day back (rule 1.3)', async () => {
  const { db } = world.mongo;
  await turnToday(worker(FRIDAY));
  await turnToday(worker(MONDAY));
  await turnToday(worker(FRIDAY));
  expect(await publishedAsOf(db)).toBe(MONDAY);
  expect(await turnStartedFrom(db)).toBeNull();
});

test('a day that is set goes back (rule 1.3)', async () => {
  await turnToday(worker(MONDAY));
  await turnToday(worker(MONDAY, FRIDAY));
  expect(await publishedAsOf(world.mongo.db)).toBe(FRIDAY);
});

test('of many workers around midnight the later day stands (rule 1.3)', async () => {
  await turnToday(worker(FRIDAY));
  await Promise.all([MONDAY, FRIDAY, MONDAY, FRIDAY, FRIDAY].map((day) => turnToday(worker(day))));
  expect(await publishedAsOf(world.mongo.db)).toBe(MONDAY);
});

test('a day replaces only the one that was read before', async () => {
  const { db } = world.mongo;
  expect(await publishAsOf(db, FRIDAY)).toBe(true);
  expect(await publishAsOf(db, MONDAY)).toBe(false);
  expect(await publishAsOf(db, MONDAY, FRIDAY)).toBe(true);
  expect(await publishAsOf(db, '2018-12-01' as IsoDate, FRIDAY)).toBe(false);
  expect(await publishedAsOf(db)).toBe(MONDAY);
});

test('a worker whose clock is behind ends the turn that another one left unfinished', async () => {
  const { db } = world.mongo;
  await publishAsOf(db, MONDAY);
  await startTurn(db, FRIDAY);
  await turnAsOf(db, FRIDAY, { mayGoBack: false });
  expect(await turnStartedFrom(db)).toBeNull();
  expect(await publishedAsOf(db)).toBe(MONDAY);
});
