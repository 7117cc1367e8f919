import { type Db, MongoClient } from 'mongodb';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { withdrawReport } from '../../src/derive/report/writer.ts';
import { APPLE } from '../../src/domain/filing/filing.sample.ts';
import { readShown } from '../../src/read/holders/shown.ts';
import { shownMemory } from '../../src/read/holders/shown-memory.ts';
import { ensureIndexes } from '../../src/store/mongo/indexes.ts';
import { positions } from '../../src/store/report/positions.ts';
import { raiseQuarterStamps } from '../../src/store/report/quarter-stamps.ts';
import { reportsOfQuarter } from '../../src/store/report/reports.ts';
import { apple, cik, google, LATEST, PRIOR, show } from '../api/stock-corpus.ts';
import { openWorld, type World } from '../world.ts';

const HOLDERS = 24;
const ASKED = { cusips: [APPLE], quarterEnd: LATEST };

let world: World;
let client: MongoClient;
let db: Db;
/** Managers whose rows were read. */
let read = new Set<string>();
/** As a process that remembers every security. */
const remembered = shownMemory(positions, 1);

beforeAll(async () => {
  world = await openWorld();
  client = new MongoClient(world.env['MONGO_URL'] ?? '', { monitorCommands: true, useBigInt64: true });
  client.on('commandSucceeded', ({ reply }) => {
    const { cursor } = reply as { cursor?: { ns: string } };
    if (!cursor?.ns.endsWith('.positions')) return;
    for (const [, found] of JSON.stringify(reply, text).matchAll(/\|2018-09-30\|(\d{10})\|/g)) {
      read.add(found ?? '');
    }
  });
  db = client.db(world.config.mongoDb);
  await ensureIndexes(db);
  for (let n = 1; n <= HOLDERS; n += 1) await reports(n, [apple(1_000n * BigInt(n), 200n), google()]);
}, 120_000);
afterAll(async () => {
  await client?.close();
  await world?.close();
});

const reports = (n: number, rows: Parameters<typeof show>[2][string]): Promise<void> =>
  show(db, n, { [PRIOR]: [apple(7n, 1n), google()], [LATEST]: rows });

function text(_: string, value: unknown): unknown {
  return typeof value === 'bigint' ? `${value}` : value;
}

/** What is shown, whatever was remembered, and the same read anew. */
async function both() {
  read = new Set();
  const found = await remembered(db, ASKED);
  const own = [...read];
  const inOrder = (shown: readonly object[]) => shown.map((one) => JSON.stringify(one, text)).sort();
  expect(inOrder(found)).toEqual(inOrder(await readShown(db, positions, ASKED)));
  return { count: found.length, own };
}

test('after one report changed only its own rows are read again, and all are as if read anew', async () => {
  await both();
  expect((await both()).own).toHaveLength(HOLDERS);
  expect((await both()).own).toEqual([]);
  const changes: [number, () => Promise<void>][] = [
    [3, () => reports(3, [apple(5n, 5n), google()])],
    // It held the security before, so it still shows that it sold it.
    [4, () => reports(4, [google()])],
    [HOLDERS + 1, () => reports(HOLDERS + 1, [apple(1n, 1n), google()])],
  ];
  for (const [n, happens] of changes) {
    await happens();
    expect((await both()).own).toEqual([cik(n)]);
  }
  // Back to rows that are stored already.
  await reports(3, [apple(3_000n, 200n), google()]);
  expect((await both()).count).toBe(HOLDERS + 1);
  await withdrawReport(db, { cik: cik(5), quarterEnd: LATEST }, 1);
  expect(await both()).toEqual({ count: HOLDERS, own: [] });
}, 120_000);

test('reports that change while they are read are never shown as they were before', async () => {
  for (let round = 1; round <= 5; round += 1) {
    const amount = BigInt(50_000 + round);
    const many = Array.from({ length: 1 + (round % 8) }, (_, n) => reports(n + 6, [apple(amount, 9n)]));
    await Promise.all([...many, remembered(db, ASKED), remembered(db, ASKED)]);
    await both();
  }
}, 120_000);

test('the same report saved again with another comparison is read again', async () => {
  await both();
  const version = { $set: { version: 9, aumCents: 4n } };
  await db.collection<{ _id: string }>('reports').updateOne({ _id: `${cik(9)}|${LATEST}` }, version);
  await raiseQuarterStamps(db, [LATEST]);
  expect((await both()).own).toEqual([cik(9)]);
});

test('a report that the caller read before it changed is not remembered under the later version', async () => {
  const own = shownMemory(positions, 1);
  await own(db, ASKED);
  const before = await reportsOfQuarter(db, LATEST, [cik(2)]);
  await reports(2, [apple(77n, 7n), google()]);
  await own(db, { ...ASKED, reports: [...before.values()] });
  const shown = (await own(db, ASKED)).find(({ position }) => position.cik === cik(2));
  expect(shown?.position.amount).toBe(77n);
}, 120_000);
