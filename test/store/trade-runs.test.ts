import type { Db } from 'mongodb';
import { beforeEach, expect, test } from 'vitest';
import { AS_OF, form4, ISSUER } from '../../src/domain/brief/brief.sample.ts';
import type { Ownership } from '../../src/domain/filing/filing.ts';
import { allRowsOf } from '../../src/domain/insider/trades.ts';
import { contentOf, tradesIn } from '../../src/store/trade/trades.ts';
import { beginRun, tradeIssuersIn } from '../../src/store/trade/writer.ts';
import { opened } from '../opened.ts';
import { openWorld } from '../world.ts';
import { saveTrades } from './save-trades.ts';

const world = opened(openWorld, beforeEach);

const original = form4({ number: 1, rows: [{}] });
const amendment = form4({ number: 2, isAmendment: true, filed: '2020-03-10', rows: [{ shares: '150' }] });

function contentsOf(...filings: readonly Ownership[]) {
  return new Map(allRowsOf(filings, AS_OF).map((trade) => [trade.id, contentOf(trade)]));
}

async function listed(): Promise<string[]> {
  const docs = await tradesIn(world.mongo.db).find({ scopes: '|all' }).sort({ order: -1 }).toArray();
  return docs.map(({ _id }) => _id);
}

/** The same database, whose writes of trade rows wait for `gate` after they called `reached`. */
function pausing(db: Db, gate: Promise<void>, reached: () => void): Db {
  const collection = (name: string) => {
    const rows = db.collection(name);
    if (name !== 'trades') return rows;
    const write = rows.bulkWrite.bind(rows);
    rows.bulkWrite = async (...args) => {
      reached();
      await gate;
      return write(...args);
    };
    return rows;
  };
  return { collection, databaseName: db.databaseName } as unknown as Db;
}

test('a run that was paused over its repetition and a later version changes nothing', async () => {
  const { db } = world.mongo;
  await saveTrades(db, ISSUER, { contents: contentsOf(original, amendment), version: 1 });
  let open = (): void => undefined;
  const gate = new Promise<void>((resolve) => {
    open = resolve;
  });
  let paused: Promise<void> = Promise.resolve();
  await new Promise<void>((reached) => {
    const read = { contents: contentsOf(original), version: 2 };
    paused = saveTrades(pausing(db, gate, reached), ISSUER, read);
  });
  await saveTrades(db, ISSUER, { contents: contentsOf(original, amendment), version: 2 });
  await saveTrades(db, ISSUER, { contents: contentsOf(original, amendment), version: 3 });
  const before = await listed();
  open();
  await paused;
  expect(await listed()).toEqual(before);
});

test('runs that never end are closed by the next versions that do', async () => {
  const { db } = world.mongo;
  for (const version of [1, 2, 3]) await beginRun(db, ISSUER, version);
  await saveTrades(db, ISSUER, { contents: contentsOf(original), version: 3 });
  expect((await tradeIssuersIn(db).findOne({ _id: ISSUER }))?.open).toHaveLength(1);
  await saveTrades(db, ISSUER, { contents: contentsOf(original), version: 4 });
  expect((await tradeIssuersIn(db).findOne({ _id: ISSUER }))?.open).toEqual([]);
});
