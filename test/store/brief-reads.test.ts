import { type Db, MongoClient } from 'mongodb';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { quartersFollowed } from '../../src/domain/change/restate.ts';
import { sampleRow } from '../../src/domain/filing/filing.sample.ts';
import type { Cusip, Ticker } from '../../src/domain/ids.ts';
import { loadBriefInput } from '../../src/read/brief/brief.ts';
import { ensureIndexes } from '../../src/store/mongo/indexes.ts';
import { peerVerdictsIn } from '../../src/store/peers/corporate-actions.ts';
import { bucketOf } from '../../src/store/report/positions.ts';
import {
  apple,
  EARLIER,
  google,
  LATEST,
  PRIOR,
  publish,
  seedSymbols,
  showFiled,
} from '../api/stock-corpus.ts';
import { opened } from '../opened.ts';
import { openWorld } from '../world.ts';
import { peersDoc } from './peers-doc.ts';

const HOLDERS = 10;

const world = opened(openWorld);
let client: MongoClient;
let db: Db;
let documents = 0;

beforeAll(async () => {
  const own = world.mongo.db;
  await ensureIndexes(own);
  await seedSymbols(own);
  await publish(own);
  for (let n = 1; n <= HOLDERS; n += 1)
    await showFiled(own, n, { [LATEST]: [apple(1_000n, 200n), google()] });
  client = new MongoClient(world.env['MONGO_URL'] ?? '', { monitorCommands: true, useBigInt64: true });
  client.on('commandSucceeded', ({ reply }) => {
    const { cursor } = reply as { cursor?: { firstBatch?: unknown[]; nextBatch?: unknown[] } };
    documents += (cursor?.firstBatch ?? cursor?.nextBatch ?? []).length;
  });
  db = client.db(world.config.mongoDb);
});
afterAll(async () => {
  await client.close();
});

async function cost() {
  documents = 0;
  const input = await loadBriefInput(db, 'AAPL' as Ticker, '');
  const { leg, late } = input.holders;
  return { documents, late, holders: leg.tracked_managers_observed };
}

/** A CUSIP whose positions are stored with Apple's. */
function neighbour(): Cusip {
  for (let n = 0; ; n += 1) {
    const cusip = String(n).padStart(9, '0') as Cusip;
    if (bucketOf(cusip) === bucketOf('037833100')) return cusip;
  }
}

test('a brief reads what its holders filed, and nothing of other securities or of managers that stopped', async () => {
  const alone = await cost();
  expect(alone.holders).toBe(HOLDERS);
  expect(alone.documents).toBeLessThanOrEqual(3 * HOLDERS + 50);
  const row = sampleRow({ cusip: neighbour(), amount: 10n, value: 10n });
  for (let n = 100; n < 140; n += 1) await showFiled(world.mongo.db, n, { [LATEST]: [row] });
  for (let n = 200; n < 240; n += 1) await showFiled(world.mongo.db, n, { [EARLIER]: [google()] });
  expect(await cost()).toEqual(alone);
  for (let n = 300; n < 310; n += 1) await showFiled(world.mongo.db, n, { [EARLIER]: [apple(10n, 2n)] });
  const { documents: more, late } = await cost();
  // All that stopped and still held it come in one document.
  expect(more).toBe(alone.documents + 1);
  expect(late).toEqual([{ quarter_end: EARLIER, managers: 10 }]);
}, 60_000);

test('a holder whose report is compared with the one before costs three documents', async () => {
  const before = await cost();
  for (let n = 500; n < 510; n += 1)
    await showFiled(world.mongo.db, n, { [PRIOR]: [apple(8n, 2n)], [LATEST]: [apple(9n, 2n)] });
  const { documents: more, holders } = await cost();
  expect(holders).toBe(before.holders + 10);
  expect(more - before.documents).toBe(3 * 10);
});

test('what filers of earlier quarters said is looked up once', async () => {
  const quarters = quartersFollowed(LATEST);
  const before = await cost();
  await peerVerdictsIn(world.mongo.db).insertMany(quarters.map((quarterEnd) => peersDoc(quarterEnd, [])));
  // The first one reads them.
  await cost();
  expect((await cost()).documents - before.documents).toBe(quarters.length);
});

test('a holder that lists options too costs four documents', async () => {
  const before = await cost();
  const put = apple(7n, 1n, { putCall: 'PUT' });
  for (let n = 400; n < 410; n += 1) await showFiled(world.mongo.db, n, { [LATEST]: [apple(9n, 2n), put] });
  const { documents: more, holders } = await cost();
  expect(holders).toBe(before.holders + 10);
  expect(more - before.documents).toBeLessThanOrEqual(4 * 10);
});
