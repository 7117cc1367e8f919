import type { Binary, Db, UpdateFilter } from 'mongodb';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { leaderboardQuarter } from '../../src/derive/leaderboard/quarters.ts';
import type { IsoDate, QuarterEnd } from '../../src/domain/ids.ts';
import { LAST, STEADY, TEN_QUARTERS, UP_AND_DOWN } from '../../src/domain/leaderboard/rank.sample.ts';
import { publishAsOf } from '../../src/store/filing/settings.ts';
import { packText, unpack } from '../../src/store/mongo/pack.ts';
import { raiseQuarterStamps } from '../../src/store/report/quarter-stamps.ts';
import { type ReportDoc, reportsIn } from '../../src/store/report/reports.ts';
import { type BoardCorpus, boardFiling, openBoardCorpus } from '../api/board-corpus.ts';
import { openWorld, type World } from '../world.ts';
import { interruptedDb } from './interrupted.ts';

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
  await corpus.file([boardFiling(changed, UP_AND_DOWN, at, amendment)]);
  await corpus.settle();
  const after = (await leaderboardQuarter(db, quarterEnd, AS_OF)).portfolios;
  expect(after[0]).toEqual(before[0]);
  expect(after[1]?.cik).toBe(changed);
  expect(after[1]?.copied).not.toEqual(before[1]?.copied);
  expect(await leaderboardQuarter(db, quarterEnd, AS_OF)).toMatchObject({ portfolios: after });
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

test('a quarter that another process stored meanwhile, or an older release, is not taken from memory', async () => {
  const { db } = world.mongo;
  const [one, other] = [TEN_QUARTERS[0], TEN_QUARTERS[1]] as [QuarterEnd, QuarterEnd];
  await corpus.file(['0000000041', '0000000042'].map((cik) => boardFiling(cik, UP_AND_DOWN, 0)));
  await corpus.settle();
  const before = await leaderboardQuarter(db, one, AS_OF);
  const doc = await storedQuarters(db).findOne({ _id: one });
  const otherDoc = await storedQuarters(db).findOne({ _id: other });
  const { _id, stamp: _, ...contents } = otherDoc as { _id: string; stamp?: string };
  await storedQuarters(db).updateOne({ _id: one }, { $set: contents });
  const copied = await leaderboardQuarter(db, other, AS_OF);
  expect(await leaderboardQuarter(db, one, AS_OF)).toMatchObject({ portfolios: copied.portfolios });
  await storedQuarters(db).replaceOne({ _id: one }, doc as object);
  await storedQuarters(db).updateOne({ _id: one }, { $unset: { contentsDigest: 1, parts: 1 } });
  expect(await leaderboardQuarter(db, one, AS_OF)).toEqual(before);
});

/** Two managers of one part, and one of another. */
const [NEIGHBOUR, CHANGED, APART] = ['0000000050', '0000000114', '0000000051'] as const;
const NAMES = { [NEIGHBOUR]: '1e', [APART]: '1f' };

type StoredPart = { digest: string; portfolios: Binary };
type Doc = { contentsDigest: string; parts: Record<string, StoredPart> };

async function docOf(db: Db, quarterEnd: QuarterEnd): Promise<Doc> {
  return (await storedQuarters(db).findOne({ _id: quarterEnd })) as unknown as Doc;
}

async function fromNothing(db: Db, quarterEnd: QuarterEnd): Promise<Doc> {
  await storedQuarters(db).deleteOne({ _id: quarterEnd });
  await leaderboardQuarter(db, quarterEnd, AS_OF);
  return docOf(db, quarterEnd);
}

async function restate(cik: string, at: number): Promise<void> {
  const accession = `${cik}-19-00009${at}`;
  await corpus.file([boardFiling(cik, UP_AND_DOWN, at, { accession, amendmentType: 'restatement' })]);
  await corpus.settle();
}

