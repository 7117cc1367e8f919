import { MongoClient } from 'mongodb';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { computeCorpus, invalidateCorpusFollowers } from '../../src/derive/corpus/corpus.ts';
import type { Cik, IsoDate } from '../../src/domain/ids.ts';
import { beginDataSet, noteDataSetFailure, noteStored } from '../../src/store/filing/data-sets.ts';
import { saveBackfill } from '../../src/store/filing/index-days.ts';
import { invalidate } from '../../src/store/invalidation/invalidate.ts';
import { countPending } from '../../src/store/invalidation/invalidation.ts';
import { publishCorpus, publishedCorpus, republishCorpus } from '../../src/store/publish/corpus.ts';
import { type FundDoc, fundsIn } from '../../src/store/report/funds.ts';
import { opened } from '../opened.ts';
import { openWorld } from '../world.ts';

const AT = '2018-11-30T12:00:00Z';

const world = opened(openWorld);
let watched: MongoClient;
beforeAll(async () => {
  watched = new MongoClient(world.env['MONGO_URL'] ?? '', { monitorCommands: true });
  const { db } = world.mongo;
  await publishCorpus(db, await computeCorpus(db, '2018-11-30' as IsoDate), { at: AT, before: null });
});
afterAll(async () => {
  await watched.close();
});

it('a publication never replaces a later one', async () => {
  const { db } = world.mongo;
  const [slow, fast] = [await publishedCorpus(db), await publishedCorpus(db)];
  const days = ['2018-11-30', '2018-12-03'] as IsoDate[];
  const [older, newer] = await Promise.all(days.map((day) => computeCorpus(db, day)));
  if (older === undefined || newer === undefined) throw new Error('no corpus');
  expect(await publishCorpus(db, newer, { at: AT, before: fast })).toBe(true);
  expect(await publishCorpus(db, older, { at: AT, before: slow })).toBe(false);
  expect(await publishCorpus(db, older, { at: AT, before: null })).toBe(false);
  expect((await publishedCorpus(db))?.corpus.asOf).toBe('2018-12-03');
});

it('a Form 13F data set that could not be imported is missing from the corpus, which says so (rule 8.4)', async () => {
  const { db } = world.mongo;
  const [_id, day] = ['0000000001' as Cik, '2018-11-30' as IsoDate];
  await fundsIn(db).insertOne({ _id, latestQuarterEnd: '2018-09-30' } as FundDoc);
  // Reports of the two quarters compared are filed from 2018-07-01 on.
  const others = ['2018q3_form345', '2019q1_form13f', '2018q2_form13f', '2013q3_form13f'];
  const dataSets = ['2018q3_form13f', ...others];
  await saveBackfill(db, { slot: 1, from: day, through: day, days: [], dataSets, at: AT });
  expect((await computeCorpus(db, day)).state.sourceComplete).toBe(true);
  for (const name of dataSets)
    await noteDataSetFailure(db, name, { code: 'import_failed', reason: 'broken', at: AT });
  const { state } = await computeCorpus(db, day);
  expect(state.sourceComplete).toBe(false);
  expect(state.corpus).toMatch(/Tidemark, without those filed from 2018-07-01 to 2018-09-30$/);
  // While the window is open, reports of the quarter before still count, and what they are compared with.
  const { state: early } = await computeCorpus(db, '2018-11-14' as IsoDate);
  expect(early.corpus).toContain('those filed from 2018-04-01 to 2018-06-30');
  const name = '2018q3_form13f';
  await beginDataSet(db, name, { digest: '', at: AT });
  // Another import of it says nothing before it has ended.
  expect((await computeCorpus(db, day)).state.sourceComplete).toBe(false);
  await noteStored(db, name, '');
  expect((await computeCorpus(db, day)).state.sourceComplete).toBe(true);
  await fundsIn(db).deleteOne({ _id });
  await saveBackfill(db, { slot: 2, from: day, through: day, days: [], dataSets: [], at: AT });
});

it.each([
  // As of 2023-05-10, when seven of nine managers still counted by what they held at the end of 2022.
  ['open', '2018-11-14', '2018-04-01'],
  ['closed', '2018-11-15', '2018-07-01'],
])(
  'while the window is %s, days without prices are those of all quarters compared (rule 4.6)',
  async (window, day, from) => {
    const { db } = world.mongo;
    const _id = '0000000001' as Cik;
    await fundsIn(db).insertOne({ _id, latestQuarterEnd: '2018-09-30' } as FundDoc);
    const { state } = await computeCorpus(db, day as IsoDate);
    expect(state).toMatchObject({ filingWindow: window, pricesMissing: { from, through: '2018-09-30' } });
    await fundsIn(db).deleteOne({ _id });
  },
);

it('an invalidation of all briefs does not count as done when a withdrawal overtakes it', async () => {
  const { db } = world.mongo;
  await invalidate(db, 'brief', ['AAPL']);
  let overtaking: Promise<void> | undefined;
  watched.on('commandSucceeded', ({ commandName }) => {
    if (commandName === 'find') overtaking ??= republishCorpus(db);
  });
  await invalidateCorpusFollowers(watched.db(world.config.mongoDb), AT);
  await overtaking;
  expect((await publishedCorpus(db))?.followersInvalidated).toBe(false);
  await invalidateCorpusFollowers(db, AT);
  expect((await publishedCorpus(db))?.followersInvalidated).toBe(true);
  expect(await countPending(db, 'brief')).toBe(1);
});
