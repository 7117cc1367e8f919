import { afterEach, beforeAll, expect, test } from 'vitest';
import { APPLE, GOOGL, sampleRow } from '../../src/domain/filing/filing.sample.ts';
import { holderList } from '../../src/domain/holders/holders.ts';
import type { Cik, Cusip, IsoDate, QuarterEnd, Ticker } from '../../src/domain/ids.ts';
import type { CorporateAction } from '../../src/domain/peers/verdict.ts';
import { currentHolders, holdersInQuarter, observationsOf } from '../../src/read/holders/observations.ts';
import { positionHistory } from '../../src/read/holders/position-history.ts';
import { ensureIndexes } from '../../src/store/mongo/indexes.ts';
import { peerVerdictsIn } from '../../src/store/peers/corporate-actions.ts';
import { apple, cik, EARLIER, google, LATEST, PRIOR, STATE, show } from '../api/stock-corpus.ts';
import { opened } from '../opened.ts';
import { openWorld } from '../world.ts';
import { peersDoc } from './peers-doc.ts';

const world = opened(openWorld);
beforeAll(async () => {
  await ensureIndexes(world.mongo.db);
});
afterEach(async () => {
  const derived = ['reports', 'holdings', 'positions', 'funds', 'last_held', 'peers', 'filed_reports'];
  for (const name of derived) {
    await world.mongo.db.collection(name).deleteMany({});
  }
});

const OPEN = { ...STATE, filingWindow: 'open' } as const;
const VOTE = { votes: 5, compared: 6 };
const SPLIT: CorporateAction = {
  ...VOTE,
  kind: 'split',
  cusip: APPLE,
  factor: { numerator: 10n, denominator: 1n },
};
/** Ten shares of GOOGL became one of APPLE: what the names stand for does not matter. */
const RENAMED: CorporateAction = {
  ...VOTE,
  kind: 'cusip_change',
  cusip: APPLE,
  from: GOOGL,
  factor: { numerator: 1n, denominator: 10n },
};

async function say(quarterEnd: QuarterEnd, ...corporateActions: CorporateAction[]): Promise<void> {
  await peerVerdictsIn(world.mongo.db).insertOne(peersDoc(quarterEnd, corporateActions));
}

const old = (amount: bigint) => sampleRow({ row: 5, cusip: GOOGL, amount, value: 1_000n });

async function latest() {
  const { holders, late } = await currentHolders(world.mongo.db, APPLE, { state: OPEN });
  return { ...holderList(holders, LATEST), staleQuarters: late.map(({ quarterEnd }) => quarterEnd) };
}

test('a manager carried forward over a split counts its shares in those of the latest quarter (rule 7.2)', async () => {
  const { db } = world.mongo;
  await say(LATEST, SPLIT);
  await show(db, 1, { [LATEST]: [apple(10_000n, 2_000n)] });
  await show(db, 2, { [EARLIER]: [apple(700n, 1_400n)], [PRIOR]: [apple(1_000n, 2_000n)] });
  const { rows, totals } = await latest();
  expect(totals.shares).toBe(20_000n);
  const carried = rows.find(({ isStale }) => isStale);
  expect(carried).toMatchObject({
    changeType: 'ADDED',
    observation: {
      cik: cik(2),
      currentShares: 10_000n,
      previousShares: 7_000n,
      restated: { factor: { numerator: 10n, denominator: 1n }, fromCusip: null, filedPriorAmount: 700n },
      corporateActions: [SPLIT],
    },
    quality: { status: 'clear', reasons: expect.arrayContaining(['split_adjusted']) },
  });
  const { counted } = await observationsOf(db, APPLE, { state: OPEN });
  expect(counted.map(({ currentShares }) => currentShares)).toEqual([10_000n, 10_000n]);
  // The list of the quarter before is in the shares of that quarter.
  const [then] = await holdersInQuarter(db, APPLE, { quarterEnd: PRIOR, latest: LATEST });
  expect(then).toMatchObject({ currentShares: 1_000n, restated: null });
});

test('a position that was new when it was reported keeps its count as reported, and the factor (rule 7.2)', async () => {
  const { db } = world.mongo;
  await say(LATEST, SPLIT);
  await show(db, 2, { [EARLIER]: [google()], [PRIOR]: [google(), apple(1_000n, 2_000n)] });
  const { counted } = await observationsOf(db, APPLE, { state: OPEN });
  expect(counted).toMatchObject([
    {
      currentShares: 10_000n,
      filedCurrentShares: 1_000n,
      previousShares: 0n,
      restated: { factor: { numerator: 10n, denominator: 1n }, filedPriorAmount: 0n },
    },
  ]);
});

