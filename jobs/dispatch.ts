import { isDeepStrictEqual } from 'node:util';
import { fetch } from '../queues/fetch.ts';
import type { QueueName } from '../queues/index.ts';
import { parse } from '../queues/parse.ts';
import { sequence } from '../queues/sequence.ts';
import { computeCorpus, invalidateCorpusFollowers } from '../src/derive/corpus/corpus.ts';
import { followMethod } from '../src/derive/peers/method.ts';
import { invalidateFollowers } from '../src/derive/report/invalidate-followers.ts';
import { backfillState } from '../src/store/filing/backfill-state.ts';
import { filingsIn } from '../src/store/filing/filings.ts';
import { publishedAsOf, requireAsOf } from '../src/store/filing/settings.ts';
import { countUnsettled } from '../src/store/invalidation/invalidations.ts';
import { publishCorpus, publishedCorpus } from '../src/store/publish/corpus.ts';
import { enqueuePendingDiscovery } from './pending/discovery.ts';
import { enqueuePendingBriefs, enqueuePendingInsiders, enqueuePendingReports } from './pending/enqueue.ts';
import { enqueuePendingLeaderboard } from './pending/leaderboard.ts';
import { enqueuePendingPeers } from './pending/peers.ts';
import { enqueuePendingSearch } from './pending/search.ts';
import { turnToday } from './today.ts';
import type { Job, JobContext } from './worker/context.ts';

const BATCH = 1_000;
/** While work is in progress the corpus is published and marked at most this often: all briefs become dirty. */
const PUBLISH_MS = 600_000;
/** Before these are idle, reports still change… */
const UPSTREAM: readonly QueueName[] = ['backfill', 'reconcile', 'reference', 'fetch', 'parse', 'diff'];
/** …and before these are, what the corpus holds. */
const SETTLING: readonly QueueName[] = [...UPSTREAM, 'peers'];

/**
 * Wakes up what the database says is pending, so that losing the queues costs time and no data, and
 * publishes the as-of date and the state of the corpus.
 */
export const dispatch: Job<{ slot: number }> = async (context, { slot }) => {
  const { db, producer } = context;
  const isFirst = (await publishedAsOf(db)) === null;
  await turnToday(context);
  // Until the day is known the first jobs of discovery wait: they are not lost, only early.
  if (!isFirst) await enqueuePendingDiscovery(context, slot);
  await enqueuePendingFilings(context);
  await enqueuePendingFollowers(context);
  if ((await filingsIn(db).findOne({ event: 'pending' })) !== null)
    await producer.enqueue(sequence, { slot });
  await enqueuePendingReports(context);
  await followMethod(db);
  await enqueuePendingPeers(context, UPSTREAM);
  await enqueuePendingInsiders(context);
  await publishWhenSettled(context);
  await enqueuePendingBriefs(context);
  await enqueuePendingSearch(context);
  await enqueuePendingLeaderboard(context, SETTLING);
};

/** A stage that is due: its job is added again; one that is still enqueued stays one. */
async function enqueuePendingFilings(context: JobContext): Promise<void> {
  const due = await filingsIn(context.db)
    .find(
      { state: { $in: ['discovered', 'fetched'] }, nextAt: { $lte: context.now().toISOString() } },
      { projection: { state: 1, fence: 1 } },
    )
    .limit(BATCH)
    .toArray();
  // The fence is part of the job's id: a job that failed for good would swallow its own id.
  const inState = (state: string) =>
    due
      .filter((filing) => filing.state === state)
      .map(({ _id, fence }) => ({ accession: _id, run: Number(fence) }));
  await context.producer.enqueueAll(fetch, inState('discovered'));
  await context.producer.enqueueAll(parse, inState('fetched'));
}

/** Filings whose parsing was saved but whose followers were not marked: a crash came in between. */
async function enqueuePendingFollowers({ db }: JobContext): Promise<void> {
  const left = await filingsIn(db).find({ derive: 'pending' }).limit(BATCH).toArray();
  for (const filing of left) await invalidateFollowers(db, filing);
}

async function publishWhenSettled(context: JobContext): Promise<void> {
  const { db, producer } = context;
  const before = await publishedCorpus(db);
  const since = before?.at ?? (await backfillState(db))?.at;
  const isYoung = since === undefined || Date.now() - Date.parse(since) < PUBLISH_MS;
  const isBusy = (await producer.load(SETTLING)) > 0 || (await countUnsettled(db)) > 0;
  if (isBusy && isYoung) return;
  const corpus = await computeCorpus(db, await requireAsOf(db));
  const isSame = before !== null && isDeepStrictEqual(before.corpus, corpus);
  if (isSame && before.followersInvalidated) return;
  if (!isSame) await publishCorpus(db, corpus);
  await invalidateCorpusFollowers(db);
  if (isSame) return;
  context.log.info({ asOf: corpus.asOf, ...corpus.state }, 'corpus published');
}
