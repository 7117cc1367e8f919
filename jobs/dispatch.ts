import { isDeepStrictEqual } from 'node:util';
import { sequence } from '../queues/filings.ts';
import type { QueueName } from '../queues/index.ts';
import { recentImport } from '../src/bulk/recent.ts';
import { turnToday } from '../src/derive/corpus/as-of.ts';
import { computeCorpus, invalidateCorpusFollowers } from '../src/derive/corpus/corpus.ts';
import { followMethod } from '../src/derive/peers/peers-followers.ts';
import { invalidateFilingFollowers } from '../src/derive/report/filing-followers.ts';
import { filingsIn } from '../src/store/filing/filings.ts';
import { requireAsOf } from '../src/store/filing/settings.ts';
import { hasUnsettled } from '../src/store/invalidation/invalidation.ts';
import { publishCorpus, publishedCorpus } from '../src/store/publish/corpus.ts';
import {
  BUSY_MS,
  enqueuePendingBriefs,
  enqueuePendingInsiders,
  enqueuePendingReports,
} from './pending/enqueue.ts';
import { enqueuePendingDiscovery, enqueuePendingFilings } from './pending/filings.ts';
import { enqueuePendingLeaderboard, enqueuePendingPeers, enqueuePendingSearch } from './pending/settled.ts';
import { isReading } from './pending/units.ts';
import { together } from './together.ts';
import type { Job, JobContext } from './worker/context.ts';

const BATCH = 1_000;
/** While one of these works, reports still change… */
const UPSTREAM: readonly QueueName[] = [
  'backfill',
  'bulk',
  'reconcile',
  'reference',
  'fetch',
  'parse',
  'diff',
];
/** …and while one of these works, so does the state of the corpus. */
const SETTLING: readonly QueueName[] = [...UPSTREAM, 'peers'];

/**
 * Enqueues what the database says is pending, so that a lost queue costs time and no data, and
 * publishes the as-of date and the state of the corpus.
 */
export const dispatch: Job<'dispatch'> = async (context, { slot }) => {
  const { db, producer } = context;
  const isFirst = (await turnToday(context)) === null;
  // Discovery needs the day. Its first jobs come with the next dispatch.
  if (!isFirst) await enqueuePendingDiscovery(context, slot);
  await enqueuePendingFilings(context);
  // One filing whose followers cannot be found out stops nothing else.
  const failure = await invalidatePendingFollowers(context).catch((error: unknown) => ({ error }));
  if ((await filingsIn(db).findOne({ event: 'pending' })) !== null) {
    await producer.enqueue(sequence, { slot });
  }
  await enqueuePendingReports(context);
  await followMethod(db);
  await enqueuePendingPeers(context, UPSTREAM);
  await enqueuePendingInsiders(context);
  await publishWhenSettled(context);
  await enqueuePendingBriefs(context);
  await enqueuePendingSearch(context);
  await enqueuePendingLeaderboard(context, SETTLING);
  if (failure !== undefined) throw failure.error;
};

/** Filings that were saved as parsed before a crash, without what follows from them being invalidated. */
async function invalidatePendingFollowers({ db }: JobContext): Promise<void> {
  const left = await filingsIn(db).find({ derive: 'pending' }).limit(BATCH).toArray();
  if (left.length === 0) return;
  const { failed } = await together(left, (filings) => invalidateFilingFollowers(db, filings));
  for (const error of failed.values()) throw error;
}

/**
 * While work is in progress only every ten minutes, because reports still change, and never while a data set
 * is imported that briefs rest on: they would count half of its managers. A publication builds only the briefs
 * that were asked for lately (rule 13.7).
 */
async function publishWhenSettled(context: JobContext): Promise<void> {
  const { db, log, now } = context;
  // Not the one of the beginning: a command may have turned the day.
  const asOf = await requireAsOf(db);
  const recent = await recentImport(db, asOf, now());
  if (recent.isOpen) return;
  const before = await publishedCorpus(db);
  // What follows from an import has as long to settle as everything else.
  const since = before?.at ?? recent.at;
  const isYoung = since === null || now().getTime() - Date.parse(since) < BUSY_MS;
  const isBusy = (await isReading(context, SETTLING)) || (await hasUnsettled(db));
  if (isBusy && isYoung) return;
  const corpus = await computeCorpus(db, asOf);
  const isSame = before !== null && isDeepStrictEqual(before.corpus, corpus);
  if (isSame && before.followersInvalidated) return;
  const at = now().toISOString();
  // The next dispatch computes it again.
  if (!isSame && !(await publishCorpus(db, corpus, { at, before }))) return;
  if (!isSame) log.info({ asOf: corpus.asOf, ...corpus.state }, 'corpus published');
  // What no brief says moves nothing.
  if ((await publishedCorpus(db))?.followersInvalidated) return;
  await context.announceCorpus();
  await invalidateCorpusFollowers(db, at);
}
