import { afterAll, beforeAll, expect, test } from 'vitest';
import type { IsoDate } from '../../src/domain/ids.ts';
import { LAST, STEADY } from '../../src/domain/leaderboard.sample.ts';
import { leaderboardQuarter } from '../../src/store/leaderboard-quarters.ts';
import { publishAsOf } from '../../src/store/settings.ts';
import { type BoardCorpus, boardFiling, openBoardCorpus } from '../api/board-corpus.ts';
import { openWorld, type World } from '../world.ts';

const AS_OF = '2019-05-31' as IsoDate;
const AT = 9;

let world: World;
let corpus: BoardCorpus;
beforeAll(async () => {
  world = await openWorld();
  corpus = await openBoardCorpus(world);
  await publishAsOf(world.mongo.db, AS_OF);
});
afterAll(async () => {
  await corpus.close();
  await world.close();
});

test('reports whose shares are their values price nothing, not even together, and their books say so (domain 3)', async () => {
  const clean = ['0000000001', '0000000002'].map((cik) => boardFiling(cik, STEADY, AT));
  // All three say one and the same price: that of a share for each thousand dollars.
  const repeated = ['0000000003', '0000000004', '0000000005'].map((cik) => {
    const filing = boardFiling(cik, STEADY, AT);
    return { ...filing, rows: filing.rows.map((row) => ({ ...row, amount: row.value })) };
  });
  await corpus.file([...clean, ...repeated]);
  await corpus.settle();
  const { prices, books } = await leaderboardQuarter(world.mongo.db, LAST, AS_OF);
  expect(prices.size).toBe(0);
  expect(books.map(({ flags }) => flags.includes('units_unverified'))).toEqual([
    false,
    false,
    true,
    true,
    true,
  ]);
});
