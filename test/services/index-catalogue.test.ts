import { type Collection, type Db, MongoClient } from 'mongodb';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { opened } from '../opened.ts';
import { IS_TEST_LONG } from '../runs.ts';
import { openWorld } from '../world.ts';

/** The Python engine keeps what it has read of indexes (packages/embedded/patches/catalogue.py): never too long. */
type Row = { readonly _id: string; readonly k: unknown };

/** Of a test with the tag `property`: all in `npm run test:long`. */
const ROUNDS = IS_TEST_LONG ? 12 : 4;
const MADE = IS_TEST_LONG ? 100 : 20;
const DUPLICATE = 11_000;

const world = opened(openWorld);
let other: MongoClient;
let writers: Promise<number>[] = [];
let atWork = true;
beforeAll(async () => {
  other = new MongoClient(world.env['MONGO_URL'] ?? '', { retryWrites: false });
  writers = [1, 2, 3].map(keepWriting);
});
afterAll(async () => {
  atWork = false;
  for (const written of await Promise.all(writers)) expect(written).toBeGreaterThan(ROUNDS);
  await other.db(`${world.mongo.db.databaseName}_2`).dropDatabase();
  await other.close();
});

/** Writes to the collections of all tests, so the engine always knows their indexes from a moment ago. */
async function keepWriting(writer: number): Promise<number> {
  let written = 0;
  for (; atWork; written += 1) {
    for (const rows of ['indexes', 'collections', 'renamed', 'arrays'].map(named(db()))) {
      await rows.insertOne({ _id: `w${writer}-${written}`, k: `${writer}-${written}` }).catch(ignoreGone);
    }
  }
  return written;
}

/** A write into a collection that another client drops or renames may be refused. */
function ignoreGone(error: unknown): void {
  if ((error as { code?: number }).code === DUPLICATE) throw error;
}

const db = (): Db => world.mongo.db;
const named =
  (of: Db) =>
  (name: string): Collection<Row> =>
    of.collection<Row>(name);

/** The error code of the second of two writes of one key, each by a client of its own; 0 when both are stored. */
async function codeOfTwice(name: string, round: number, of = db().databaseName): Promise<number> {
  const first = named(world.mongo.client.db(of))(name);
  const second = named(other.db(of))(name);
  await first.insertOne({ _id: `a${round}`, k: 'twice' });
  const code = await second.insertOne({ _id: `b${round}`, k: 'twice' }).then(
    () => 0,
    (error: { code: number }) => error.code,
  );
  await first.deleteMany({ k: 'twice' });
  return code;
}

test('a unique index holds from its first moment to its last, while others write', {
  tags: ['property'],
}, async () => {
  const rows = named(db())('indexes');
  for (let round = 0; round < ROUNDS; round += 1) {
    expect(await codeOfTwice('indexes', round)).toBe(0);
    await rows.createIndex({ k: 1 }, { unique: true, name: 'one_k' });
    expect(await codeOfTwice('indexes', round)).toBe(DUPLICATE);
    // What is written during the build is in the index too.
    expect(await rows.find({ k: /-/ }).hint('one_k').toArray()).not.toHaveLength(0);
    await (round % 2 === 0 ? rows.dropIndex('one_k') : rows.dropIndexes());
  }
});

test('a unique index leaves with its collection and with its database', {
  tags: ['property'],
}, async () => {
  const elsewhere = `${db().databaseName}_2`;
  for (let round = 0; round < ROUNDS; round += 1) {
    const rows = named(other.db(elsewhere))('rows');
    for (const each of [named(db())('collections'), rows]) await each.createIndex({ k: 1 }, { unique: true });
    expect(await codeOfTwice('collections', round)).toBe(DUPLICATE);
    await named(other.db(db().databaseName))('collections').drop();
    expect(await codeOfTwice('collections', round)).toBe(0);
    expect(await codeOfTwice('rows', round, elsewhere)).toBe(DUPLICATE);
    await other.db(elsewhere).dropDatabase();
    expect(await codeOfTwice('rows', round, elsewhere)).toBe(0);
  }
});

test('a unique index moves with a renamed collection', {
  tags: ['property'],
}, async () => {
  for (let round = 0; round < ROUNDS; round += 1) {
    await named(db())('renamed').createIndex({ k: 1 }, { unique: true });
    expect(await codeOfTwice('renamed', round)).toBe(DUPLICATE);
    await other.db(db().databaseName).renameCollection('renamed', 'moved', { dropTarget: true });
    expect(await codeOfTwice('moved', round)).toBe(DUPLICATE);
    expect(await codeOfTwice('renamed', round)).toBe(0);
  }
});

