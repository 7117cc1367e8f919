import fc from 'fast-check';
import { type Document, MongoClient } from 'mongodb';
import { beforeAll, expect, test } from 'vitest';
import { refreshLeaderboard } from '../../src/derive/leaderboard/writer.ts';
import type { IsoDate, QuarterEnd } from '../../src/domain/ids.ts';
import { BENCHMARK } from '../../src/domain/leaderboard/method.ts';
import { MANAGERS, STEADY, TEN_QUARTERS, UP_AND_DOWN } from '../../src/domain/leaderboard/rank.sample.ts';
import { publishAsOf } from '../../src/store/filing/settings.ts';
import { boardIn, readBoard } from '../../src/store/publish/leaderboard.ts';
import { boardFiling, openBoardCorpus } from '../api/board-corpus.ts';
import { opened } from '../opened.ts';
import { openWorld } from '../world.ts';

const AS_OF = '2019-05-31' as IsoDate;
const COLLECTIONS = ['leaderboard', 'leaderboard_quarters'];
const RUNS = 6;

const world = opened(openWorld);
const corpus = opened(() => openBoardCorpus(world));
beforeAll(async () => {
  await publishAsOf(world.mongo.db, AS_OF);
  const all = MANAGERS.flatMap(({ cik, cusips }) =>
    [...TEN_QUARTERS.keys()].map((at) => boardFiling(cik, cusips, at)),
  );
  await corpus.file(all);
  await corpus.settle();
});

/** Every window with its leaders, as they are shown. */
async function shown() {
  const { db } = world.mongo;
  const docs = await boardIn(db).find().sort({ _id: 1 }).toArray();
  return Promise.all(
    docs.map(async ({ _id, inputs }) => ({
      ...{ inputs, ...(await readBoard(db, Number(_id), { from: 0, count: 1_000 })) },
    })),
  );
}

async function shownFromNothing() {
  for (const name of COLLECTIONS) await world.mongo.db.collection(name).deleteMany({});
  await corpus.settle();
  return shown();
}

let amendments = 0;

/** A report of the n-th sample quarter, in place of the earlier ones. */
function restated(cik: string, cusips: typeof STEADY, at: number, rest = {}) {
  amendments += 1;
  return boardFiling(cik, cusips, at, {
    accession: `${cik}-19-9${String(amendments).padStart(5, '0')}`,
    amendmentType: 'restatement',
    ...rest,
  });
}

const AT = fc.nat(TEN_QUARTERS.length - 1);
const ALL = [BENCHMARK.cusip, ...UP_AND_DOWN, ...STEADY];
/** Other positions of one of those who copy a group, or other prices by one of those who hold everything. */
const CHANGE = fc.oneof(
  fc.record({
    cik: fc.constantFrom('0000000008', '0000000009'),
    at: AT,
    cusips: fc.subarray([...UP_AND_DOWN, ...STEADY], { minLength: 5 }),
    percent: fc.constant(100n),
  }),
  fc.record({
    cik: fc.constantFrom('0000000001', '0000000002', '0000000003'),
    at: AT,
    cusips: fc.constant(ALL),
    percent: fc.bigInt(99n, 102n),
  }),
);

test('whatever reports change, the board equals one that is computed from nothing (rule 9.5)', {
  tags: ['long'],
}, async () => {
  const changes = fc.array(CHANGE, { minLength: 1, maxLength: 4 });
  const property = fc.asyncProperty(changes, async (changed) => {
    const filings = changed.map(({ cik, cusips, at, percent }) => {
      const filing = restated(cik, cusips, at);
      return { ...filing, rows: filing.rows.map((row) => ({ ...row, value: (row.value * percent) / 100n })) };
    });
    await corpus.file(filings);
    await corpus.settle();
    const followed = await shown();
    expect(followed.map(({ total }) => total)).toEqual(Array(33).fill(MANAGERS.length));
    expect(followed).toEqual(await shownFromNothing());
  });
  await fc.assert(property, { numRuns: RUNS, seed: 1 });
});

test('only windows that reach back to a changed quarter are computed again (rule 9.5)', {
  tags: ['long'],
}, async () => {
  const before = await shown();
  // Two quarters before the first one, which the window of eight begins with.
  const early = { quarterEnd: '2016-06-30' as QuarterEnd, filedDate: '2016-08-14' };
  await corpus.file([restated('0000000009', STEADY, 0, early)]);
  await corpus.settle();
  const after = await shown();
  const moved = after.filter(({ inputs }, at) => inputs !== before[at]?.inputs).map(({ window }) => window);
  // The window of nine quarters had none before that quarter; what it says stays.
  expect(moved).toEqual(after.map(({ window }) => window).filter((window) => window >= 9));
});

test('a new name is shown of a manager whose figures stay', { tags: ['long'] }, async () => {
  const named = async () =>
    (await shown()).flatMap(({ leaders = [] }) => leaders.filter(({ cik }) => cik === '0000000009'));
  await corpus.file([restated('0000000009', STEADY, 9)]);
  await corpus.settle();
  const before = await named();
  expect(before).toHaveLength(33);
  await corpus.file([restated('0000000009', STEADY, 9, { managerName: 'RENAMED LP' })]);
  await corpus.settle();
  const renamed = { name: 'RENAMED LP', slug: 'renamed-lp' };
  expect(await named()).toEqual(before.map((leader) => ({ ...leader, ...renamed })));
});

test('what another method computed is computed again', { tags: ['long'] }, async () => {
  const { db } = world.mongo;
  const before = await shown();
  const quarters = db.collection('leaderboard_quarters');
  const wrong = await quarters.findOne({ _id: TEN_QUARTERS[0] as never });
  const { prices, portfolios } = wrong as Document;
  const contents = { prices, portfolios, reportsDigest: '' };
  await quarters.updateMany(
    {},
    {
      $set: { ...contents, stamp: 'copyability.v0|', 'series.inputs': '' },
    },
  );
  await boardIn(db).deleteMany({});
  await corpus.settle();
  expect(await shown()).toEqual(before);
});

test('a board of which nothing changed is shown again, and no report is read', {
  tags: ['long'],
}, async () => {
  const { db } = world.mongo;
  const before = await shown();
  const client = new MongoClient(world.env['MONGO_URL'] ?? '', { monitorCommands: true });
  const read = new Map<string, number>();
  client.on('commandStarted', ({ commandName, command }) => {
    const name = String(command[commandName]);
    if (commandName !== 'endSessions') read.set(name, (read.get(name) ?? 0) + 1);
  });
  await refreshLeaderboard(
    client.db(db.databaseName),
    { asOf: AS_OF, version: 1_000 },
    '2019-06-01T00:00:00Z',
  );
  await client.close();
  expect(await shown()).toEqual(before);
  // The inputs of the board and its new day, the names, what is stored of 44 quarters, their series and the last one.
  expect(Object.fromEntries(read)).toEqual({
    ...{ leaderboard: 2, funds: 1, invalidations: 2, peers: 1, leaderboard_quarters: 3 },
  });
});
