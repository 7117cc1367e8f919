import type { Db } from 'mongodb';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { JOBS } from '../../jobs/index.ts';
import { MAX_ENQUEUED } from '../../jobs/pending/enqueue.ts';
import { enqueuePendingFilings } from '../../jobs/pending/filings.ts';
import { hasWaitingHistory } from '../../jobs/pending/units.ts';
import type { JobContext } from '../../jobs/worker/context.ts';
import type { Pipeline } from '../../jobs/worker/open.ts';
import { form4Text } from '../../scripts/sandbox/form-4-text.ts';
import { invalidateFilingFollowers } from '../../src/derive/report/filing-followers.ts';
import type { Lane } from '../../src/domain/filing/lane.ts';
import type { Accession, Cik, IsoDate } from '../../src/domain/ids.ts';
import { EdgarError } from '../../src/edgar/error.ts';
import { AppError } from '../../src/errors.ts';
import { claimFilings, discoverFilings } from '../../src/store/filing/claims.ts';
import { filingsIn, waitingForUnit } from '../../src/store/filing/filings.ts';
import { invalidationsIn } from '../../src/store/invalidation/invalidation.ts';
import { publishedCorpus } from '../../src/store/publish/corpus.ts';
import { securitiesIn } from '../../src/store/security/securities.ts';
import { opened } from '../opened.ts';
import { interruptedDb } from '../store/interrupted.ts';
import { type Flow, openFlow, openStages } from './flow.ts';
import { openFolder } from './folder.ts';

const FILED = '2018-06-14' as IsoDate;
/** All numbers are of one part. */
const PART = '0';
const FORMS = 5;
const BROKEN = accessionOf(2);
const ISSUERS = ['0009800001', '0009800002', '0009800003'];

const folder = opened(() => openFolder({ accessions: [], symbols: ['AAPL'] }));
let flow: Flow;
let pipeline: Pipeline;
let alone: Awaited<ReturnType<typeof stored>>;

beforeAll(async () => {
  for (let n = 0; n < FORMS; n += 1) await folder.add(`${accessionOf(n)}.txt`, textOf(n));
  flow = await openFlow(folder, '2018-11-30');
  pipeline = await openStages(flow);
  await discover('backfill');
  await readAlone(pipeline.context);
  alone = await stored();
}, 120_000);

afterAll(async () => {
  await pipeline?.close();
  await flow?.close();
});

beforeEach(async () => {
  const { db } = flow;
  const emptied = [filingsIn(db), invalidationsIn(db), securitiesIn(db)];
  for (const collection of emptied) await collection.deleteMany({});
  for (const name of ['raw', 'raw_parts', 'corpus']) await db.collection(name).deleteMany({});
});

function accessionOf(n: number): Accession {
  return `0009999999-18-${String(n * 4 + 4).padStart(6, '0')}` as Accession;
}

function textOf(n: number): string {
  const text = form4Text({
    accession: accessionOf(n),
    filed: FILED,
    purpose: 'A TEST',
    issuer: { cik: ISSUERS[n % 3] ?? '', name: `ISSUER ${n % 3}`, symbol: `QQ${'ABC'[n % 3]}` },
    reportingOwner: { cik: String(9_900_000 + n), name: `PERSON ${n}`, role: 'CFO' },
    trades: [{ date: FILED, code: 'P', shares: 100 + n, price: '10.00', after: 1_000 }],
  });
  return accessionOf(n) === BROKEN ? text.replace('</ownershipDocument>', '') : text;
}

async function discover(lane: Lane): Promise<void> {
  const found = Array.from({ length: FORMS }, (_, n) => ({
    ...{ accession: accessionOf(n), cik: (ISSUERS[n % 3] ?? '') as Cik, form: '4', leg: 'form4' as const },
    ...{ company: `ISSUER ${n % 3}`, filedDate: FILED, lane },
  }));
  await discoverFilings(flow.db, found, new Date());
}

/** What the jobs of single filings do, of those that wait for them. */
async function readAlone(context: JobContext): Promise<void> {
  const accessions = Array.from({ length: FORMS }, (_, n) => accessionOf(n));
  for (const accession of accessions) await JOBS.fetch(context, { accession, run: 0 });
  for (const accession of accessions) await JOBS.parse(context, { accession, run: 0 });
}

async function readTogether(context: JobContext, at = 0): Promise<void> {
  await JOBS.fetch(context, { part: PART, at });
  await JOBS.parse(context, { part: PART, at });
}

