import { type Db, MongoClient } from 'mongodb';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ENDPOINTS } from '../../src/api/endpoints/index.ts';
import { createKey } from '../../src/credits/account/key-life.ts';
import { form4 } from '../../src/domain/brief/brief.sample.ts';
import { type RunningApi, startApi } from '../../src/serve.ts';
import { replaceWatchlist } from '../../src/store/account/watchlists.ts';
import { ensureIndexes } from '../../src/store/mongo/indexes.ts';
import { FUND, seed, seedBrief, seededBriefId } from '../api/corpus.ts';
import { seedForms } from '../api/insider-corpus.ts';
import { apple, cik, EARLIER, LATEST, PRIOR, publish, seedSymbols, show } from '../api/stock-corpus.ts';
import { opened } from '../opened.ts';
import { openWorld } from '../world.ts';
import { boundsOf, EXPLAINS_AS_MONGOD, indexesOf, type Read, recordReads } from './plan.ts';

const FORM = form4({ number: 1, filed: '2018-06-04' });

const BRIEF = seededBriefId('MSFT', 'kept');

/** Calls of each endpoint that between them take every way through its reads. */
const CALLS: Record<string, readonly string[]> = {
  'fund.list': ['/funds', '/funds?page=2&limit=3', '/funds?page=10000&limit=100'],
  'fund.get': [`/funds/${FUND}`],
  'fund.holdings': [`/funds/${FUND}/holdings?limit=2&page=2`, `/funds/${FUND}/holdings?year=2018&quarter=3`],
  search: [
    '/search?q=berkshire',
    '/search?q=AAPL',
    '/search?q=0001067983',
    '/search?q=037833100',
    '/search?q=aple',
  ],
  'stock.owners': [
    '/stocks/AAPL',
    '/stocks/BRK.B',
    '/stocks/AAPL?year=2018&quarter=2',
    '/stocks/AAPL?page=3',
  ],
  'stock.history': [
    ...['/stocks/AAPL/history', '/stocks/AAPL/history', '/stocks/BRK.B/history?quarters=12'],
    `/stocks/AAPL/history?cik=${cik(301)}`,
  ],
  capital_change_brief: ['/stocks/NONE/capital-change-brief', '/stocks/TSLA/capital-change-brief'],
  'stock.briefs': ['/stocks/MSFT/briefs', '/stocks/AAPL/briefs?page=2&limit=1'],
  'brief.get': [`/briefs/${BRIEF}`],
  'brief.evidence': [`/briefs/${BRIEF}/evidence?limit=1`, `/briefs/${BRIEF}/evidence?page=3`],
  'copy.leaderboard': ['/copy/leaderboard', '/copy/leaderboard?page=2&limit=1'],
  'events.latest': [
    ...['/events', '/events?since=20&limit=5', '/events?form=4', '/events?form=8-K'],
    ...['/events?tickers=AAPL,MSFT', '/events?tickers=AAPL&form=4/A&since=3'],
  ],
  'insider.transactions': [
    ...['/insider/transactions', '/insider/transactions?ticker=AAPL&side=buy'],
    ...['/insider/transactions?cik=1214156&code=all&page=2&limit=1'],
    '/insider/transactions?since=2018-01-01&until=2018-12-31&min_value_cents=1&exclude_10b5_1=true',
  ],
  'filing.get': [`/filing/${FORM.header.accession}`],
  'watchlist.poll': ['/watchlist/poll', '/watchlist/poll?since=5&limit=3'],
  'credits.balance': ['/credits'],
};

/**
 * The stream is read by ranges of `_id`, which MongoDB answers from the index that every collection
 * has. The embedded engine keeps no order of numbers there and reads the collection; so these two
 * shapes, and no others, are let through on it.
 */
function isStreamOrder({ collection, command }: Read): boolean {
  const fields = Object.keys(command['filter'] ?? {});
  const byOrder = JSON.stringify(command['sort'] ?? {}).match(/^\{"_id":-?1\}$/) !== null;
  return collection === 'events' && byOrder && fields.every((field) => field === '_id');
}

const world = opened(() => openWorld({ PORT: '0', SHED_LOOP_DELAY_MS: '0' }));
let client: MongoClient;
let db: Db;
let api: RunningApi;
let key = '';
let reads: Read[];
let isEmbedded = false;

