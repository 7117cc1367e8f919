import { type Db, type Document, MongoClient } from 'mongodb';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { pipelineProgress } from '../../src/derive/corpus/progress.ts';
import { pipelineStatus } from '../../src/derive/corpus/status.ts';
import { ensureIndexes } from '../../src/store/mongo/indexes.ts';
import { opened } from '../opened.ts';
import { openWorld } from '../world.ts';
import { boundsOf, type Read, recordReads } from './plan.ts';

const world = opened(openWorld);
let client: MongoClient;
let db: Db;
let reads: Read[];
let stored = 0;

beforeAll(async () => {
  client = new MongoClient(world.config.mongoUrl ?? '', { monitorCommands: true });
  db = (await client.connect()).db(world.mongo.db.databaseName);
  await ensureIndexes(db);
  reads = recordReads(client);
});
afterAll(async () => {
  await client?.close();
});

/** Filings that nothing waits for, each with an event and a brief. */
async function storeSettled(count: number): Promise<void> {
  const ids = Array.from({ length: count }, () => String(stored++).padStart(20, '0'));
  const settled = { state: 'parsed', event: 'published', derive: 'done', lane: 'backfill', leg: 'form4' };
  await insert(
    'filings',
    ids.map((_id) => ({ _id, ...settled, rows: { count: 2 } })),
  );
  await insert(
    'events',
    ids.map((_id) => ({ _id, accession: _id })),
  );
  await insert(
    'current_briefs',
    ids.map((_id) => ({ _id })),
  );
  await insert(
    'invalidations',
    ids.map((_id) => ({ _id, kind: 'brief', pending: false })),
  );
}

async function insert(name: string, docs: Document[]): Promise<void> {
  await world.mongo.db.collection(name).insertMany(docs);
}

/** Documents that the read can come across: through the best index that bounds it, or all of the collection. */
async function examined(read: Read): Promise<number> {
  const { collection, command } = read;
  const filter: Document = command['filter'] ?? command['query'] ?? command['pipeline']?.[0]?.$match ?? {};
  // The size of a collection is known without reading it.
  if ('count' in command && Object.keys(filter).length === 0) return 0;
  const all = world.mongo.db.collection(collection);
  if ((await all.countDocuments()) === 0) return 0;
  const bounds = (await boundsOf(world.mongo.db, read)).map((bound) => bound.command['filter'] as Document);
  const sizes = await Promise.all([{}, ...bounds].map((bound) => all.countDocuments(bound)));
  return Math.min(...sizes);
}

/** What one look at the progress reads: its commands, and the documents that these come across. */
async function costOf(look: (db: Db) => Promise<unknown>): Promise<{ commands: number; documents: number }> {
  const before = reads.length;
  await look(db);
  const seen = reads.slice(before);
  const sizes = await Promise.all(seen.map(examined));
  return { commands: seen.length, documents: sizes.reduce((sum, size) => sum + size, 0) };
}

test('progress costs the same however many filings are stored, and exact totals do not', {
  tags: ['long'],
}, async () => {
  await insert('filings', [{ _id: 'waiting', state: 'discovered' }]);
  await storeSettled(10);
  const few = await costOf(pipelineProgress);
  expect((await costOf(pipelineStatus)).documents).toBeGreaterThan(few.documents);
  await storeSettled(1_000);
  expect(await costOf(pipelineProgress)).toEqual(few);
  expect(few.documents).toBeLessThan(5);
  expect(await pipelineProgress(db)).toMatchObject({ discovered: 1_011, parsed: 1_010, events: 1_010 });
  await world.mongo.db.collection<{ _id: string }>('filings').deleteOne({ _id: 'waiting' });
  const idle = await costOf(pipelineProgress);
  await storeSettled(1_000);
  expect(await costOf(pipelineProgress)).toEqual(idle);
});

test('the exact totals are those of every filing', async () => {
  expect(await pipelineStatus(db)).toMatchObject({
    ...{ discovered: stored, parsed: stored, filings_form4: stored, filings_13f: 0 },
    ...{ holdings_rows: stored * 2, events: stored, briefs: stored, done: false },
  });
});
