import { beforeAll, beforeEach, expect, test } from 'vitest';
import { JOBS } from '../../jobs/index.ts';
import { enqueuePendingBriefs } from '../../jobs/pending/enqueue.ts';
import { briefSource, openBriefLookup } from '../../src/api/cache/brief-lookup.ts';
import { announceCurrentBrief, EVERY_TICKER } from '../../src/credits/notices.ts';
import { redisKeys } from '../../src/credits/redis-keys.ts';
import { invalidateCorpusFollowers } from '../../src/derive/corpus/corpus.ts';
import { buildBrief } from '../../src/domain/brief/brief.ts';
import type { Accession, Cik, IsoDate, Ticker } from '../../src/domain/ids.ts';
import { currentBrief, loadBriefInput } from '../../src/read/brief/brief.ts';
import { mostObserved } from '../../src/read/brief/most-observed.ts';
import { filingsIn } from '../../src/store/filing/filings.ts';
import { invalidate, invalidateBriefs } from '../../src/store/invalidation/invalidate.ts';
import { listPending } from '../../src/store/invalidation/invalidation.ts';
import { leaveFirstBriefs } from '../../src/store/invalidation/left-to-readers.ts';
import { briefsIn } from '../../src/store/publish/briefs.ts';
import { corpusIn, publishCorpus, publishedCorpus } from '../../src/store/publish/corpus.ts';
import { currentBriefsIn, noteAsked, readBrief } from '../../src/store/publish/current-briefs.ts';
import { apple, LATEST, publish, STATE, seedSymbols, show } from '../api/stock-corpus.ts';
import { discoveredDoc } from '../filings/doc.ts';
import { openJobs } from '../jobs.ts';
import { opened } from '../opened.ts';
import { openWorld } from '../world.ts';

const [AAPL, BRK] = ['AAPL', 'BRK.B'] as [Ticker, Ticker];
const now = () => new Date('2018-12-03T12:00:00.000Z');

const world = opened(openWorld);
const pipeline = opened(() => openJobs(world, { briefDebounceMs: 0 }));
beforeAll(async () => {
  await seedSymbols(world.mongo.db);
  await show(world.mongo.db, 1, { [LATEST]: [apple(1_000n, 200n)] });
  const report = discoveredDoc('0000000001-18-001809' as Accession, '13F-HR');
  await filingsIn(world.mongo.db).insertOne({ ...report, cik: '0000000001' as Cik, state: 'parsed' });
}, 60_000);

const context = () => ({ ...pipeline.context, now });
const db = () => world.mongo.db;

/** The pipeline has built both briefs on the first day. */
beforeEach(async () => {
  for (const name of ['briefs', 'current_briefs', 'invalidations', 'corpus'])
    await db().collection(name).deleteMany({});
  await publish(db());
  await invalidate(db(), 'brief', [AAPL, BRK]);
  for (const ticker of [AAPL, BRK]) await JOBS.brief(context(), { ticker, version: 1 });
  expect(await listPending(db(), 'brief', 10)).toEqual([]);
});

async function newDay(): Promise<void> {
  const corpus = { asOf: '2018-12-03' as IsoDate, state: STATE };
  await publishCorpus(db(), corpus, { at: now().toISOString(), before: await publishedCorpus(db()) });
  await invalidateCorpusFollowers(db(), now().toISOString());
}

const idOf = async (ticker: Ticker) => (await currentBrief(db(), ticker, now)).briefId;

test('of more pending briefs than a worker takes, those never built are left to their first readers (rule 13.7)', async () => {
  const [FIRST, ASKED] = ['F', 'T'] as [Ticker, Ticker];
  const pending = async () => (await listPending(db(), 'brief', 10)).map(({ key }) => key).sort();
  // Built before, and asked for lately.
  await noteAsked(db(), AAPL, now().toISOString());
  await invalidate(db(), 'brief', [AAPL, FIRST, ASKED]);
  // Its first reader came before the brief was built.
  await idOf(ASKED);
  await leaveFirstBriefs(db(), 3);
  expect(await pending()).toEqual([AAPL, FIRST, ASKED]);
  await leaveFirstBriefs(db(), 2);
  expect(await pending()).toEqual([AAPL, ASKED]);
  await invalidateBriefs(db(), [FIRST]);
  expect(await pending()).toEqual([AAPL, ASKED]);
  expect(await readBrief(db(), FIRST)).toBeNull();
  const { briefId } = await currentBrief(db(), FIRST, now);
  expect((await readBrief(db(), FIRST))?.briefId).toBe(briefId);
  // From now on it is one that was asked for.
  await invalidateBriefs(db(), [FIRST]);
  expect(await pending()).toEqual([AAPL, FIRST, ASKED]);
});