beforeAll(async () => {
  await fill(world.mongo.db);
  client = new MongoClient(world.config.mongoUrl ?? '', { useBigInt64: true, monitorCommands: true });
  db = (await client.connect()).db(world.mongo.db.databaseName);
  reads = recordReads(client);
  isEmbedded = 'secantusVersion' in (await db.command({ buildInfo: 1 }));
  api = await startApi({ ...world.context, db });
}, 60_000);
afterAll(async () => {
  await api?.close();
  await client?.close();
});

async function fill(store: Db): Promise<void> {
  await ensureIndexes(store);
  await seed(store);
  await publish(store, { filingWindow: 'open' });
  await seedSymbols(store);
  await store.collection<{ _id: string }>('held_cusips').insertOne({ _id: '037833100' });
  await seedForms(store, [FORM]);
  await seedBrief(store, 'MSFT', 'kept');
  await show(store, 301, { [PRIOR]: [apple(10_000n, 2_000n)], [LATEST]: [apple(25_000n, 5_000n)] });
  await show(store, 302, { [EARLIER]: [apple(60_000n, 12_000n)], [PRIOR]: [apple(50_000n, 10_000n)] });
  const keys = { ...world.store, db: store };
  const made = await createKey(keys, { orgName: 'Reader', credits: 10_000, label: 'test' });
  key = made.key;
  const watched = { tickers: ['AAPL'], ciks: ['320193', '1214156'] };
  await replaceWatchlist(store, made.orgId, watched, '2018-11-30T12:00:00Z');
}

async function call(path: string): Promise<void> {
  const url = `http://127.0.0.1:${api.port}/v1${path}`;
  const answer = await fetch(url, { headers: { authorization: `Bearer ${key}` } });
  expect([path, answer.status]).toEqual([path, 200]);
  await answer.arrayBuffer();
}

/** True where an index bounds the read: the engine's plan says so, of all or of the leading condition. */
async function isIndexed(read: Read): Promise<boolean> {
  if ((await indexesOf(db, read)) !== null) return true;
  if (!isEmbedded) return false;
  for (const bound of await boundsOf(world.mongo.db, read)) {
    if ((await indexesOf(db, bound)) !== null) return true;
  }
  return isStreamOrder(read) || isRangeOfIds(read);
}

/** Documents are kept in the order of their ids, which an engine may not tell. */
function isRangeOfIds({ command }: Read): boolean {
  const id = command['filter']?._id;
  return id?.$gte !== undefined && id.$lt !== undefined;
}

describe('no read of the API goes through a whole collection', () => {
  test.each(ENDPOINTS.map(({ name }) => name))('%s', async (name) => {
    const paths = CALLS[name] ?? [];
    expect(paths.length).toBeGreaterThan(0);
    const before = reads.length;
    await Promise.all(paths.map(call));
    const seen = reads.slice(before);
    expect(seen.length).toBeGreaterThan(0);
    const distinct = new Map(seen.map((read) => [textOf(read), read]));
    const scans: string[] = [];
    for (const [text, read] of distinct) if (!(await isIndexed(read))) scans.push(text);
    expect(scans).toEqual([]);
  });

  test.runIf(EXPLAINS_AS_MONGOD)('a read that no index serves is recognised', async () => {
    const scan = { collection: 'funds', command: { find: 'funds', filter: { manager: 'x' } } };
    expect(await isIndexed(scan)).toBe(false);
    const either = { $or: [{ manager: 'x' }, { slug: 'y' }] };
    expect(await isIndexed({ collection: 'funds', command: { find: 'funds', filter: either } })).toBe(false);
    const count = { aggregate: 'funds', pipeline: [{ $match: {} }, { $group: { _id: 1 } }], cursor: {} };
    expect(await isIndexed({ collection: 'funds', command: count })).toBe(false);
    const filter = { reportingOwnerCiks: { $in: ['0001214156'] }, _id: { $gt: 5, $lte: 100 } };
    const poll = { collection: 'events', command: { find: 'events', filter, sort: { _id: 1 }, limit: 3 } };
    expect(await isIndexed(poll)).toBe(true);
    await world.mongo.db.collection('events').dropIndex('by_reporting_owner');
    expect(await isIndexed(poll)).toBe(false);
  });
});

function textOf({ command }: Read): string {
  return JSON.stringify(command, (_, value) => (typeof value === 'bigint' ? value.toString() : value));
}
