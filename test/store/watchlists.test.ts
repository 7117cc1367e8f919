import { expect, test } from 'vitest';
import { findWatchlist, MAX_WATCHED, replaceWatchlist } from '../../src/store/account/watchlists.ts';
import { opened } from '../opened.ts';
import { openWorld } from '../world.ts';

const world = opened(openWorld);

const AT = '2018-11-30T12:00:00Z';
const tickers = (count: number): string[] => Array.from({ length: count }, (_, at) => `T${at}`);
const ciks = (count: number): string[] => Array.from({ length: count }, (_, at) => String(at));

test('a list that was never edited is empty and has no time', async () => {
  const empty = { _id: 'nobody', tickers: [], ciks: [], updatedAt: null };
  expect(await findWatchlist(world.mongo.db, 'nobody')).toEqual(empty);
});

test('every spelling is kept as the one that events carry, sorted and once', async () => {
  const { db } = world.mongo;
  const wanted = { tickers: [' msft', 'BRK-B', 'brk/b', 'AAPL'], ciks: ['1067983', '0001067983', '42'] };
  const saved = await replaceWatchlist(db, 'spelling', wanted, AT);
  const watchlist = {
    _id: 'spelling',
    tickers: ['AAPL', 'BRK.B', 'MSFT'],
    ciks: ['0000000042', '0001067983'],
    updatedAt: AT,
  };
  expect(saved).toEqual({ kind: 'saved', watchlist });
  expect(await findWatchlist(db, 'spelling')).toEqual(watchlist);
});

test('fifty of each fit, one more is refused, and a refused list leaves the old one standing', async () => {
  const { db } = world.mongo;
  const full = { tickers: tickers(MAX_WATCHED), ciks: ciks(MAX_WATCHED) };
  expect(await replaceWatchlist(db, 'full', full, AT)).toMatchObject({ kind: 'saved' });
  const over = { tickers: tickers(MAX_WATCHED + 1), ciks: [...ciks(MAX_WATCHED), 'x', '99'] };
  expect(await replaceWatchlist(db, 'full', over, '2019-01-01T00:00:00Z')).toEqual({
    kind: 'refused',
    faults: [
      { field: 'tickers', message: 'at most 50 tickers' },
      { field: 'ciks', message: '"x" is not a CIK' },
      { field: 'ciks', message: 'at most 50 ciks' },
    ],
  });
  expect(await findWatchlist(db, 'full')).toMatchObject({ updatedAt: AT });
});

test('of lists that are saved at once one stands, whole', async () => {
  const { db } = world.mongo;
  const save = (n: number) => replaceWatchlist(db, 'race', { tickers: [`T${n}`], ciks: [String(n)] }, `${n}`);
  await Promise.all(Array.from({ length: 8 }, (_, n) => save(n)));
  const { updatedAt, ...kept } = await findWatchlist(db, 'race');
  expect(kept).toEqual({ _id: 'race', tickers: [`T${updatedAt}`], ciks: [`000000000${updatedAt}`] });
});
