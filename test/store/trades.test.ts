import { type Db, MongoClient } from 'mongodb';
import { beforeEach, describe, expect, test } from 'vitest';
import {
  AS_OF,
  accessionNo,
  cikOf,
  form4,
  ISSUER,
  reportingOwner,
} from '../../src/domain/brief/brief.sample.ts';
import { addDays } from '../../src/domain/calendar.ts';
import type { Ownership } from '../../src/domain/filing/filing.ts';
import type { Accession, Cik, IsoDate } from '../../src/domain/ids.ts';
import { allRowsOf } from '../../src/domain/insider/trades.ts';
import { ensureIndexes } from '../../src/store/mongo/indexes.ts';
import { listingOf, listTrades, type TradeQuery } from '../../src/store/trade/list.ts';
import { stagesOf } from '../../src/store/trade/newest.ts';
import { contentOf, type TradeContent, type TradeDoc, tradesIn } from '../../src/store/trade/trades.ts';
import { beginRun } from '../../src/store/trade/writer.ts';
import { opened } from '../opened.ts';
import { openWorld } from '../world.ts';
import { EXPLAINS_AS_MONGOD } from './plan.ts';
import { saveTrades } from './save-trades.ts';

const world = opened(openWorld, beforeEach);

beforeEach(async () => {
  await ensureIndexes(world.mongo.db);
});

const original = form4({ number: 1, rows: [{}, { transactionDate: '2020-03-03' as IsoDate }] });
const amendment = form4({ number: 2, isAmendment: true, filed: '2020-03-10', rows: [{ shares: '150' }] });

const QUERY: TradeQuery = {
  issuerCik: null,
  reportingOwnerCik: null,
  codes: ['P', 'S'],
  side: null,
  since: null,
  until: null,
  asOf: AS_OF,
  minValueCents: null,
  excludePlanned: false,
  withoutLines: [],
};

function contents(...filings: Ownership[]): Map<string, TradeContent> {
  return new Map(allRowsOf(filings, AS_OF).map((trade) => [trade.id, contentOf(trade)]));
}

const saveIn = (db: Db, version: number, filings: readonly Ownership[]) =>
  saveTrades(db, ISSUER, { contents: contents(...filings), version });
const save = (version: number, ...filings: Ownership[]) => saveIn(world.mongo.db, version, filings);

async function listedIds(): Promise<string[]> {
  const docs = await tradesIn(world.mongo.db).find({ scopes: '|all' }).sort({ order: -1 }).toArray();
  return docs.map((doc) => doc._id);
}

const id = (number: number, row: number): string => `${accessionNo(500_000 + number)}:nd:${row}`;

