import type { Db } from 'mongodb';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { seal } from '../../jobs/upkeep.ts';
import type { JobContext } from '../../jobs/worker/context.ts';
import { APPLE, GOOGL, SPY, sampleRow } from '../../src/domain/filing/filing.sample.ts';
import type { InfoTableRow } from '../../src/domain/filing/filing.ts';
import type { Cusip, IsoDate } from '../../src/domain/ids.ts';
import { createLogger } from '../../src/log.ts';
import { holdersInQuarter } from '../../src/read/holders/observations.ts';
import { beginDataSet, setDataSetState } from '../../src/store/filing/data-sets.ts';
import { reportId } from '../../src/store/filing/filings.ts';
import { publishAsOf } from '../../src/store/filing/settings.ts';
import { ensureIndexes } from '../../src/store/mongo/indexes.ts';
import {
  ALL_BUCKETS,
  positions,
  type StoredPosition,
  walkPositions,
} from '../../src/store/report/positions.ts';
import { reportsIn, shownDigests } from '../../src/store/report/reports.ts';
import { importedSegments, writeSegments } from '../../src/store/report/sealing.ts';
import { apple, cik, google, LATEST, PRIOR, publish, show } from '../api/stock-corpus.ts';
import { openWorld, type World } from '../world.ts';

const MANAGERS = 12;
const MINUTE = 60_000;
/** The window of the latest quarter closed on 2018-11-14; it is settled thirty days later. */
const BEFORE = '2018-12-13' as IsoDate;
const SETTLED = '2018-12-14' as IsoDate;

let world: World;
let db: Db;

beforeAll(async () => {
  world = await openWorld();
  db = world.mongo.db;
});
afterAll(() => world.close());
beforeEach(async () => {
  await db.dropDatabase();
  await ensureIndexes(db);
  await publish(db);
  for (let n = 1; n <= MANAGERS; n += 1) {
    const rows = [apple(1_000n * BigInt(n), 200n), google(), spy(BigInt(n))];
    await show(db, n, { [PRIOR]: rows, [LATEST]: rows.slice(n % 3) });
  }
});

const spy = (n: bigint): InfoTableRow => sampleRow({ row: 3, cusip: SPY, amount: n * 100n, value: n });

/** Runs the job as a worker whose clock shows so many minutes. */
async function run(day: IsoDate, minutes: number): Promise<void> {
  await db.collection('settings').deleteMany({});
  await publishAsOf(db, day);
  const now = () => new Date(Date.parse('2018-12-20T00:00:00Z') + minutes * MINUTE);
  const context = { db, now, log: createLogger('fatal', 'test') } as unknown as JobContext;
  await seal(context, { slot: 1 });
}

/** Everything that readers find of the two quarters. */
async function read() {
  const walked: string[] = [];
  for (const quarterEnd of [PRIOR, LATEST]) {
    const shown = await shownDigests(db, quarterEnd);
    for await (const batch of walkPositions(db, quarterEnd, { shown })) {
      for (const one of batch)
        walked.push(JSON.stringify(one, (_, v) => (typeof v === 'bigint' ? `${v}` : v)));
    }
  }
  const holders = async (cusip: Cusip) => {
    const found = await holdersInQuarter(db, cusip, { quarterEnd: LATEST, latest: LATEST });
    return found.sort((a, b) => (a.cik < b.cik ? -1 : 1));
  };
  return { walked: walked.sort(), apple: await holders(APPLE), google: await holders(GOOGL) };
}

const count = () => positions.collection(db).countDocuments();

test('a settled quarter is sealed in two runs, and every reader finds the same before, between and after (rule 13.6)', async () => {
  const [before, documents] = [await read(), await count()];
  expect(before.walked.length).toBeGreaterThan(50);
  await run(BEFORE, 0);
  await run(BEFORE, 20);
  const prior = await count();
  expect(prior).toBeLessThan(documents);
  expect(await read()).toEqual(before);
  await run(SETTLED, 30);
  expect(await read()).toEqual(before);
  // Readers that began before the segments were there have ten minutes.
  await run(SETTLED, 31);
  expect(await count()).toBeGreaterThan(prior);
  await run(SETTLED, 41);
  expect(await read()).toEqual(before);
  // A document for each bucket with a security: the three are in three.
  expect(await count()).toBe(6);
});

test('a report that is amended after its quarter was sealed stands alone and is read instead', {
  tags: ['long'],
}, async () => {
  for (const minutes of [0, 20]) await run(SETTLED, minutes);
  const sealed = await count();
  const original = [apple(1_000n, 200n), google(), spy(1n)];
  await show(db, 1, { [PRIOR]: original, [LATEST]: [apple(9_999n, 900n)] });
  const { apple: holders } = await read();
  expect(holders.find(({ cik: own }) => own === cik(1))).toMatchObject({ currentShares: 9_999n });
  expect(holders).toHaveLength(new Set(holders.map((one) => one.cik)).size);
  // Apple, and the two that it no longer holds. The same rows of the quarter before are written no second time.
  expect(await count()).toBe(sealed + 3);
  // And the first rows again.
  await show(db, 1, { [PRIOR]: original, [LATEST]: original.slice(1) });
  expect((await read()).apple.find(({ cik: own }) => own === cik(1))).toMatchObject({ currentShares: 0n });
});

test('runs at the same time, also one that crashed, lose and repeat no row', { tags: ['long'] }, async () => {
  const before = await read();
  const all = [...ALL_BUCKETS];
  await Promise.all([writeSegments(db, LATEST, all), writeSegments(db, LATEST, all)]);
  await writeSegments(db, LATEST, all.slice(0, 100));
  expect(await read()).toEqual(before);
  for (const minutes of [0, 20]) await run(SETTLED, minutes);
  expect(await read()).toEqual(before);
  await writeSegments(db, LATEST, all);
  expect(await read()).toEqual(before);
});

test('a quarter of which more comes in later is sealed again (rule 13.6)', async () => {
  for (const minutes of [0, 20]) await run(SETTLED, minutes);
  for (let n = 100; n < 110; n += 1) await show(db, n, { [LATEST]: [apple(BigInt(n), 1n), google()] });
  const before = await read();
  for (const minutes of [30, 50]) await run(SETTLED, minutes);
  expect(await read()).toEqual(before);
  expect(await count()).toBe(6);
});

test('rows that an import has written stay while its reports are not shown yet (rule 13.6)', async () => {
  const [name, at] = ['2018q4_form13f', '2018-12-20T00:00:00.000Z'];
  await beginDataSet(db, { name, digest: 'of its bytes' }, { at, resume: false });
  const segments = importedSegments(name);
  const key = { cik: cik(1), quarterEnd: LATEST, digest: 'imported' };
  const own = (await positions.ofSecurity(db, APPLE, LATEST)).filter((one) => one.cik === key.cik);
  segments.add(key, positions.textsOf([{ ...own[0], amount: 5_555n } as StoredPosition]));
  await segments.write(db, at);
  for (const minutes of [0, 20]) await run(SETTLED, minutes);
  await reportsIn(db).updateOne({ _id: reportId(key) }, { $set: { digest: key.digest } });
  const before = await read();
  expect(before.apple.find((one) => one.cik === key.cik)).toMatchObject({ currentShares: 5_555n });
  await setDataSetState(db, name, { from: 'importing', to: 'stored' }, 1);
  await writeSegments(db, LATEST, [...ALL_BUCKETS]);
  expect(await positions.collection(db).countDocuments({ dataSet: name })).toBe(0);
  expect(await read()).toEqual(before);
});
