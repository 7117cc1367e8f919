import type { Db, UpdateFilter } from 'mongodb';
import { beforeAll, expect, test } from 'vitest';
import { leaderboardQuarter } from '../../src/derive/leaderboard/quarters.ts';
import type { IsoDate, QuarterEnd } from '../../src/domain/ids.ts';
import { LAST, STEADY, TEN_QUARTERS, UP_AND_DOWN } from '../../src/domain/leaderboard/rank.sample.ts';
import { publishAsOf } from '../../src/store/filing/settings.ts';
import { raiseQuarterStamps } from '../../src/store/report/quarter-reports.ts';
import { type ReportDoc, reportsIn } from '../../src/store/report/reports.ts';
import { boardFiling, openBoardCorpus } from '../api/board-corpus.ts';
import { opened } from '../opened.ts';
import { openWorld } from '../world.ts';
import { interruptedDb } from './interrupted.ts';

const AS_OF = '2019-05-31' as IsoDate;
const AT = 9;

const world = opened(openWorld);
const corpus = opened(() => openBoardCorpus(world));
beforeAll(async () => {
  await publishAsOf(world.mongo.db, AS_OF);
});

test('reports that repeat values as shares give no price and no clean portfolio (rule 9.3)', async () => {
  const clean = ['0000000001', '0000000002'].map((cik) => boardFiling(cik, STEADY, AT));
  // All three say one and the same price: that of a share for each thousand dollars.
  const repeated = ['0000000003', '0000000004', '0000000005'].map((cik) => {
    const filing = boardFiling(cik, STEADY, AT);
    return { ...filing, rows: filing.rows.map((row) => ({ ...row, amount: row.value })) };
  });
  await corpus.file([...clean, ...repeated]);
  await corpus.settle();
  const { prices, portfolios } = await leaderboardQuarter(world.mongo.db, LAST, AS_OF);
  expect(prices.size).toBe(0);
  expect(portfolios.map(({ reasons }) => reasons.includes('scale_unverified'))).toEqual([
    false,
    false,
    true,
    true,
    true,
  ]);
});

test('positions that an addition in doubtful scale adds have no weight in a portfolio, and the manager stays ranked (rule 9.1)', async () => {
  const at = 6;
  const filed = (cik: string, filedDate: string) => {
    const addition = boardFiling(cik, UP_AND_DOWN.slice(0, 3), at, {
      accession: `${cik}-18-${filedDate.replaceAll('-', '').slice(2)}`,
      filedDate,
      amendmentType: 'new_holdings',
    });
    return { ...addition, rows: addition.rows.map((row) => ({ ...row, value: row.value * 1_000n })) };
  };
  const [alone, shown, folded] = ['0000000011', '0000000012', '0000000013'] as const;
  await corpus.file([
    ...[alone, shown, folded].map((cik) => boardFiling(cik, STEADY, at)),
    ...[shown, folded].map((cik) => filed(cik, '2018-08-20')),
    // Nobody could copy it, so that the report is folded again without it.
    { ...filed(folded, '2019-02-01'), rows: boardFiling(folded, UP_AND_DOWN.slice(3), at).rows },
  ]);
  await corpus.settle();
  const { portfolios } = await leaderboardQuarter(world.mongo.db, TEN_QUARTERS[at] as QuarterEnd, AS_OF);
  const [expected, ...others] = portfolios.map(({ copied, top10Weight, optionShare }) => ({
    copied,
    top10Weight,
    optionShare,
  }));
  expect(expected?.copied).toHaveLength(STEADY.length);
  expect(others).toEqual([expected, expected]);
  expect(portfolios.map(({ reasons }) => reasons)).toEqual([[], [], ['amended_later']]);
});