test('holders of the CUSIP of before are holders of the security (rule 7.2)', async () => {
  const { db } = world.mongo;
  await say(LATEST, RENAMED);
  await show(db, 1, { [LATEST]: [apple(5_000n, 2_000n)] });
  await show(db, 2, { [PRIOR]: [old(40_000n)] });
  await show(db, 3, { [PRIOR]: [old(30_000n)], [LATEST]: [apple(1_000n, 400n), old(20_000n)] });
  const { rows, totals, staleQuarters } = await latest();
  expect(staleQuarters).toEqual([PRIOR]);
  expect(totals).toMatchObject({ holders: 3, shares: 5_000n + 4_000n + 3_000n });
  const of = (n: number) => rows.find(({ observation }) => observation.cik === cik(n));
  expect(of(2)).toMatchObject({ isStale: true, observation: { currentShares: 4_000n } });
  expect(of(2)?.quality.reasons).toContain('cusip_changed');
  expect(of(3)).toMatchObject({
    changeType: 'HELD',
    observation: {
      previousShares: 3_000n,
      restated: { fromCusip: GOOGL, filedPriorAmount: 30_000n },
      corporateActions: [RENAMED],
    },
  });
});

test('a manager that sold everything a quarter before is carried forward, and holds nothing (rule 7.1)', async () => {
  const { db } = world.mongo;
  await show(db, 1, { [LATEST]: [apple(5_000n, 2_000n)] });
  await show(db, 2, { [EARLIER]: [apple(700n, 1_400n)], [PRIOR]: [google()] });
  const { rows, staleQuarters } = await latest();
  expect(rows.map(({ observation, changeType }) => [observation.cik, changeType])).toEqual([
    [cik(1), 'NEW'],
    [cik(2), 'EXITED'],
  ]);
  expect(staleQuarters).toEqual([]);
});

test('a manager whose last word is a notice of the latest quarter is not behind (rule 7.1)', async () => {
  const { db } = world.mongo;
  await show(db, 1, { [PRIOR]: [apple(5_000n, 2_000n)] });
  expect((await latest()).staleQuarters).toEqual([PRIOR]);
  await show(db, 1, { [LATEST]: [] }, { reportType: 'notice' });
  expect((await latest()).staleQuarters).toEqual([]);
});

test('a change of an earlier quarter is followed too, and a past quarter counts as it did then (rule 7.2)', async () => {
  const { db } = world.mongo;
  await say(PRIOR, RENAMED);
  await show(db, 1, { [EARLIER]: [old(40_000n)] });
  await show(db, 2, { [LATEST]: [old(20_000n)] });
  const { totals, staleQuarters } = await latest();
  expect(totals).toMatchObject({ holders: 1, shares: 2_000n });
  expect(staleQuarters).toEqual([EARLIER]);
  const past = await holdersInQuarter(db, APPLE, { quarterEnd: EARLIER, latest: LATEST });
  expect(past.map(({ currentShares, reasons }) => [currentShares, reasons])).toEqual([
    [40_000n, ['no_prior_comparable_filing']],
  ]);
});

test('without such a change another CUSIP is another security', async () => {
  const { db } = world.mongo;
  await show(db, 1, { [LATEST]: [google()] });
  expect((await latest()).rows).toEqual([]);
});

test('an exit under the CUSIP that the symbol had before is in doubt, not missing (rule 4.8)', async () => {
  const { db } = world.mongo;
  const prices = {
    last: { day: '2018-08-01', price: 0.4, file: 'cnsfails201808a.zip', row: 7, sha256: 'a' },
    first: { day: '2018-08-02', price: 13.1, file: 'cnsfails201808a.zip', row: 9, sha256: 'a' },
  };
  const doubted = { kind: 'cusip_change_suspected', ...VOTE, cusip: APPLE, from: GOOGL } as const;
  await say(LATEST, { ...doubted, prices } as CorporateAction);
  const other = sampleRow({ row: 1, cusip: '594918104' as Cusip, amount: 5n, value: 1_000n });
  await show(db, 1, { [PRIOR]: [old(232_400n), other], [LATEST]: [other] });
  await show(db, 2, { [PRIOR]: [old(40n), other], [LATEST]: [old(40n), other] });
  const { counted } = await observationsOf(db, APPLE, { state: STATE });
  expect(counted).toHaveLength(1);
  expect(counted[0]).toMatchObject({ cik: cik(1), currentShares: 0n, previousShares: 232_400n });
  expect(counted[0]?.reasons).toContain('cusip_change_suspected');
  // The list of the quarter and its line in the history say the same.
  expect(await holdersInQuarter(db, APPLE, { quarterEnd: LATEST, latest: LATEST })).toEqual(counted);
  const corpus = { asOf: '2018-11-30' as IsoDate, state: STATE };
  const lineOf = async (manager: Cik | null) =>
    (
      await positionHistory(db, { ticker: 'AAPL' as Ticker, cusip: APPLE, corpus, quarters: 1, cik: manager })
    )[0];
  expect((await lineOf(null))?.counts).toMatchObject({ exited: 1 });
  expect((await lineOf(cik(1)))?.counts).toMatchObject({ exited: 1 });
  expect((await lineOf(cik(2)))?.counts).toMatchObject({ exited: 0 });
  await peerVerdictsIn(db).deleteMany({});
  await say(LATEST, doubted);
  expect((await observationsOf(db, APPLE, { state: STATE })).counted).toEqual([]);
});