test('the first array in an index ends its use as an order', {
  tags: ['property'],
}, async () => {
  for (let round = 0; round < ROUNDS; round += 1) {
    const rows = named(db())('arrays');
    await rows.createIndex({ k: 1 }, { name: 'by_k' });
    await rows.insertOne({ _id: 'text', k: 'a' });
    await rows.find({}).sort({ k: 1 }).toArray();
    await named(other.db(db().databaseName))('arrays').insertOne({ _id: 'empty', k: [] });
    expect((await rows.find({}).sort({ k: 1 }).toArray()).map(({ _id }) => _id)).toContain('empty');
    await rows.drop();
  }
});

test('a list of strings finds strings and members of arrays, and nothing else', async () => {
  const rows = named(db())('lists');
  await rows.insertMany([
    { _id: 'text', k: 'a' },
    { _id: 'array', k: ['x', 'b'] },
    { _id: 'nested', k: [['a']] },
    { _id: 'null', k: null },
    { _id: 'number', k: 1 },
    { _id: 'other', k: 'c' },
  ]);
  const found = async (list: readonly unknown[]): Promise<string[]> =>
    (
      await rows
        .find({ k: { $in: list } })
        .sort({ _id: 1 })
        .toArray()
    ).map(({ _id }) => _id);
  expect(await found(['a', 'b'])).toEqual(['array', 'text']);
  expect(await found(['a', null, 1])).toEqual(['null', 'number', 'text']);
  expect(await found([/^[ac]/])).toEqual(['other', 'text']);
  expect((await rows.updateMany({ k: { $in: ['a', 'b', 'c'] } }, { $set: { k: 'd' } })).modifiedCount).toBe(
    3,
  );
});

test('a filter that names an `_id` and more finds that document only when all of it holds', async () => {
  const rows = named(db())('filters');
  await rows.insertMany(['a', 'b', 'c'].map((_id) => ({ _id, k: `of ${_id}` })));
  expect(await rows.findOne({ _id: 'a', $or: [{ k: 'of a' }, { k: 'of b' }] })).toMatchObject({ k: 'of a' });
  expect(await rows.findOne({ _id: 'a', $expr: { $eq: ['$k', 'of b'] } })).toBeNull();
  expect(await rows.findOne({ _id: { $in: ['a', 'b'] }, $and: [{ k: 'of b' }] })).toMatchObject({ _id: 'b' });
  expect(await rows.findOne({ _id: { $regex: '^b' }, $or: [{ k: 'of b' }] } as object)).toMatchObject({
    _id: 'b',
  });
  expect(await rows.findOneAndUpdate({ _id: 'c' }, { $set: { k: 'new' } })).toMatchObject({ k: 'of c' });
  expect(await rows.findOneAndDelete({ _id: 'c', k: 'of c' })).toBeNull();
});

test('a range of ids finds those of its kind between its bounds', async () => {
  const rows = db().collection<{ _id: string | number | null; k?: string }>('ranges');
  await rows.insertMany(['a|1', 'a|2', 'a|2|x', 'ä', 'b', 'B'].map((_id) => ({ _id })));
  await rows.insertMany([-20, -3, 0, 2, 10, 20, 1.5, 4_000_000_000].map((_id) => ({ _id, k: 'number' })));
  await rows.insertOne({ _id: null });
  const found = async (_id: object, more: object = {}) =>
    (
      await rows
        .find({ _id, ...more } as object)
        .sort({ _id: 1 })
        .toArray()
    ).map((row) => Number(row._id) || row._id);
  expect(await found({ $gte: 'a|', $lt: 'a}' })).toEqual(['a|1', 'a|2', 'a|2|x']);
  expect(await found({ $gt: 'a|2' })).toEqual(['a|2|x', 'b', 'ä']);
  expect(await found({ $lte: 'a|2', $gt: 'a|1' })).toEqual(['a|2']);
  expect(await found({ $gt: 'z|', $lt: 'a' })).toEqual([]);
  expect(await found({ $gt: -3 })).toEqual([0, 1.5, 2, 10, 20, 4_000_000_000]);
  expect(await found({ $gte: -20, $lte: 2 }, { k: 'number' })).toEqual([-20, -3, 0, 1.5, 2]);
  expect(await found({ $gt: 10, $not: { $gt: 20 } })).toEqual([20]);
  expect((await rows.deleteMany({ _id: { $gt: 'a|1', $lt: 'b' } })).deletedCount).toBe(2);
  expect(await found({ $lt: 'b' })).toEqual(['B', 'a|1']);
});

test('clients that make one collection at the same time, by a write and by an index, do not wait for each other', {
  tags: ['property'],
}, async () => {
  for (let round = 0; round < MADE; round += 1) {
    const first = named(world.mongo.client.db(db().databaseName))(`made${round}`);
    const second = named(other.db(db().databaseName))(`made${round}`);
    await Promise.all([
      first.insertOne({ _id: 'a', k: round }),
      second.createIndex({ k: 1 }),
      second.insertOne({ _id: 'b', k: round }),
    ]);
    expect(await first.countDocuments({ k: round })).toBe(2);
  }
});