test('a changed report has only its own portfolio copied again (rule 9.1)', async () => {
  const at = 2;
  const { db } = world.mongo;
  const quarterEnd = TEN_QUARTERS[at] as QuarterEnd;
  const [same, changed] = ['0000000031', '0000000032'] as const;
  await corpus.file([same, changed].map((cik) => boardFiling(cik, STEADY, at)));
  await corpus.settle();
  const before = (await leaderboardQuarter(db, quarterEnd, AS_OF)).portfolios;
  // Nothing of it can be read any more.
  await db.collection('holdings').deleteMany({ _id: { $regex: `^${same}` } } as object);
  const amendment = { amendmentType: 'restatement', accession: `${changed}-17-000099` } as const;
  await corpus.file([boardFiling(changed, [...STEADY.slice(1), ...UP_AND_DOWN], at, amendment)]);
  await corpus.settle();
  const after = (await leaderboardQuarter(db, quarterEnd, AS_OF)).portfolios;
  expect(after[0]).toEqual(before[0]);
  expect(after[1]?.cik).toBe(changed);
  expect(after[1]?.copied).not.toEqual(before[1]?.copied);
  expect(await leaderboardQuarter(db, quarterEnd, AS_OF)).toMatchObject({ portfolios: after });
});

test('a restatement that is not believed is not copied, and the report is said to be in doubt (rules 2.9 and 9.1)', async () => {
  const at = 6;
  const [alone, doubted] = ['0000000041', '0000000042'] as const;
  const amendment = { amendmentType: 'restatement', accession: `${doubted}-18-000099` } as const;
  await corpus.file([alone, doubted].map((cik) => boardFiling(cik, STEADY, at)));
  await corpus.file([boardFiling(doubted, UP_AND_DOWN, at, amendment)]);
  await corpus.settle();
  const { portfolios } = await leaderboardQuarter(world.mongo.db, TEN_QUARTERS[at] as QuarterEnd, AS_OF);
  const [expected, other] = [alone, doubted].map((cik) => portfolios.find((one) => one.cik === cik));
  expect(other?.copied).toEqual(expected?.copied);
  expect([expected?.reasons, other?.reasons]).toEqual([[], ['in_doubt']]);
});

test('an addition in doubtful scale does not reduce the weight of the position that it adds to (rule 9.1)', async () => {
  const at = 4;
  const quarterEnd = TEN_QUARTERS[at] as QuarterEnd;
  const added = (cik: string) => {
    const addition = boardFiling(cik, [...STEADY.slice(0, 1), ...UP_AND_DOWN.slice(0, 3)], at, {
      accession: `${cik}-18-000098`,
      filedDate: '2018-02-20',
      amendmentType: 'new_holdings',
    });
    const rows = addition.rows.map((row) => ({ ...row, amount: row.amount / 1_000n }));
    return { ...addition, rows: [...rows, ...rows.map((row) => ({ ...row, putCall: 'PUT' as const }))] };
  };
  const [alone, shown, folded] = ['0000000021', '0000000022', '0000000023'] as const;
  const late = boardFiling(folded, UP_AND_DOWN.slice(3), at, {
    accession: `${folded}-18-000099`,
    filedDate: '2018-08-01',
    amendmentType: 'new_holdings',
  });
  await corpus.file([
    ...[alone, shown, folded].map((cik) => boardFiling(cik, STEADY, at)),
    ...[shown, folded].map(added),
    late,
  ]);
  await corpus.settle();
  const { portfolios } = await leaderboardQuarter(world.mongo.db, quarterEnd, AS_OF);
  const [expected, ...others] = portfolios.map(({ copied, top10Weight, optionShare }) => ({
    copied,
    top10Weight,
    optionShare,
  }));
  expect(expected?.copied).toHaveLength(STEADY.length);
  expect(others).toEqual([expected, expected]);
});

/** Every second look at the reports does something first: the one that reads what is copied. */
function beforeCopying(db: Db, act: () => Promise<unknown>): Db {
  let looks = 0;
  return interruptedDb(db, {
    before: async ({ collection }) => {
      if (collection !== 'reports') return;
      looks += 1;
      if (looks === 2) await act();
    },
  });
}

const storedQuarters = (db: Db) => db.collection<{ _id: string }>('leaderboard_quarters');