test('a changed report has only its own part of the quarter written, and the quarter equals one from nothing (rule 9.5)', async () => {
  const at = 3;
  const { db } = world.mongo;
  const quarterEnd = TEN_QUARTERS[at] as QuarterEnd;
  await corpus.file([NEIGHBOUR, CHANGED, APART].map((cik) => boardFiling(cik, STEADY, at)));
  await corpus.settle();
  await leaderboardQuarter(db, quarterEnd, AS_OF);
  const before = await docOf(db, quarterEnd);
  expect(Object.keys(before.parts).sort()).toEqual(Object.values(NAMES));
  // The same in other bytes: whoever writes it again is seen.
  const { digest, portfolios } = before.parts[NAMES[APART]] as StoredPart;
  const marked = { digest, portfolios: packText(`${JSON.stringify(unpack(portfolios))} `) };
  await storedQuarters(db).updateOne({ _id: quarterEnd }, { $set: { [`parts.${NAMES[APART]}`]: marked } });
  await restate(CHANGED, at);
  await leaderboardQuarter(db, quarterEnd, AS_OF);
  const after = await docOf(db, quarterEnd);
  expect(after.parts[NAMES[APART]]).toEqual(marked);
  expect(after.parts[NAMES[NEIGHBOUR]]).not.toEqual(before.parts[NAMES[NEIGHBOUR]]);
  const parts = { ...after.parts, [NAMES[APART]]: { digest, portfolios } };
  expect(await fromNothing(db, quarterEnd)).toEqual({ ...after, parts });
});

/** As who saves a report does. */
async function setReport(cik: string, quarterEnd: QuarterEnd, update: UpdateFilter<ReportDoc>) {
  await reportsIn(world.mongo.db).updateOne({ _id: `${cik}|${quarterEnd}` }, update);
  await raiseQuarterStamps(world.mongo.db, [quarterEnd]);
}

test('portfolios that stay are the same objects, and a part that lost all its reports is gone (rule 9.5)', async () => {
  const { db } = world.mongo;
  const quarterEnd = TEN_QUARTERS[3] as QuarterEnd;
  const first = await leaderboardQuarter(db, quarterEnd, AS_OF);
  await setReport(CHANGED, quarterEnd, { $inc: { version: 1 } });
  const second = await leaderboardQuarter(db, quarterEnd, AS_OF);
  expect(second).toEqual(first);
  const isSame = second.portfolios.map((one, n) => one === first.portfolios[n]);
  expect(isSame).toEqual([true, true, false]);
  await setReport(APART, quarterEnd, { $set: { state: 'notice' } });
  const { portfolios } = await leaderboardQuarter(db, quarterEnd, AS_OF);
  expect(portfolios).toEqual(second.portfolios.filter(({ cik }) => cik !== APART));
  const after = await docOf(db, quarterEnd);
  expect(Object.keys(after.parts)).toEqual([NAMES[NEIGHBOUR]]);
  expect(await fromNothing(db, quarterEnd)).toEqual(after);
});

test('a quarter that another process stored between read and write is replaced whole, never mixed (rule 9.5)', async () => {
  const at = 5;
  const { db } = world.mongo;
  const quarterEnd = TEN_QUARTERS[at] as QuarterEnd;
  await corpus.file([NEIGHBOUR, CHANGED, APART].map((cik) => boardFiling(cik, STEADY, at)));
  await corpus.settle();
  await leaderboardQuarter(db, quarterEnd, AS_OF);
  const read = await docOf(db, quarterEnd);
  await restate(CHANGED, at);
  const parts = { ...read.parts, [NAMES[APART]]: read.parts[NAMES[NEIGHBOUR]] };
  for (const digest of ['reportsDigest', 'contentsDigest']) {
    const other = { ...read, [digest]: 'of another process', parts };
    await storedQuarters(db).replaceOne({ _id: quarterEnd }, read);
    const writes: string[] = [];
    const racing = interruptedDb(db, {
      before: async ({ collection, name }) => {
        if (collection !== 'leaderboard_quarters' || !/update|replace/.test(name)) return;
        if (writes.length === 0) await storedQuarters(db).replaceOne({ _id: quarterEnd }, other);
        writes.push(name);
      },
    });
    const computed = await leaderboardQuarter(racing, quarterEnd, AS_OF);
    expect(writes).toEqual(['updateOne', 'replaceOne']);
    const stored = await docOf(db, quarterEnd);
    expect(await leaderboardQuarter(db, quarterEnd, AS_OF)).toEqual(computed);
    expect(await fromNothing(db, quarterEnd)).toEqual(stored);
  }
});