test('a reader who asks while a worker builds the brief is noted (rule 13.7)', async () => {
  await currentBriefsIn(db()).deleteMany({});
  await invalidate(db(), 'brief', [AAPL]);
  // Between the build and its end.
  const announceCurrentBrief = () => noteAsked(db(), AAPL, now().toISOString());
  await JOBS.brief({ ...context(), announceCurrentBrief }, { ticker: AAPL, version: 2 });
  await invalidateBriefs(db(), [AAPL]);
  expect((await listPending(db(), 'brief', 10)).map(({ key }) => key)).toEqual([AAPL]);
});

test('briefs that are left to their readers reach an API that said of one that nothing was filed (rule 13.7)', async () => {
  const FIRST = 'F' as Ticker;
  const announced: string[] = [];
  const announceCorpus = async () => void announced.push('corpus');
  await enqueuePendingBriefs({ ...context(), announceCorpus });
  expect(announced).toEqual([]);
  const crowd = Array.from({ length: 2_001 }, (_, n) => `Q${n}`);
  await invalidate(db(), 'brief', [FIRST, ...crowd]);
  await enqueuePendingBriefs({ ...context(), announceCorpus });
  expect(announced).toEqual(['corpus']);
  expect(await listPending(db(), 'brief', 10)).toEqual([]);
});

test('where no brief was built yet the most observed one is the largest position of the largest fund (rule 11.10)', async () => {
  await currentBriefsIn(db()).deleteMany({});
  expect(await mostObserved(db(), now)).toEqual({ ticker: AAPL, briefId: await idOf(AAPL) });
  await corpusIn(db()).deleteMany({});
  await currentBriefsIn(db()).deleteMany({});
  expect(await mostObserved(db(), now)).toBeNull();
});

test('a new day builds no brief until somebody asks, then one, which is kept (rule 13.7)', async () => {
  const before = (await readBrief(db(), AAPL))?.briefId;
  await newDay();
  expect(await listPending(db(), 'brief', 10)).toEqual([]);
  expect(await readBrief(db(), AAPL)).toBeNull();
  const expected = buildBrief(await loadBriefInput(db(), AAPL, '')).brief_id;
  expect(await idOf(AAPL)).toBe(expected);
  expect(expected).not.toBe(before);
  expect((await readBrief(db(), AAPL))?.briefId).toBe(expected);
  expect(await readBrief(db(), BRK)).toBeNull();
});

test('the most observed brief is one of the present publication, by its present count (rule 11.10)', async () => {
  const shown = await mostObserved(db(), now);
  expect(shown?.ticker).toBe(AAPL);
  await newDay();
  // As if three managers had held it that no longer count.
  await currentBriefsIn(db()).updateOne({ _id: BRK }, { $set: { managersObserved: 3 } });
  const most = await mostObserved(db(), now);
  expect(most).toEqual({ ticker: AAPL, briefId: await idOf(AAPL) });
  expect(most?.briefId).not.toBe(shown?.briefId);
});

test('the briefs that readers asked for lately are built ahead, whichever process built them, and no others (rule 13.7)', async () => {
  await newDay();
  // Built by another process: it is in the store when a reader asks.
  for (const ticker of [AAPL, BRK]) await idOf(ticker);
  await currentBriefsIn(db()).updateMany({}, { $set: { askedAt: '2018-11-20T12:00:00.000Z' } });
  const channel = redisKeys(world.creditsTag).currentBriefs;
  const lookup = await openBriefLookup(world.credits, channel, {
    source: briefSource(db(), now),
    maxBytes: 1e6,
  });
  for (let n = 0; n < 3; n += 1) await lookup.find(AAPL);
  await lookup.close();
  await newDay();
  expect((await listPending(db(), 'brief', 10)).map(({ key }) => key)).toEqual([AAPL]);
  await JOBS.brief(context(), { ticker: AAPL, version: 2 });
  expect(await readBrief(db(), AAPL)).not.toBeNull();
});

test('a change builds no brief that nobody asked for; a reader gets it, and then workers build it (rule 13.7)', async () => {
  const before = await readBrief(db(), AAPL);
  await invalidateBriefs(db(), [AAPL, BRK]);
  expect(await listPending(db(), 'brief', 10)).toEqual([]);
  // Built before the change: no reader gets it.
  expect(await readBrief(db(), AAPL)).toBeNull();
  expect(await idOf(AAPL)).toBe(before?.briefId);
  expect((await readBrief(db(), AAPL))?.briefId).toBe(before?.briefId);
  expect(await readBrief(db(), BRK)).toBeNull();
  await invalidateBriefs(db(), [AAPL, BRK]);
  expect((await listPending(db(), 'brief', 10)).map(({ key }) => key)).toEqual([AAPL]);
  // A worker is about to replace it.
  expect(await readBrief(db(), AAPL)).not.toBeNull();
});