describe('the stored rows of an issuer', () => {
  test('follow an amendment, and its withdrawal', async () => {
    await save(1, original);
    expect(await listedIds()).toEqual([id(1, 1), id(1, 2)]);
    await save(2, original, amendment);
    expect(await listedIds()).toEqual([id(2, 1), id(1, 2)]);
    await save(3, original);
    expect(await listedIds()).toEqual([id(1, 1), id(1, 2)]);
  });

  test('are not changed by an earlier version that writes late', async () => {
    await save(5, original, amendment);
    const before = await tradesIn(world.mongo.db).find().sort({ _id: 1 }).toArray();
    await save(4, original);
    expect(await tradesIn(world.mongo.db).find().sort({ _id: 1 }).toArray()).toEqual(before);
  });

  test('are those of the latest version whatever runs side by side', async () => {
    const last = form4({ number: 3, filed: '2020-03-11', owners: [reportingOwner(2)] });
    await Promise.all([
      save(3, original, amendment, last),
      save(1, original),
      save(2, original, amendment),
      save(3, original, amendment, last),
    ]);
    expect(await listedIds()).toEqual([id(3, 1), id(2, 1), id(1, 2)]);
  });

  test('stay as they are when a run comes twice', async () => {
    await save(1, original, amendment);
    const before = await tradesIn(world.mongo.db).find().sort({ _id: 1 }).toArray();
    await save(1, amendment, original);
    expect(await tradesIn(world.mongo.db).find().sort({ _id: 1 }).toArray()).toEqual(before);
  });

  test('are written only where they changed, and no version moves otherwise', async () => {
    const { db } = world.mongo;
    const others = Array.from({ length: 30 }, (_, n) =>
      form4({ number: 10 + n, owners: [reportingOwner(2)], rows: [{ shares: String(1_000 + n) }] }),
    );
    await save(1, original, ...others);
    const before = await tradesIn(db).find().sort({ _id: 1 }).toArray();
    const writes = await writesOf((own) => saveIn(own, 2, [original, amendment, ...others]));
    expect(writes).toEqual({ inserted: 1, updated: [id(1, 1)] });
    const after = await tradesIn(db).find().sort({ _id: 1 }).toArray();
    const changed = new Set([id(1, 1), id(2, 1)]);
    expect(after.filter(({ _id }) => !changed.has(_id))).toEqual(
      before.filter(({ _id }) => !changed.has(_id)),
    );
    expect(await writesOf((own) => saveIn(own, 3, [original, amendment, ...others]))).toEqual({
      inserted: 0,
      updated: [],
    });
  });

  test('refuse a run that has not ended once a later one has', async () => {
    const { db } = world.mongo;
    await save(1, original);
    expect((await beginRun(db, ISSUER, 2))?.before).toEqual([]);
    await save(3, original);
    // What the run of version 2 could still write: rows up to its version.
    expect(await tradesIn(db).countDocuments({ version: { $lte: 2 } })).toBe(0);
    expect(await beginRun(db, ISSUER, 2)).toBeNull();
    expect((await beginRun(db, ISSUER, 4))?.before).toEqual([]);
    expect((await beginRun(db, ISSUER, 4))?.before).toHaveLength(1);
  });

  test('of another issuer are left alone', async () => {
    await save(1, original);
    await saveTrades(world.mongo.db, cikOf(5), { contents: new Map(), version: 9 });
    expect(await listedIds()).toHaveLength(2);
  });
});

/** What reaches the rows on a connection of its own. */
async function writesOf(work: (db: Db) => Promise<void>) {
  const client = new MongoClient(world.env['MONGO_URL'] ?? '', { monitorCommands: true });
  const found = { inserted: 0, updated: [] as unknown[] };
  client.on('commandStarted', ({ command }) => {
    if (command['insert'] === 'trades') found.inserted += command['documents'].length;
    if (command['update'] !== 'trades') return;
    found.updated.push(...command['updates'].map(({ q }: { q: { _id?: string } }) => q._id ?? 'many'));
  });
  try {
    await work(client.db(world.config.mongoDb));
    return found;
  } finally {
    await client.close();
  }
}

type Plan = { readonly stage: string; readonly indexName?: string; readonly inputStage?: Plan };
type Explained = {
  readonly queryPlanner: { readonly winningPlan: Plan };
  readonly executionStats: { readonly totalDocsExamined: number };
};

/** MongoDB explains a pipeline that one query serves as that query, else its first stage as a cursor. */
async function explain(query: TradeQuery): Promise<Explained> {
  const listing = listingOf(query);
  const [scope = ''] = listing.scopes;
  const pipeline = [...stagesOf(listing, { scope, since: listing.oldest, before: null }), { $limit: 50 }];
  const explained = await tradesIn(world.mongo.db).aggregate(pipeline).explain('executionStats');
  return (explained['stages']?.[0]?.$cursor ?? explained) as Explained;
}

function planStages(plan: Plan | undefined): Plan[] {
  return plan === undefined ? [] : [plan, ...planStages(plan.inputStage)];
}

