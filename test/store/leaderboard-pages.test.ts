import { beforeAll, expect, test } from 'vitest';
import { type QuarterEnd, requireIsoDate } from '../../src/domain/ids.ts';
import type { Eligibility } from '../../src/domain/leaderboard/rank.ts';
import {
  type NamedLeader,
  packedWindow,
  readBoard,
  showWindows,
} from '../../src/store/publish/leaderboard.ts';
import { opened } from '../opened.ts';
import { openWorld } from '../world.ts';

const world = opened(openWorld);
const names = Array.from({ length: 250 }, (_, at) => `Manager ${at}`);

beforeAll(async () => {
  const leaders = names.map((name) => ({ name }) as NamedLeader);
  const [from, to] = ['2018-03-31' as QuarterEnd, '2018-12-31' as QuarterEnd];
  const ranked = packedWindow({ window: 4, from, to, eligibility: {} as Eligibility, leaders });
  const due = { asOf: requireIsoDate('2019-02-14'), version: 1, at: '2019-02-14T00:00:00.000Z' };
  await showWindows(world.mongo.db, [{ window: 4, inputs: 'digest', ranked }], due);
});

test.each([
  [0, 10],
  [95, 10],
  [100, 100],
  [240, 20],
  [250, 10],
  [1_000, 10],
])('leaders from %i on, %i of them, are those of the whole list', async (from, count) => {
  const { leaders, total } = await readBoard(world.mongo.db, 4, { from, count });
  expect(leaders.map(({ name }) => name)).toEqual(names.slice(from, from + count));
  expect(total).toBe(250);
});