test('a reader of a brief that needs no building is noted, for a week (rule 13.7)', async () => {
  await idOf(AAPL);
  await invalidateBriefs(db(), [AAPL]);
  expect((await listPending(db(), 'brief', 10)).map(({ key }) => key)).toEqual([AAPL]);
  const later = () => new Date('2018-12-11T12:00:00.000Z');
  await JOBS.brief({ ...context(), now: later }, { ticker: AAPL, version: 2 });
  await invalidateBriefs(db(), [AAPL]);
  expect(await listPending(db(), 'brief', 10)).toEqual([]);
});

test('a reader of a brief that is in memory is noted too, however long nobody asked (rule 13.7)', async () => {
  const channel = redisKeys(world.creditsTag).currentBriefs;
  const source = briefSource(db(), now);
  const lookup = await openBriefLookup(world.credits, channel, { source, maxBytes: 1e6 });
  try {
    await lookup.find(AAPL);
    const later = () => new Date('2018-12-11T12:00:00.000Z');
    await invalidateBriefs(db(), [AAPL]);
    await JOBS.brief({ ...context(), now: later }, { ticker: AAPL, version: 2 });
    await announceCurrentBrief(world.credits, world.creditsTag, EVERY_TICKER);
    await expect.poll(() => lookup.peek(AAPL)).toBeNull();
    await lookup.find(AAPL);
    await invalidateBriefs(db(), [AAPL]);
    expect((await listPending(db(), 'brief', 10)).map(({ key }) => key)).toEqual([AAPL]);
  } finally {
    await lookup.close();
  }
});

test('a publication that changes nothing that a brief says leaves its id and stores nothing', async () => {
  await newDay();
  const first = await idOf(AAPL);
  const stored = await briefsIn(db()).countDocuments();
  await newDay();
  expect(await idOf(AAPL)).toBe(first);
  expect(await briefsIn(db()).countDocuments()).toBe(stored);
});

test('a backfill of days before the window moves nothing that a brief says (rule 8.4)', async () => {
  const state = (coverageStart: string) => ({ ...STATE, coverageStart: coverageStart as IsoDate });
  await publish(db(), state('2018-03-01'));
  const first = await idOf(AAPL);
  await invalidateCorpusFollowers(db(), now().toISOString());
  await publish(db(), state('2013-01-02'));
  expect((await publishedCorpus(db()))?.corpus.state.coverageStart).toBe('2013-01-02');
  expect((await publishedCorpus(db()))?.followersInvalidated).toBe(true);
  expect((await readBrief(db(), AAPL))?.briefId).toBe(first);
  await publish(db(), state('2018-08-01'));
  expect(await readBrief(db(), AAPL)).toBeNull();
});

test('a brief that a reader had built first leaves what changed meanwhile pending (rule 13.3)', async () => {
  await invalidate(db(), 'brief', [AAPL]);
  await currentBriefsIn(db()).updateOne({ _id: AAPL }, { $set: { corpus: 1_000 } });
  await JOBS.brief(context(), { ticker: AAPL, version: 2 });
  expect((await listPending(db(), 'brief', 10)).map(({ key }) => key)).toEqual([AAPL]);
});

test('callers at once share one build, and a publication reaches what is in memory', async () => {
  const channel = redisKeys(world.creditsTag).currentBriefs;
  const source = briefSource(db(), now);
  let loads = 0;
  const counted = {
    ...source,
    load: (ticker: Ticker) => {
      loads += 1;
      return source.load(ticker);
    },
  };
  const lookup = await openBriefLookup(world.credits, channel, { source: counted, maxBytes: 1e6 });
  try {
    const before = (await lookup.find(AAPL)).brief.briefId;
    await newDay();
    expect(lookup.peek(AAPL)?.brief.briefId).toBe(before);
    await announceCurrentBrief(world.credits, world.creditsTag, EVERY_TICKER);
    await expect.poll(() => lookup.peek(AAPL)).toBeNull();
    loads = 0;
    const found = await Promise.all([1, 2, 3].map(() => lookup.find(AAPL)));
    expect(loads).toBe(1);
    expect(new Set(found.map(({ brief }) => brief.briefId))).toEqual(new Set([await idOf(AAPL)]));
    expect(lookup.peek(AAPL)?.brief.briefId).not.toBe(before);
    // Equal bytes stay in memory.
    await announceCurrentBrief(world.credits, world.creditsTag, EVERY_TICKER);
    await expect.poll(() => lookup.peek(AAPL)).toBeNull();
    await lookup.find(AAPL);
    expect(loads).toBe(1);
  } finally {
    await lookup.close();
  }
});
