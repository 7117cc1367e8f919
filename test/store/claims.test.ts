import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { suspicionOf } from '../../jobs/claimed.ts';
import { QUEUES } from '../../queues/index.ts';
import type { Accession, Cik, IsoDate } from '../../src/domain/ids.ts';
import {
  claimFiling,
  claimImported,
  countTry,
  discoverFilings,
  endStage,
  parkFiling,
  quarantineFiling,
  renewLease,
} from '../../src/store/filing/claims.ts';
import { filingsIn } from '../../src/store/filing/filings.ts';
import { countedStarts, countStart } from '../../src/store/process/starts.ts';
import { openWorld, type World } from '../world.ts';

const ACCESSION = '0000950123-18-011885' as Accession;
const FOUND = {
  accession: ACCESSION,
  cik: '0001067983' as Cik,
  form: '13F-HR',
  leg: 'thirteen_f' as const,
  company: 'BERKSHIRE HATHAWAY INC',
  filedDate: '2018-11-14' as IsoDate,
};
const NOW = new Date('2018-11-15T12:00:00Z');
const LEASE = { state: 'discovered', leaseMs: 60_000, now: NOW } as const;

let world: World;
beforeAll(async () => {
  world = await openWorld();
});
afterAll(() => world.close());
beforeEach(async () => {
  await filingsIn(world.mongo.db).deleteMany({});
  await discoverFilings(world.mongo.db, [FOUND], NOW);
});

const stored = async () => {
  const doc = await filingsIn(world.mongo.db).findOne({ _id: ACCESSION });
  if (doc === null) throw new Error('the filing is gone');
  return doc;
};

async function claimed() {
  const claim = await claimFiling(world.mongo.db, ACCESSION, LEASE);
  if (claim === null) throw new Error('not claimed');
  return claim;
}

it('a known filing is not noted again, and only new ones are returned', async () => {
  await endStage(world.mongo.db, await claimed(), { $set: { state: 'fetched' } });
  const other = { ...FOUND, accession: '0000950123-18-008866' as Accession };
  expect(await discoverFilings(world.mongo.db, [FOUND, other], NOW)).toEqual([other.accession]);
  expect((await stored()).state).toBe('fetched');
});

it('a claimed filing is left alone for the length of its lease', async () => {
  await claimed();
  expect((await stored()).nextAt).toBe('2018-11-15T12:01:00.000Z');
});

it('a lease begins anew while its stage lasts, and never under a later claim', async () => {
  const first = await claimed();
  await renewLease(world.mongo.db, first, new Date('2018-11-15T12:00:40Z'));
  expect((await stored()).nextAt).toBe('2018-11-15T12:01:40.000Z');
  const second = await claimed();
  await renewLease(world.mongo.db, first, new Date('2018-11-15T13:00:00Z'));
  expect((await stored()).nextAt).toBe('2018-11-15T12:01:00.000Z');
  await endStage(world.mongo.db, second, { $set: { state: 'fetched' } });
  await renewLease(world.mongo.db, second, new Date('2018-11-15T13:00:00Z'));
  expect((await stored()).nextAt).toBe('2018-11-15T12:01:00.000Z');
});

it('the late write of an earlier claim changes, parks and quarantines nothing', async () => {
  const { db } = world.mongo;
  const zombie = await claimed();
  const holder = await claimed();
  expect(await endStage(db, zombie, { $set: { state: 'fetched' } })).toBe(false);
  expect(await quarantineFiling(db, zombie, { code: 'truncated', reason: 'late', at: '' })).toBe(false);
  await parkFiling(db, zombie, { until: new Date('2099-01-01') });
  expect(await stored()).toMatchObject({ state: 'discovered', quarantine: null, tries: 2 });
  expect((await stored()).nextAt < '2099').toBe(true);
  expect(await endStage(db, holder, { $set: { state: 'fetched' } })).toBe(true);
});

it('an outage of ours does not count against a filing, a crash of the parser does', async () => {
  const { db } = world.mongo;
  await parkFiling(db, await claimed(), { until: new Date() });
  expect((await stored()).tries).toBe(0);
  await parkFiling(db, await claimed(), { until: new Date(), crashedAt: 7 });
  expect(await stored()).toMatchObject({ tries: 1, suspectedAt: 7 });
});

it('the second try notes how many workers were started, and later ones keep it', async () => {
  const { db } = world.mongo;
  const tryAgain = async () => {
    const { noted } = await suspicionOf(db, await stored());
    return claimFiling(db, ACCESSION, { ...LEASE, ...noted });
  };
  await tryAgain();
  expect((await stored()).suspectedAt).toBeUndefined();
  await countStart(db);
  await tryAgain();
  await countStart(db);
  const third = await tryAgain();
  expect(third?.filing).toMatchObject({ tries: 3, suspectedAt: (await countedStarts(db)) - 1 });
  // An outage takes the last two tries back: what it restarts is not the filing's.
  await filingsIn(db).updateOne({ _id: ACCESSION }, { $set: { tries: 1 } });
  expect((await tryAgain())?.filing).toMatchObject({ tries: 2, suspectedAt: await countedStarts(db) });
});

it('every stage that enqueues a filing names the same job: it is never two jobs of one stage', async () => {
  const { db } = world.mongo;
  expect(QUEUES.fetch.jobId({ ...FOUND, run: Number((await stored()).fence) })).toBe(
    QUEUES.fetch.jobId({ ...FOUND, run: 0 }),
  );
  const claim = await claimed();
  await endStage(db, claim, { $set: { state: 'fetched' } });
  expect(Number((await stored()).fence)).toBe(claim.fence);
});

it('a download counts no try of an import; its reading does, under the fence of the download', async () => {
  const { db } = world.mongo;
  const wanted = { state: 'parsed' as const, dataSet: '2018q4_form13f', documentWanted: true as const };
  await filingsIn(db).updateOne({ _id: ACCESSION }, { $set: wanted });
  const killed = await claimImported(db, ACCESSION, LEASE);
  const download = await claimImported(db, ACCESSION, LEASE);
  expect((await stored()).tries).toBe(0);
  if (killed === null || download === null) throw new Error('not claimed');
  expect(await countTry(db, killed, LEASE)).toBeNull();
  await parkFiling(db, download, { until: new Date() });
  expect((await stored()).tries).toBe(0);
  expect((await countTry(db, download, LEASE))?.filing.tries).toBe(1);
});