describe('a list', () => {
  const since = '2020-02-01' as IsoDate;
  const until = '2020-03-10' as IsoDate;
  const combinations: [string, Partial<TradeQuery>][] = [
    ['nothing', {}],
    ['every code', { codes: 'all' }],
    ['one code', { codes: ['A'] }],
    ['some codes', { codes: ['A', 'M', 'P'] }],
    ['another side', { codes: 'all', side: 'other' }],
    ['an issuer', { issuerCik: ISSUER }],
    ['an owner', { reportingOwnerCik: cikOf(900_001) }],
    ['an issuer and an owner', { issuerCik: ISSUER, reportingOwnerCik: cikOf(900_001) }],
    ['days', { since, until }],
    ['the first day', { since }],
    ['the last day', { until }],
    ['an issuer, days and a value', { issuerCik: ISSUER, since, until, minValueCents: 1n }],
    ['no plans', { excludePlanned: true }],
    ['a share class', { issuerCik: ISSUER, withoutLines: ['0000'] }],
  ];

  test.runIf(EXPLAINS_AS_MONGOD).each(combinations)(
    'by %s reads the index over scopes and order',
    async (_name, part) => {
      await save(1, original, amendment);
      const stages = planStages((await explain({ ...QUERY, ...part })).queryPlanner.winningPlan);
      expect(stages.map(({ stage }) => stage)).not.toContain('COLLSCAN');
      expect(stages.flatMap(({ indexName }) => indexName ?? [])).toEqual(['listed']);
    },
  );

  test('reads no row of another issuer', async () => {
    await save(1, original);
    await tradesIn(world.mongo.db).insertMany(copies(500, cikOf(5)));
    const { executionStats } = await explain({ ...QUERY, issuerCik: ISSUER, minValueCents: 1n });
    expect(Number(executionStats.totalDocsExamined)).toBe(2);
  });

  test.each([
    ['a value', { minValueCents: 3n }],
    ['days', { until: '2020-02-03' as IsoDate, asOf: '2020-02-03' as IsoDate }],
    ['both', { minValueCents: 3n, until: '2020-02-03' as IsoDate, asOf: '2020-02-03' as IsoDate }],
  ])('by %s that few trades have is in the same order as that of one issuer', async (_name, part) => {
    const docs = copies(30, ISSUER).map((doc, at) => ({
      ...doc,
      valueCents: BigInt(at % 7),
      placedOn: addDays('2020-02-01' as IsoDate, at % 5),
      item: `{"at":${at}}`,
    }));
    await tradesIn(world.mongo.db).insertMany(docs);
    const page = { skip: 3, limit: 5 };
    const found = await listTrades(world.mongo.db, { ...QUERY, ...part }, page);
    expect(found).toEqual(await listTrades(world.mongo.db, { ...QUERY, ...part, issuerCik: ISSUER }, page));
    expect(found.trades).toHaveLength(5);
  });

  test('stops counting at its bound and says so', async () => {
    await tradesIn(world.mongo.db).insertMany(copies(25, ISSUER));
    const asked = { ...QUERY, issuerCik: ISSUER };
    const page = { skip: 0, limit: 2, most: 20 };
    const first = await listTrades(world.mongo.db, asked, page);
    expect([first.total, first.isLowerBound, first.trades.length]).toEqual([20, true, 2]);
    await tradesIn(world.mongo.db).deleteMany({ order: { $lt: '000005' } });
    const all = await listTrades(world.mongo.db, asked, page);
    expect([all.total, all.isLowerBound]).toEqual([20, false]);
  });

  test.each([
    ['is believed for a while where far more were counted', 24, true],
    ['is counted again where only some more were', 23, false],
  ])('of everybody with more trades than its bound %s', async (_name, stored, isBelieved) => {
    await tradesIn(world.mongo.db).insertMany(copies(stored, ISSUER));
    const page = { skip: 0, limit: 2, most: 20 };
    const first = await listTrades(world.mongo.db, QUERY, page);
    expect([first.total, first.isLowerBound]).toEqual([20, true]);
    await tradesIn(world.mongo.db).deleteMany({ order: { $lt: '000005' } });
    const next = await listTrades(world.mongo.db, QUERY, page);
    expect(next.isLowerBound).toBe(isBelieved);
    expect(next.trades).toEqual(first.trades);
  });
});

function copies(count: number, issuerCik: Cik): TradeDoc[] {
  const scopes = [`i:${issuerCik}|P,S`, '|P,S'];
  const [sample] = contents(original).values();
  if (sample === undefined) throw new Error('a form has rows');
  return Array.from({ length: count }, (_, at) => ({
    ...sample,
    _id: `${accessionNo(at) as Accession}:nd:${issuerCik}`,
    issuerCik,
    version: 1,
    digest: '',
    scopes,
    order: String(at).padStart(6, '0'),
    item: '{}',
  }));
}