/** All that is stored, without what counts or times the runs. */
async function stored() {
  const { db } = flow;
  const filings = await filingsIn(db).find().sort({ _id: 1 }).toArray();
  return {
    filings: filings.map(
      ({ discoveredAt: _d, nextAt: _n, retrievedAt: _r, fence: _f, quarantine, ...rest }) => ({
        ...rest,
        quarantine: quarantine?.code ?? null,
      }),
    ),
    invalidated: (await invalidationsIn(db).find().sort({ _id: 1 }).toArray()).map(
      ({ _id, pending, lane }) => `${_id} ${pending} ${lane}`,
    ),
    stated: await securitiesIn(db).find({ source: 'form4' }).sort({ _id: 1 }).toArray(),
    raw: await db.collection('raw').countDocuments(),
  };
}

test('filings of history that are fetched and parsed together end as if each was handled alone (rule 13.4)', async () => {
  await discover('backfill');
  await readTogether(pipeline.context);
  expect(await stored()).toEqual(alone);
  expect(alone.filings.filter(({ state }) => state === 'parsed')).toHaveLength(FORMS - 1);
  // The one that cannot be read is set aside, and the others of its unit are not.
  expect(alone.filings.find(({ _id }) => _id === BROKEN)).toMatchObject({
    state: 'quarantined',
    event: 'none',
  });
});

test('filings that wait for the dispatcher between two stages are seen, so that nothing is published meanwhile', async () => {
  await discover('backfill');
  expect(await hasWaitingHistory(pipeline.context)).toBe(true);
  await readTogether(pipeline.context);
  expect(await hasWaitingHistory(pipeline.context)).toBe(false);
});

/** A process whose threads crash, and whose units run at once: all queues are empty when a dispatch looks at them. */
function crashing(context: JobContext, ran: string[]): JobContext {
  const broken: JobContext = {
    ...context,
    parser: {
      ...context.parser,
      parseAll: () => Promise.reject(new AppError('parse_crashed', 'broken on purpose', { retry: true })),
    },
  };
  const producer: JobContext['producer'] = {
    ...context.producer,
    load: async () => 0,
    enqueue: async () => undefined,
    moveUp: async () => undefined,
    enqueueAll: async (spec, payloads) => {
      for (const payload of payloads) {
        if (spec.name !== 'parse' || !('part' in (payload as object))) continue;
        ran.push(spec.name);
        await expect(JOBS.parse(broken, payload as never)).rejects.toThrow('on purpose');
      }
    },
  };
  return { ...broken, producer };
}

test('a dispatch publishes nothing while filings of history wait, also those that a unit has just given up', async () => {
  const { db } = flow;
  await discover('backfill');
  await JOBS.fetch(pipeline.context, { part: PART, at: 0 });
  const ran: string[] = [];
  await JOBS.dispatch(crashing(pipeline.context, ran), { slot: 1 });
  expect(ran).toEqual(['parse']);
  expect(await filingsIn(db).countDocuments({ state: 'fetched', tries: 1 })).toBe(FORMS);
  expect(await publishedCorpus(db)).toBeNull();
  await filingsIn(db).deleteMany({});
  await JOBS.dispatch(crashing(pipeline.context, ran), { slot: 2 });
  expect(await publishedCorpus(db)).not.toBeNull();
});

test('a full queue of single filings holds up no unit', async () => {
  await discover('backfill');
  const enqueued: unknown[] = [];
  const producer: JobContext['producer'] = {
    ...pipeline.context.producer,
    load: async () => MAX_ENQUEUED,
    enqueueAll: async (_spec, payloads) => void enqueued.push(...payloads),
  };
  await enqueuePendingFilings({ ...pipeline.context, producer });
  expect(enqueued).toEqual([expect.objectContaining({ part: PART })]);
});

test('a unit costs a command for all of its filings, not one for each', async () => {
  await discover('backfill');
  const commands: string[] = [];
  const counting = interruptedDb(flow.db, {
    before: async ({ collection, name }) => void commands.push(`${collection} ${name}`),
  });
  await readTogether({ ...pipeline.context, db: counting });
  // The ends of both stages, and that what follows was invalidated.
  expect(commands.filter((name) => name === 'filings bulkWrite')).toHaveLength(3);
  expect(commands.filter((name) => name === 'raw insertMany')).toHaveLength(1);
  expect(commands.filter((name) => name.includes('findOneAndUpdate'))).toEqual([]);
});

test('a worker that is killed before any write of a unit loses nothing (rule 13.2)', {
  tags: ['long'],
  timeout: 300_000,
}, async () => {
  let crashes = 0;
  for (let at = 1, isDone = false; !isDone; at += 1) {
    await beforeEachRun();
    const { db, isDead } = dyingAt(flow.db, at);
    await readTogether({ ...pipeline.context, db }, at).catch((error: unknown) => {
      if (!(error instanceof Crash)) throw error;
    });
    isDone = !isDead();
    if (isDead()) {
      crashes += 1;
      await afterCrash(at);
    }
    expect(await stored()).toEqual(alone);
  }
  expect(crashes).toBeGreaterThan(10);
});

