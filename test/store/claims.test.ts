import type { UpdateFilter } from 'mongodb';
import { beforeEach, expect, it } from 'vitest';
import { suspicionOf } from '../../jobs/stage.ts';
import { QUEUES } from '../../queues/index.ts';
import type { Accession, Cik, IsoDate } from '../../src/domain/ids.ts';
import {
  claimFilings,
  discoverFilings,
  endStages,
  quarantined,
  releaseFilings,
  renewLeases,
  type Unit,
} from '../../src/store/filing/claims.ts';
import { type FilingDoc, filingsIn } from '../../src/store/filing/filings.ts';
import { countedStarts, countStart } from '../../src/store/process/heartbeats.ts';
import { opened } from '../opened.ts';
import { openWorld } from '../world.ts';

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
const LEASE = { where: { state: 'discovered' }, leaseMs: 60_000, now: NOW } as const;

const world = opened(openWorld);
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
  const unit = await claimFilings(world.mongo.db, [ACCESSION], LEASE);
  expect(unit.claims).toHaveLength(1);
  return unit;
}

async function end(unit: Unit, update: UpdateFilter<FilingDoc> = { $set: { state: 'fetched' } }) {
  await endStages(
    world.mongo.db,
    unit.claims.map((claim) => ({ claim, update })),
  );
}

it('a known filing is not noted again, and only new ones are returned', async () => {
  await end(await claimed());
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
  await renewLeases(world.mongo.db, first, new Date('2018-11-15T12:00:40Z'));
  expect((await stored()).nextAt).toBe('2018-11-15T12:01:40.000Z');
  const second = await claimed();
  await renewLeases(world.mongo.db, first, new Date('2018-11-15T13:00:00Z'));
  expect((await stored()).nextAt).toBe('2018-11-15T12:01:00.000Z');
  await end(second);
  await renewLeases(world.mongo.db, second, new Date('2018-11-15T13:00:00Z'));
  expect((await stored()).nextAt).toBe('2018-11-15T12:01:00.000Z');
});

it('the late write of an earlier claim changes, parks and quarantines nothing', async () => {
  const { db } = world.mongo;
  const zombie = await claimed();
  const holder = await claimed();
  await end(zombie);
  await end(zombie, quarantined(await stored(), { code: 'truncated', reason: 'late', at: '' }));
  await releaseFilings(db, zombie, { until: new Date('2099-01-01'), isCounted: false });
  expect(await stored()).toMatchObject({ state: 'discovered', quarantine: null, tries: 2 });
  expect((await stored()).nextAt < '2099').toBe(true);
  await end(holder);
  expect((await stored()).state).toBe('fetched');
});

it('an outage of ours does not count against a filing, a crash of the parser does', async () => {
  const { db } = world.mongo;
  await releaseFilings(db, await claimed(), { until: new Date(), isCounted: false });
  expect((await stored()).tries).toBe(0);
  await releaseFilings(db, await claimed(), { until: new Date(), isCounted: true, crashedAt: 7 });
  expect(await stored()).toMatchObject({ tries: 1, suspectedAt: 7 });
});

it('the second try notes how many workers were started, and later ones keep it', async () => {
  const { db } = world.mongo;
  const tryAgain = async () => {
    const { noted } = await suspicionOf(db, await stored());
    return (await claimFilings(db, [ACCESSION], { ...LEASE, ...noted })).claims[0];
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
  expect(QUEUES.fetch.jobId({ ...FOUND, run: Number((await stored()).fence) })).toBe(
    QUEUES.fetch.jobId({ ...FOUND, run: 0 }),
  );
  const unit = await claimed();
  await end(unit);
  expect(Number((await stored()).fence)).toBe(unit.claims[0]?.fence);
});

it('a download counts no try of an import; its reading does, under the fence of the download', async () => {
  const { db } = world.mongo;
  const wanted = { state: 'parsed' as const, dataSet: '2018q4_form13f', documentWanted: true as const };
  await filingsIn(db).updateOne({ _id: ACCESSION }, { $set: wanted });
  const downloading = { ...LEASE, where: { documentWanted: true as const }, counted: 0 as const };
  const killed = await claimFilings(db, [ACCESSION], downloading);
  const download = await claimFilings(db, [ACCESSION], downloading);
  expect((await stored()).tries).toBe(0);
  const under = ({ claims: [claim] }: Unit) => ({ ...LEASE, where: { fence: claim?.fence ?? -1 } });
  expect((await claimFilings(db, [ACCESSION], under(killed))).claims).toEqual([]);
  await releaseFilings(db, download, { until: new Date(), isCounted: false });
  expect((await stored()).tries).toBe(0);
  const [reading] = (await claimFilings(db, [ACCESSION], under(download))).claims;
  expect(reading?.filing.tries).toBe(1);
});