test('a quarter of which a report was saved meanwhile is not stored, also before its stamp is raised (rule 9.5)', async () => {
  const at = 1;
  const { db } = world.mongo;
  const quarterEnd = TEN_QUARTERS[at] as QuarterEnd;
  await corpus.file(['0000000041', '0000000042'].map((cik) => boardFiling(cik, STEADY, at)));
  await corpus.settle();
  const whole = await leaderboardQuarter(db, quarterEnd, AS_OF);
  const save = () => reportsIn(db).updateOne({ _id: `0000000041|${quarterEnd}` }, { $inc: { version: 1 } });
  const raise = () => raiseQuarterStamps(db, [quarterEnd]);
  for (const act of [save, raise]) {
    await storedQuarters(db).deleteOne({ _id: quarterEnd });
    // Else the list of reports is in memory, and the first look copies.
    await raise();
    const racing = beforeCopying(db, act);
    expect(await leaderboardQuarter(racing, quarterEnd, AS_OF)).toMatchObject({
      portfolios: whole.portfolios,
    });
    expect(await storedQuarters(db).findOne({ _id: quarterEnd })).toBeNull();
    await raise();
    expect(await leaderboardQuarter(db, quarterEnd, AS_OF)).toEqual(whole);
    expect(await storedQuarters(db).findOne({ _id: quarterEnd })).not.toBeNull();
  }
});

test('a quarter that another process stored meanwhile is not taken for the present one', async () => {
  const { db } = world.mongo;
  const [one, other] = [TEN_QUARTERS[0], TEN_QUARTERS[1]] as [QuarterEnd, QuarterEnd];
  await corpus.file(['0000000041', '0000000042'].map((cik) => boardFiling(cik, UP_AND_DOWN, 0)));
  await corpus.settle();
  await leaderboardQuarter(db, one, AS_OF);
  const otherDoc = await storedQuarters(db).findOne({ _id: other });
  const { _id, stamp: _, ...contents } = otherDoc as { _id: string; stamp?: string };
  await storedQuarters(db).updateOne({ _id: one }, { $set: contents });
  const copied = await leaderboardQuarter(db, other, AS_OF);
  expect(await leaderboardQuarter(db, one, AS_OF)).toMatchObject({ portfolios: copied.portfolios });
});

const [SAME, CHANGED, GONE] = ['0000000050', '0000000114', '0000000051'] as const;

async function fromNothing(db: Db, quarterEnd: QuarterEnd) {
  await storedQuarters(db).deleteOne({ _id: quarterEnd });
  await leaderboardQuarter(db, quarterEnd, AS_OF);
  return storedQuarters(db).findOne({ _id: quarterEnd }, { projection: { series: 0 } });
}

/** As who saves a report does. */
async function setReport(cik: string, quarterEnd: QuarterEnd, update: UpdateFilter<ReportDoc>) {
  await reportsIn(world.mongo.db).updateOne({ _id: `${cik}|${quarterEnd}` }, update);
  await raiseQuarterStamps(world.mongo.db, [quarterEnd]);
}

test('after reports changed or left, the quarter equals one from nothing (rule 9.5)', async () => {
  const at = 3;
  const { db } = world.mongo;
  const quarterEnd = TEN_QUARTERS[at] as QuarterEnd;
  await corpus.file([SAME, CHANGED, GONE].map((cik) => boardFiling(cik, STEADY, at)));
  await corpus.settle();
  const first = await leaderboardQuarter(db, quarterEnd, AS_OF);
  const accession = `${CHANGED}-19-000093`;
  await corpus.file([boardFiling(CHANGED, UP_AND_DOWN, at, { accession, amendmentType: 'restatement' })]);
  await corpus.settle();
  const second = await leaderboardQuarter(db, quarterEnd, AS_OF);
  expect(second.digest).not.toBe(first.digest);
  await setReport(CHANGED, quarterEnd, { $inc: { version: 1 } });
  expect(await leaderboardQuarter(db, quarterEnd, AS_OF)).toEqual(second);
  await setReport(GONE, quarterEnd, { $set: { state: 'notice' } });
  const { portfolios } = await leaderboardQuarter(db, quarterEnd, AS_OF);
  expect(portfolios).toEqual(second.portfolios.filter(({ cik }) => cik !== GONE));
  const after = await storedQuarters(db).findOne({ _id: quarterEnd }, { projection: { series: 0 } });
  expect(await fromNothing(db, quarterEnd)).toEqual(after);
});