async function beforeEachRun(): Promise<void> {
  const emptied = [filingsIn(flow.db), invalidationsIn(flow.db), securitiesIn(flow.db)];
  for (const collection of emptied) await collection.deleteMany({});
  await discover('backfill');
}

/** The leases end. What was in a crash is read alone, as the dispatcher has it, and what follows is invalidated. */
async function afterCrash(at: number): Promise<void> {
  const { context } = pipeline;
  await filingsIn(flow.db).updateMany({}, { $set: { nextAt: '2000-01-01T00:00:00.000Z' } });
  await readAlone(context);
  await readTogether(context, at);
  const left = await filingsIn(flow.db).find({ derive: 'pending' }).toArray();
  if (left.length > 0) await invalidateFilingFollowers(flow.db, left);
}

test('a unit whose thread dies has each of its filings parsed alone', async () => {
  const { context } = pipeline;
  await discover('backfill');
  await JOBS.fetch(context, { part: PART, at: 0 });
  const parseAll = () => Promise.reject(new AppError('parse_crashed', 'the heap is full', { retry: true }));
  const dying = { ...context, parser: { ...context.parser, parseAll } };
  await expect(JOBS.parse(dying, { part: PART, at: 0 })).rejects.toThrow('the heap is full');
  const waiting = await filingsIn(flow.db).find().toArray();
  expect(new Set(waiting.map(({ state, tries, unit }) => `${state} ${tries} ${unit}`))).toEqual(
    new Set(['fetched 1 undefined']),
  );
  await readTogether(context);
  expect(await filingsIn(flow.db).countDocuments({ state: 'fetched' })).toBe(FORMS);
  await readAlone(context);
  expect(await stored()).toEqual(alone);
});

test('a filing that cannot be fetched now is left to be fetched alone, and keeps no other from its turn', async () => {
  const { context } = pipeline;
  await discover('backfill');
  const refused = accessionOf(0);
  const fetchSubmission: typeof context.edgar.fetchSubmission = (cik, accession, lane) =>
    accession === refused
      ? Promise.reject(new EdgarError('edgar_unavailable', 'later', { retry: true }))
      : context.edgar.fetchSubmission(cik, accession, lane);
  const failing = { ...context, edgar: { ...context.edgar, fetchSubmission } };
  let failures = 0;
  for (let round = 0; round < 2; round += 1) {
    await JOBS.fetch(failing, { part: PART, at: round }).catch(() => {
      failures += 1;
    });
  }
  expect(failures).toBe(1);
  const left = await filingsIn(flow.db).find({ state: 'discovered' }).toArray();
  expect(left.map(({ _id, tries }) => [_id, tries])).toEqual([[refused, 1]]);
});

test('what is live, has a table, or was in a crash is in no unit; a claim of its own takes a filing out of one', async () => {
  const { db } = flow;
  await discover('backfill');
  const all = Array.from({ length: FORMS }, (_, n) => accessionOf(n));
  const [live, table, tried, raced] = all as [Accession, Accession, Accession, Accession];
  await filingsIn(db).updateOne({ _id: live }, { $set: { lane: 'live' } });
  await filingsIn(db).updateOne({ _id: table }, { $set: { leg: 'thirteen_f' } });
  await filingsIn(db).updateOne({ _id: tried }, { $set: { tries: 1 } });
  const now = new Date();
  const lease = { leaseMs: 60_000, now };
  const together = { ...lease, where: waitingForUnit('discovered', now) };
  const racing = interruptedDb(db, {
    after: async ({ name }) => {
      if (name === 'updateMany')
        await claimFilings(db, [raced], { ...lease, where: { state: 'discovered' } });
    },
  });
  const { claims } = await claimFilings(racing, all, together);
  expect(claims.map(({ filing }) => filing._id).sort()).toEqual(all.slice(4));
  expect((await claimFilings(db, all, together)).claims).toEqual([]);
});

class Crash extends Error {}

/** A database whose process dies before its nth write: nothing that it does afterwards is written. */
function dyingAt(db: Db, nth: number) {
  let writes = 0;
  const before = async ({ name }: { readonly name: string }): Promise<void> => {
    if (!/insert|update|bulkWrite|replace|delete/i.test(name)) return;
    writes += 1;
    if (writes >= nth) throw new Crash();
  };
  return { db: interruptedDb(db, { before }), isDead: () => writes >= nth };
}
