import { beforeEach, expect, test } from 'vitest';
import type { JobContext } from '../../jobs/worker/context.ts';
import { turnAsOf, turnToday } from '../../src/derive/corpus/as-of.ts';
import type { IsoDate } from '../../src/domain/ids.ts';
import { publishAsOf, publishedAsOf, startTurn, turnStartedFrom } from '../../src/store/filing/settings.ts';
import { opened } from '../opened.ts';
import { openWorld } from '../world.ts';

const [THURSDAY, FRIDAY] = ['2018-11-29', '2018-11-30'] as [IsoDate, IsoDate];
const SATURDAY = '2018-12-01' as IsoDate;

const world = opened(openWorld);
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
  await turnToday(worker(THURSDAY));
  await turnToday(worker(FRIDAY));
  await turnToday(worker(THURSDAY));
  expect(await publishedAsOf(db)).toBe(FRIDAY);
  expect(await turnStartedFrom(db)).toBeNull();
});

test('a clock that is days behind does not turn the day back; the setting does (rule 1.3)', async () => {
  await turnToday(worker(SATURDAY));
  await turnToday(worker(THURSDAY));
  expect(await publishedAsOf(world.mongo.db)).toBe(SATURDAY);
  await turnToday(worker(THURSDAY, THURSDAY));
  expect(await publishedAsOf(world.mongo.db)).toBe(THURSDAY);
});

test('a day that is set goes back (rule 1.3)', async () => {
  await turnToday(worker(FRIDAY));
  await turnToday(worker(FRIDAY, THURSDAY));
  expect(await publishedAsOf(world.mongo.db)).toBe(THURSDAY);
});

test('of many workers around midnight the later day stands (rule 1.3)', async () => {
  await turnToday(worker(THURSDAY));
  await Promise.all([FRIDAY, THURSDAY, FRIDAY, THURSDAY, THURSDAY].map((day) => turnToday(worker(day))));
  expect(await publishedAsOf(world.mongo.db)).toBe(FRIDAY);
});

test('a day replaces only the one that was read before', async () => {
  const { db } = world.mongo;
  expect(await publishAsOf(db, THURSDAY)).toBe(true);
  expect(await publishAsOf(db, FRIDAY)).toBe(false);
  expect(await publishAsOf(db, FRIDAY, THURSDAY)).toBe(true);
  expect(await publishAsOf(db, SATURDAY, THURSDAY)).toBe(false);
  expect(await publishedAsOf(db)).toBe(FRIDAY);
});

test('a worker whose clock is behind ends the turn that another one left unfinished', async () => {
  const { db } = world.mongo;
  await publishAsOf(db, FRIDAY);
  await startTurn(db, THURSDAY);
  await turnAsOf(db, THURSDAY, { mayGoBack: false });
  expect(await turnStartedFrom(db)).toBeNull();
  expect(await publishedAsOf(db)).toBe(FRIDAY);
});
